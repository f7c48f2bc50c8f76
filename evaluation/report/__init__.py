"""A study as the draft of a paper: a folder with a document for TeX, a page, and all its files."""
