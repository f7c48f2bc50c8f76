"""What a person may type as a magnitude: a positive whole number, decimal or fraction."""

import re
import unicodedata
from fractions import Fraction

MAX_LENGTH = 64  # characters
DIGITS_IN_GROUP = 3  # digits, at most, before the first mark between thousands
# Numbers beyond these say nothing about relevance.
MIN_SCORE, MAX_SCORE = 1e-9, 1e12

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
    r"|(?:(?P<whole>\d+) +)?(?P<numerator>\d+) ?/ ?(?P<denominator>\d+)"
)
# 1,500 and 1.500 are one and a half to some, and fifteen hundred to others; 0.500 is not.
_SEPARATOR_AND_THREE_DIGITS = re.compile(r"(?P<before>[1-9]\d{0,2})[.,](?P<after>\d{3})")
_RATINGS = (10, 100)  # 8/10 is eight tenths, or a rating
# As people write large numbers: 1.000,5 or 1,000,000 or 12 500 or 1'000.5.
_GROUPED = re.compile(
    r"(?P<whole>[1-9]\d{0,2}(?P<mark>[.,'’ ])\d{3}(?:(?P=mark)\d{3})*)"
    r"(?:(?!(?P=mark))[.,](?P<part>\d+))?"
)


def gettext_noop(message: str) -> str:
    """Mark a message for translation where it is shown; this module imports no framework."""
    return message


class InvalidScore(ValueError):
    """What was typed is not a positive number; the message is for the person who typed it.

    message: in English, with the names of `values` in braces; those of NUMBERS are numbers with a
    decimal point, for the mark of the page's language.
    """

    NUMBERS = ("number", "thousands", "decimal")

    def __init__(self, message: str, **values: str) -> None:
        self.message, self.values = message, values
        super().__init__(message.format(**values))


class PossibleRating(InvalidScore):
    """What was typed may be meant as points of 10 or 100; typed again it is accepted."""


NUMBER_EXPECTED = gettext_noop(
    "Enter a number above zero: a whole number, a decimal or a fraction."
)
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


def _to_ascii(char: str) -> str:
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    if unicodedata.decomposition(char).startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", char).replace("⁄", "/")
    if char.isspace():
        return " "
    return _SIGNS.get(char, char)


def parse_score(text: str, confirmed: str = "") -> float:
    """The positive number that `text` stands for, from `MIN_SCORE` to `MAX_SCORE`.

    Accepted: `12`, `0.5`, `.5`, `0,5`, `1/3`, `2 1/2`, `2½`, digits of any script, blanks around. A
    comma or a point before exactly three digits could mean two things and is refused, as are marks
    between thousands. confirmed: a text that raised `PossibleRating` before, and was confirmed.
    Raises InvalidScore, which says what was wrong and what is wanted.
    """
    score = exact_score(text)
    if score < Fraction(str(MIN_SCORE)):
        raise InvalidScore(TOO_SMALL)
    if score > Fraction(str(MAX_SCORE)):
        raise InvalidScore(TOO_LARGE)
    if (rating := _rating(text)) and text.strip() != confirmed.strip():
        top, bottom = rating
        number = _format_score(score)
        raise PossibleRating(A_RATING, typed=text.strip(), number=number, top=top, bottom=bottom)
    return float(score)


def displayed_reading(text: str, mark: str) -> str:
    """How a score was read, with a decimal point, if a page should show it; else empty.

    It should if the text has another decimal mark than the page, a point or a comma, has digits of
    another script, or may be a rating.

    >>> [displayed_reading(text, ".") for text in ("0,5", "8/10", "1/3")]
    ['0.5', '0.8', '']
    >>> displayed_reading("0,5", ",")
    ''
    """
    other = "." if mark == "," else ","
    if text.isascii() and other not in text and not _rating(text):
        return ""
    try:
        return _format_score(exact_score(text))
    except InvalidScore:
        return ""  # the name of a level


def _format_score(score: Fraction) -> str:
    return f"{float(score):.12g}"


def _rating(text: str) -> tuple[str, str] | None:
    """Top and bottom of a fraction that may be points of 10 or 100; 1/10 is none."""
    number = _NUMBER.fullmatch("".join(map(_to_ascii, text)).strip())
    if not number or number["numerator"] is None or number["whole"]:
        return None
    top, bottom = int(number["numerator"]), int(number["denominator"])
    return (str(top), str(bottom)) if bottom in _RATINGS and top > 1 else None


def exact_score(text: str) -> Fraction:
    """Exact, as 1/3 and 0.1 are no doubles; not within the bounds of `parse_score`."""
    if len(text) > MAX_LENGTH:
        raise InvalidScore(TOO_LONG, most=str(MAX_LENGTH))
    plain = "".join(map(_to_ascii, text)).strip()
    if not plain:
        raise InvalidScore(NUMBER_EXPECTED)
    if parts := _SEPARATOR_AND_THREE_DIGITS.fullmatch(plain):
        raise _ambiguous_score(plain, parts["before"], parts["after"])
    number = _NUMBER.fullmatch(plain)
    if not number or (number["denominator"] is not None and int(number["denominator"]) == 0):
        raise _invalid_score(text.strip(), plain)
    value = _exact(number)
    if value == 0:
        raise InvalidScore(ZERO)
    return value


def _ambiguous_score(typed: str, before: str, after: str) -> InvalidScore:
    """Three digits after the mark would be ambiguous again: zeros at the end go, or one comes."""
    part = after.rstrip("0") or "0"
    decimal = f"{before}.{part if len(part) < DIGITS_IN_GROUP else part + '0'}"
    return InvalidScore(TWO_MEANINGS, typed=typed, thousands=before + after, decimal=decimal)


def _invalid_score(typed: str, plain: str) -> InvalidScore:
    if grouped := _GROUPED.fullmatch(plain):
        number = "".join(filter(str.isdigit, grouped["whole"]))
        number += f".{grouped['part']}" if grouped["part"] else ""
        return InvalidScore(WITHOUT_MARKS, number=number)
    if plain.startswith("-") and _NUMBER.fullmatch(plain[1:].strip()):
        return InvalidScore(NO_MINUS)
    if _EXPONENT.fullmatch(plain):
        return InvalidScore(NO_EXPONENT)
    number = plain.rstrip("".join(set(filter(str.isalpha, plain)))).removeprefix("+").strip()
    if parts := _SEPARATOR_AND_THREE_DIGITS.fullmatch(number):
        return _ambiguous_score(number, parts["before"], parts["after"])
    if number != plain and _NUMBER.fullmatch(number):
        return InvalidScore(NUMBER_ALONE, number=number.replace(",", "."))
    return InvalidScore(NO_NUMBER, typed=typed)


def _exact(number: re.Match[str]) -> Fraction:
    if number["decimal"] is not None:
        return Fraction(number["decimal"].replace(",", ".").removesuffix("."))
    top, bottom = int(number["numerator"]), int(number["denominator"])
    return int(number["whole"] or 0) + Fraction(top, bottom)
