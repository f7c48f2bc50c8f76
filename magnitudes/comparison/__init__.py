"""Comparing systems by the values of a measure.

Arrays in, arrays out. Nothing here knows of a database, a file or a web page.
"""


class ComparisonError(ValueError):
    """Values that systems cannot be compared by; the message says why."""
