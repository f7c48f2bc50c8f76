"""A study as one file: all that its results come from, to be stored or moved to another site."""
