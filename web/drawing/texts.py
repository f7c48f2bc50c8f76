"""Words and numbers of charts, and how wide they may be."""

import math
import re
from collections.abc import Sequence
from html import escape as escape_html
from unicodedata import east_asian_width

FONT_SIZE = 13  # pixels high
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
MAX_DIGITS = 6  # decimals of a number without an exponent
WIDE = 1.18  # times as wide as Helvetica are the fonts of readers, at the most
# Thousandths of the font's size in Helvetica.
WIDTHS = {
    222: "'ijl|",
    278: " !,./:;I[\\]ft",
    333: '"()*-`r{}',
    500: "ckJsvxyz^",
    556: "#$0123456789?L_abdeghnopqu–",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "@—…",
}
WIDTH_OF = {letter: width for width, letters in WIDTHS.items() for letter in letters}


def escape(text: object) -> str:
    """A text in SVG, without characters that it forbids."""
    return escape_html(UNPRINTABLE.sub("\ufffd", str(text)))


def natural_width(text: str, size: float = FONT_SIZE) -> float:
    """Pixels that a text takes in Helvetica."""
    return size / 1000 * sum(WIDTH_OF.get(letter) or _width_of(letter) for letter in text)


def _width_of(letter: str) -> int:
    return 1000 if east_asian_width(letter) in "WF" else 650


def width(text: str, size: float = FONT_SIZE) -> float:
    """Pixels that a text takes in the wide font that a reader may have, as DejaVu Sans."""
    return WIDE * natural_width(text, size)


def fitted(text: str, room: float, size: float = FONT_SIZE) -> str:
    """A text that may have lost its end.

    >>> fitted("no room", 100), fitted("no room", 40)
    ('no room', 'no…')
    """
    if width(text, size) <= room:
        return text
    while text and width(f"{text}…", size) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def wrapped(text: str, room: float) -> list[str]:
    """A text in lines, broken between words."""
    lines: list[str] = []
    for word in text.split():
        if lines and width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [fitted(line, room) for line in lines]


def numbers(values: Sequence[float], percent: bool = False) -> list[str]:
    """Numbers of an axis, each with as many decimals as they need together.

    >>> numbers([0, 0.5, 1]), numbers([-1000, 2000]), numbers([0, 0.25], percent=True)
    (['0.0', '0.5', '1.0'], ['−1,000', '2,000'], ['0%', '25%'])
    >>> numbers([0, 2e-9]), numbers([1.5e12])
    (['0', '2e-9'], ['1.5e12'])
    """
    shown = [(100 * value if percent else value) + 0.0 for value in values]
    slack = 1e-9 * max(map(abs, shown), default=0)
    digits = 0
    while digits <= MAX_DIGITS and any(abs(round(v, digits) - v) > slack for v in shown):
        digits += 1
    if digits > MAX_DIGITS or slack >= 1:
        texts = [_with_exponent(value) for value in shown]
    else:
        texts = [f"{value:,.{digits}f}" for value in shown]
    return [text.replace("-", "−", text.startswith("-")) + "%" * percent for text in texts]


def _with_exponent(value: float) -> str:
    mantissa, exponent = f"{value:.{MAX_DIGITS}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}" if math.fabs(value) > 0 else "0"
