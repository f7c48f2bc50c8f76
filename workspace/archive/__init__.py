"""A study as one file: all that its results come from, to be kept or moved to another site."""
