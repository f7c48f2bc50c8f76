"""From what people said of a document to its gain: what it is worth to find it.

A gain is a real number of at least 0. Arrays in, arrays out; no database, file or web page.
"""


class GainError(ValueError):
    """Labels or gains that no gain or measure can be computed from; the message says why."""


class BadLabel(GainError):
    """A label that has no gain; `place`: where it stands among those that were given, from 0."""

    def __init__(self, why: str, place: int) -> None:
        super().__init__(why)
        self.place = place
