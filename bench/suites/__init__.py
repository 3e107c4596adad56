"""The suites, a file each; each has `run(quick=…)` and says in its first line what it measures."""
