"""What a person may type as a magnitude: a positive whole number, decimal or fraction."""

import re
import unicodedata
from fractions import Fraction

LONGEST = 64  # characters
THOUSANDS = 3  # digits, at most, before the first mark between thousands
# Whatever lies beyond says nothing about relevance.
SMALLEST, LARGEST = 1e-9, 1e12

_SIGNS = {
    "⁄": "/",
    "∕": "/",
    "／": "/",
    "٫": ".",
    "．": ".",
    "，": ",",
    "＋": "+",
    "－": "-",
    "−": "-",
}
_EXPONENT = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)[eE][+-]?\d+")
_NUMBER = re.compile(
    r"(?P<decimal>\d+(?:[.,]\d*)?|[.,]\d+)"
    r"|(?:(?P<whole>\d+) +)?(?P<over>\d+) ?/ ?(?P<under>\d+)"
)
# 1,500 and 1.500 are one and a half to some, and fifteen hundred to others; 0.500 is not.
_MARK_AND_THREE = re.compile(r"(?P<before>[1-9]\d{0,2})[.,](?P<after>\d{3})")
_RATINGS = (10, 100)  # 8/10 is eight tenths, or a rating
# As people write large numbers: 1.000,5 or 1,000,000 or 12 500 or 1'000.5.
_GROUPED = re.compile(
    r"(?P<whole>[1-9]\d{0,2}(?P<mark>[.,'’ ])\d{3}(?:(?P=mark)\d{3})*)"
    r"(?:(?!(?P=mark))[.,](?P<part>\d+))?"
)


def gettext_noop(message: str) -> str:
    """Mark a message that is translated where it is shown; this module knows no framework."""
    return message


class NotAScore(ValueError):
    """What was typed is not a positive number; the message is for the person who typed it.

    message: in English, with the names of `values` in braces; those of NUMBERS are numbers with a
    decimal point, for the mark of the page's language.
    """

    NUMBERS = ("number", "thousands", "decimal")

    def __init__(self, message: str, **values: str) -> None:
        self.message, self.values = message, values
        super().__init__(message.format(**values))


class MayBeARating(NotAScore):
    """What was typed may be meant as points of 10 or 100; the same again is taken as typed."""


WANTED = gettext_noop("Enter a number above zero: a whole number, a decimal or a fraction.")
TOO_SMALL = gettext_noop("This number is smaller than what can be kept. Enter a larger number.")
TOO_LARGE = gettext_noop("This number is larger than what can be kept. Enter a smaller number.")
TOO_LONG = gettext_noop("Enter a number of at most {most} characters.")
ZERO = gettext_noop(
    "Zero is not possible. Enter a number above zero: a whole number, a decimal or a fraction."
)
TWO_MEANINGS = gettext_noop(
    "“{typed}” could mean two things. Write {thousands} or {decimal}, whichever you mean."
)
WITHOUT_MARKS = gettext_noop("Write this number without marks between thousands: {number}")
NO_MINUS = gettext_noop("Enter a number above zero, however small.")
NO_EXPONENT = gettext_noop("Write this number without an e.")
A_RATING = gettext_noop(
    "“{typed}” is read as {number}. If you meant {top} of {bottom}, enter {top}. If you mean "
    "{number}, go on."
)
NUMBER_ALONE = gettext_noop("Write the number alone: {number}")
NO_NUMBER = gettext_noop(
    "“{typed}” is not a number. Enter a number above zero: a whole number, a decimal or a fraction."
)


def _plain(char: str) -> str:
    """`char` as people write it in ASCII: digits of every script, fraction signs, blanks."""
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    if unicodedata.decomposition(char).startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", char).replace("⁄", "/")
    if char.isspace():
        return " "
    return _SIGNS.get(char, char)


