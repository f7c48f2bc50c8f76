"""Words in messages."""


def count(number: int, singular: str, plural: str = "") -> str:
    """A number of things: '1 column', '3,000 columns'."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
