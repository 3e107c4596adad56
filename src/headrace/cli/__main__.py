"""`python -m headrace.cli` does what `headrace` does."""

from headrace.cli.main import run

run()
