"""Text from outside, as the database can hold it."""


def storable(text: str) -> str:
    """`text` without what PostgreSQL cannot hold: zero bytes and halves of characters.

    >>> storable("a\\0b\\ud800")
    'ab'
    """
    return text.replace("\0", "").encode(errors="ignore").decode()
