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
_NUMBER = re.compile(
    r"(?P<decimal>\d+(?:[.,]\d*)?|[.,]\d+)"
    r"|(?:(?P<whole>\d+) +)?(?P<over>\d+) ?/ ?(?P<under>\d+)"
)
_COMMA_AND_THREE = re.compile(r"(\d+),(\d{3})")
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

    message: in English, with the names of `values` in braces.
    """

    def __init__(self, message: str, **values: str) -> None:
        self.message, self.values = message, values
        super().__init__(message.format(**values))


WANTED = gettext_noop("Enter a number above zero: a whole number, a decimal or a fraction.")
TOO_SMALL = gettext_noop("This number is smaller than what can be kept. Enter a larger number.")
TOO_LARGE = gettext_noop("This number is larger than what can be kept. Enter a smaller number.")
TOO_LONG = gettext_noop("Enter a number of at most {most} characters.")
ZERO = gettext_noop(
    "Zero is not possible. Enter a number above zero: a whole number, a decimal or a fraction."
)
WITH_A_POINT = gettext_noop("Write this number with a point: {number}")
TWO_MEANINGS = gettext_noop(
    "“{typed}” could mean two things. Write {thousands} or {decimal}, whichever you mean."
)
WITHOUT_MARKS = gettext_noop("Write this number without marks between thousands: {number}")
NO_SIGN = gettext_noop("Numbers must be above zero. Leave out the sign.")
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


def parse_score(text: str) -> float:
    """The positive number that `text` stands for, from `SMALLEST` to `LARGEST`.

    Accepted: `12`, `0.5`, `.5`, `0,5`, `1/3`, `2 1/2`, `2½`, digits of any script, blanks around.
    A comma before exactly three digits could mean two things and is refused, as are marks between
    thousands; the message shows how to write it.

    Raises:
        NotAScore: with a message that says what was wrong and what is wanted.
    """
    score = exact_score(text)
    if score < Fraction(str(SMALLEST)):
        raise NotAScore(TOO_SMALL)
    if score > Fraction(str(LARGEST)):
        raise NotAScore(TOO_LARGE)
    return float(score)


def exact_score(text: str) -> Fraction:
    """The number that `text` stands for, as it was meant: 1/3 and 0.1 are no doubles.

    Accepts what `parse_score` accepts, and numbers beyond its bounds.
    """
    if len(text) > LONGEST:
        raise NotAScore(TOO_LONG, most=str(LONGEST))
    plain = "".join(map(_plain, text)).strip()
    if not plain:
        raise NotAScore(WANTED)
    if parts := _COMMA_AND_THREE.fullmatch(plain):
        raise _two_spellings(plain, *parts.groups())
    number = _NUMBER.fullmatch(plain)
    if not number or (number["under"] is not None and int(number["under"]) == 0):
        raise _refusal(text.strip(), plain)
    value = _exact(number)
    if value == 0:
        raise NotAScore(ZERO)
    return value


def _two_spellings(plain: str, before: str, after: str) -> NotAScore:
    """How to write a number with a comma before exactly three digits, if there can be thousands."""
    if before.startswith("0") or len(before) > THOUSANDS:
        return NotAScore(WITH_A_POINT, number=f"{before}.{after}")
    return NotAScore(
        TWO_MEANINGS, typed=plain, thousands=f"{before}{after}", decimal=f"{before}.{after}"
    )


def _refusal(typed: str, plain: str) -> NotAScore:
    """What is wrong with a text that is no positive number."""
    if grouped := _GROUPED.fullmatch(plain):
        number = "".join(filter(str.isdigit, grouped["whole"]))
        number += f".{grouped['part']}" if grouped["part"] else ""
        return NotAScore(WITHOUT_MARKS, number=number)
    if plain.startswith("-") and _NUMBER.fullmatch(plain[1:].strip()):
        return NotAScore(NO_SIGN)
    number = plain.rstrip("".join(set(filter(str.isalpha, plain)))).strip()
    if number != plain and _NUMBER.fullmatch(number):
        return NotAScore(NUMBER_ALONE, number=number)
    return NotAScore(NO_NUMBER, typed=typed)


def _exact(number: re.Match[str]) -> Fraction:
    if number["decimal"] is not None:
        return Fraction(number["decimal"].replace(",", ".").removesuffix("."))
    return int(number["whole"] or 0) + Fraction(int(number["over"]), int(number["under"]))
