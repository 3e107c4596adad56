"""The drawn timelines and tables of the docs, made from real runs of the code that stands on their pages."""
