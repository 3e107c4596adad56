"""Measurements: each suite runs Headrace beside its peers, on the same input, in one run."""
