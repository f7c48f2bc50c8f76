import re

DIGITS = re.compile(r"([0-9]+)")
MAX_DIGITS = 18  # what PostgreSQL and Python take without a fault


def storable(text: str) -> str:
    """`text` without what PostgreSQL cannot store: zero bytes and lone surrogates.

    >>> storable("a\\0b\\ud800")
    'ab'
    """
    return text.replace("\0", "").encode(errors="ignore").decode()


def natural(text: str) -> tuple[list[str | tuple[int, str]], str]:
    """A key for `sorted`: digits compare as whole numbers, ties as plain text.

    >>> sorted(["10", "2", "topic 10", "topic 9", "02"], key=natural)
    ['02', '2', '10', 'topic 9', 'topic 10']
    """
    parts: list[str | tuple[int, str]] = list(DIGITS.split(text))
    for place in range(1, len(parts), 2):
        digits = str(parts[place]).lstrip("0")
        parts[place] = (len(digits), digits)
    return parts, text


def whole_number(text: str) -> int | None:
    """None where the text is no whole number, or longer than MAX_DIGITS.

    >>> [whole_number(text) for text in ("7", "007", "-7", "", "9" * 5000)]
    [7, 7, None, None, None]
    """
    if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS:
        return int(text)
    return None
