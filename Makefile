# `make` alone lists what there is to make. A first `make setup` fetches some 600 MB, most of it PySpark;
# from then on nothing here needs the network.

PYTHON ?= python3
CRASHES ?= 20
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements.lock
OFFLINE := connect to the network and run this again (what was fetched is kept)

# What each target leaves in the environment when it is done.
UV := $(VENV)/.uv
DEPENDENCIES := $(VENV)/.dependencies
PACKAGE := $(VENV)/.package

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup kernel jars demo test crash check bench page timelines docs lock wheel clean

help:  ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(PACKAGE) kernel jars  ## Everything that the rest needs; quick, and without network, once it has run

demo: setup  ## Page views, from a generator through Kafka to live windows, in half a minute
	@$(BIN)/python -m examples.page_views $(ARGS)

test: setup  ## The whole suite; ARGS="-k window -x" goes to pytest
	@$(BIN)/python -m pytest $(ARGS)

crash: setup  ## Kill a job at random, CRASHES times, and see that nothing is lost or repeated
	@HEADRACE_CRASHES=$(CRASHES) $(BIN)/python -m pytest tests/e2e/test_kills.py -k any_moment -s $(ARGS)

check: $(PACKAGE)  ## Lint, format, types, import contracts, dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry src

bench: setup  ## Measure, and write bench/results.json; ONLY=suite takes one suite, QUICK=1 a small run
	@$(BIN)/python -m bench $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick) $(ARGS)

page: $(PACKAGE)  ## docs/benchmarks.md and its plots, from bench/results.json
	@$(BIN)/python -m bench.page

timelines: setup  ## The pictures and tables of the docs, from runs of the programs on their pages
	@$(BIN)/python -m timelines

docs: $(PACKAGE)  ## The site, into site/
	$(BIN)/zensical build --strict --clean

kernel: $(DEPENDENCIES)  ## The kernel's jar, from kernel/src
	@$(BIN)/python kernel/build.py >/dev/null

jars: $(PACKAGE)  ## The pinned jars, into the user's cache
	@found=$$($(BIN)/headrace doctor) || { echo "$$found"; exit 1; }

wheel: $(DEPENDENCIES)  ## The wheel and the sdist, into dist/
	$(BIN)/uv build --no-build-isolation --python $(BIN)/python --sdist --wheel --out-dir dist

lock: $(UV)  ## Write requirements.lock anew from pyproject.toml; ARGS=--upgrade takes newer versions
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --group dev --all-extras pyproject.toml --output-file $(LOCK) $(ARGS)

clean:  ## Take away all that was made here; the user's caches stay
	rm -rf $(VENV) build dist site .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf src/headrace/supply/headrace-kernel.jar* src/*.egg-info .coverage metastore_db spark-warehouse derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PACKAGE): pyproject.toml $(DEPENDENCIES) | kernel
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

# PySpark comes as source; what builds it is pinned by the same file.
$(DEPENDENCIES): $(LOCK) $(UV)
	@$(BIN)/uv pip sync --python $(BIN)/python --require-hashes --build-constraints $(LOCK) $(LOCK) || \
	  { echo "the packages were not all fetched: $(OFFLINE)"; exit 1; }
	@touch $@

$(UV): $(LOCK)
	@command -v $(PYTHON) >/dev/null || \
	  { echo "Headrace needs Python 3.11 or newer, and there is no $(PYTHON): make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("Headrace needs Python 3.11 or newer, and \
	$(PYTHON) is {0}.{1}: make PYTHON=/path/to/a/newer/python3".format(*sys.version_info))'
	@$(PYTHON) -c 'import pip' 2>/dev/null || \
	  { echo "$(PYTHON) has no pip: run $(PYTHON) -m ensurepip, or install your system's python3-pip"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' $(LOCK) >$(VENV)/uv.txt
	@$(PYTHON) -m pip --python $(BIN)/python install --quiet --require-hashes --requirement $(VENV)/uv.txt || \
	  { echo "uv was not fetched: $(OFFLINE)"; exit 1; }
	@touch $@
