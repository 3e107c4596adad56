"""From a plan to how it will run: which queries, on which operators, with what promises, or why not."""