def parse_score(text: str, confirmed: str = "") -> float:
    """The positive number that `text` stands for, from `SMALLEST` to `LARGEST`.

    Accepted: `12`, `0.5`, `.5`, `0,5`, `1/3`, `2 1/2`, `2½`, digits of any script, blanks around.
    A comma or a point before exactly three digits could mean two things and is refused, as are
    marks between thousands; the message shows how to write it.

    confirmed: a text that was asked about before (`MayBeARating`), and is meant as it stands.

    Raises:
        NotAScore: with a message that says what was wrong and what is wanted.
    """
    score = exact_score(text)
    if score < Fraction(str(SMALLEST)):
        raise NotAScore(TOO_SMALL)
    if score > Fraction(str(LARGEST)):
        raise NotAScore(TOO_LARGE)
    if (rating := _rating(text)) and text.strip() != confirmed.strip():
        top, bottom = rating
        number = _written(score)
        raise MayBeARating(A_RATING, typed=text.strip(), number=number, top=top, bottom=bottom)
    return float(score)


def reading(text: str, mark: str) -> str:
    """How a score was read, with a decimal point, if a page should say so; else empty.

    It should where the text has another decimal mark than the page, digits of another script, or
    may have been meant as a rating.

    mark: the decimal mark of the page's language, a point or a comma.

    >>> reading("0,5", "."), reading("0,5", ","), reading("8/10", "."), reading("1/3", ".")
    ('0.5', '', '0.8', '')
    """
    other = "." if mark == "," else ","
    if text.isascii() and other not in text and not _rating(text):
        return ""
    try:
        return _written(exact_score(text))
    except NotAScore:
        return ""  # the name of a level


def _written(score: Fraction) -> str:
    return f"{float(score):.12g}"


def _rating(text: str) -> tuple[str, str] | None:
    """Top and bottom of a fraction that may be points of 10 or 100; 1/10 is none."""
    number = _NUMBER.fullmatch("".join(map(_plain, text)).strip())
    if not number or number["over"] is None or number["whole"]:
        return None
    over, under = int(number["over"]), int(number["under"])
    return (str(over), str(under)) if under in _RATINGS and over > 1 else None


def exact_score(text: str) -> Fraction:
    """The number that `text` stands for, as it was meant: 1/3 and 0.1 are no doubles.

    Accepts what `parse_score` accepts, and numbers beyond its bounds.
    """
    if len(text) > LONGEST:
        raise NotAScore(TOO_LONG, most=str(LONGEST))
    plain = "".join(map(_plain, text)).strip()
    if not plain:
        raise NotAScore(WANTED)
    if parts := _MARK_AND_THREE.fullmatch(plain):
        raise _two_meanings(plain, parts["before"], parts["after"])
    number = _NUMBER.fullmatch(plain)
    if not number or (number["under"] is not None and int(number["under"]) == 0):
        raise _refusal(text.strip(), plain)
    value = _exact(number)
    if value == 0:
        raise NotAScore(ZERO)
    return value


def _two_meanings(typed: str, before: str, after: str) -> NotAScore:
    """How to write a number with a mark before exactly three digits, by either meaning.

    Three digits after the mark would be asked about again, so zeros at the end go, or one comes.
    """
    part = after.rstrip("0") or "0"
    decimal = f"{before}.{part if len(part) < THOUSANDS else part + '0'}"
    return NotAScore(TWO_MEANINGS, typed=typed, thousands=before + after, decimal=decimal)


def _refusal(typed: str, plain: str) -> NotAScore:
    """What is wrong with a text that is no positive number."""
    if grouped := _GROUPED.fullmatch(plain):
        number = "".join(filter(str.isdigit, grouped["whole"]))
        number += f".{grouped['part']}" if grouped["part"] else ""
        return NotAScore(WITHOUT_MARKS, number=number)
    if plain.startswith("-") and _NUMBER.fullmatch(plain[1:].strip()):
        return NotAScore(NO_MINUS)
    if _EXPONENT.fullmatch(plain):
        return NotAScore(NO_EXPONENT)
    number = plain.rstrip("".join(set(filter(str.isalpha, plain)))).removeprefix("+").strip()
    if parts := _MARK_AND_THREE.fullmatch(number):
        return _two_meanings(number, parts["before"], parts["after"])
    if number != plain and _NUMBER.fullmatch(number):
        return NotAScore(NUMBER_ALONE, number=number.replace(",", "."))
    return NotAScore(NO_NUMBER, typed=typed)


def _exact(number: re.Match[str]) -> Fraction:
    if number["decimal"] is not None:
        return Fraction(number["decimal"].replace(",", ".").removesuffix("."))
    return int(number["whole"] or 0) + Fraction(int(number["over"]), int(number["under"]))
