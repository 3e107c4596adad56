"""The fluent API: each call adds a node to a plan, and nothing runs."""
