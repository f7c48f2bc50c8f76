"""Words in messages."""


def count(number: int, one: str, many: str = "") -> str:
    """A number of things: '1 column', '3,000 columns'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
