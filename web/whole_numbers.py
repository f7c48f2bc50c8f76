MAX_DIGITS = 18  # what PostgreSQL and Python take without a fault


def whole_number(text: str) -> int | None:
    """None where the text is no whole number, or longer than MAX_DIGITS.

    >>> [whole_number(text) for text in ("7", "007", "-7", "", "9" * 5000)]
    [7, 7, None, None, None]
    """
    if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS:
        return int(text)
    return None
