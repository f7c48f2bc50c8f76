"""Whole numbers from outside: in a path, in a form."""

MAX_DIGITS = 18  # what PostgreSQL and Python take without a fault


def whole_number(text: str) -> int | None:
    """The number that a text is; None: it is none, or longer than MAX_DIGITS.

    >>> [whole_number(text) for text in ("7", "007", "-7", "", "9" * 5000)]
    [7, 7, None, None, None]
    """
    if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS:
        return int(text)
    return None
