"""Work that is asked for on a page, and done in the background."""
