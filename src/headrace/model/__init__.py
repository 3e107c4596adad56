"""The frozen vocabulary: what the words of a job mean, and nothing that runs."""
