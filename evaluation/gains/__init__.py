"""From what people said of a document to its gain: what it is worth to find it.

A gain is a real number of at least 0. Arrays in, arrays out; no database, file or web page.
"""


class GainError(ValueError):
    """Labels or gains that no gain or measure can be computed from; the message says why."""
