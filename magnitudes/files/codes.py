"""Codes of documents in lists that are no place among the judged documents of a topic."""

UNJUDGED, END = -1, -2  # any other document; below the end of a list
