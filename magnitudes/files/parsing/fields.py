"""Single values in a line: identifiers and numbers."""

from __future__ import annotations  # which would load NumPy

import math
import re
from typing import TYPE_CHECKING

from magnitudes.files.errors import Place, shown
from magnitudes.files.lazy import np

if TYPE_CHECKING:
    import numpy.typing as npt

# What bytes.split() takes for blanks: no identifier may hold one, or no run could name it.
_BLANKS = " \t\n\r\v\f"
_IDENTIFIER = re.compile(f"[^{_BLANKS}]+")
_REAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,12}", re.ASCII)
LARGEST_RANK = 2**31 - 1
LONGEST_ID = 255  # characters
# The shape of BCP 47, as `en`, `pt-BR` or `zh-Hans`; which subtags exist is not looked up.
LANGUAGE = re.compile(r"\A[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*\Z")
LONGEST_LANGUAGE = 35
# What lies beyond says nothing about relevance, and would make every formula guard against it.
SMALLEST_MAGNITUDE, LARGEST_MAGNITUDE = 1e-9, 1e12
BOUNDS = "from 1e-9 to 1e12"
_WANTED_LABEL = f"0, or a number {BOUNDS}, perhaps negative"
# What cannot stand in a page or a plot: control characters, ends of line to some, no characters.
UNPRINTABLE = "[\x01-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]"


def is_identifier(text: str) -> bool:
    """Whether `text` can stand as a column of a run or of qrels."""
    return _IDENTIFIER.fullmatch(text) is not None


def identifier(text: str, what: str, place: Place) -> str:
    """The id of a topic, a document or a run; BadFile if empty, too long or with a blank in it."""
    text = text.strip(_BLANKS)
    if not text:
        raise place.bad(f"the {what} is empty", "an id")
    refuse_long(text, what, place)
    if not is_identifier(text):
        raise place.bad(f"a blank in the {what} {shown(text)}", "an id without blanks")
    return text


def refuse_long(text: str, what: str, place: Place, longest: int = LONGEST_ID) -> None:
    """BadFile for an id or a name with more than so many characters."""
    if len(text) > longest:
        problem = f"the {what} {shown(text)} has {len(text):,} characters"
        raise place.bad(problem, f"at most {longest}")


def is_language(text: str) -> bool:
    """Whether `text` has the shape of a language tag."""
    return len(text) <= LONGEST_LANGUAGE and LANGUAGE.fullmatch(text) is not None


def language(text: str, place: Place) -> str:
    """A language tag, or nothing; BadFile for any other text."""
    text = text.strip()
    if text and not is_language(text):
        raise place.bad(f"the language {shown(text)}", "a language tag, as en or pt-BR, or nothing")
    return text


def is_number(text: str) -> bool:
    """Whether `text` is a finite number in decimal or exponent form."""
    return _REAL.fullmatch(text) is not None and math.isfinite(float(text))


def real(text: str, what: str, place: Place) -> float:
    """A finite number in decimal or exponent form; BadFile for all else, NaN and infinity too."""
    if not is_number(text):
        wanted = f"a finite number{_with_a_point(text)}"
        raise place.bad(f"the {what} {shown(text)} is not a number", wanted)
    return float(text)


def _with_a_point(text: str) -> str:
    return ", with a point before its decimals" if "," in text else ""


def label_number(text: str, place: Place) -> float:
    """A label: 0, or a number within the bounds of magnitudes, perhaps negative; else BadFile."""
    value = real(text, "label", place)
    if not are_labels(np.array([value])):
        raise place.bad(f"the label {shown(text)}", _WANTED_LABEL)
    return value


def are_labels(numbers: npt.NDArray[np.float64]) -> bool:
    """Whether all of these are numbers that `label_number` takes."""
    sizes = np.abs(numbers)
    within = (sizes >= SMALLEST_MAGNITUDE) & (sizes <= LARGEST_MAGNITUDE)
    return bool((within | (sizes == 0)).all())


def is_magnitude(text: str) -> bool:
    """Whether `text` is a positive number within the bounds that a person's score has."""
    return is_number(text) and SMALLEST_MAGNITUDE <= float(text) <= LARGEST_MAGNITUDE


def magnitude(text: str, what: str, place: Place) -> float:
    """A number that `is_magnitude` accepts; BadFile for any other text."""
    if not is_magnitude(text):
        wanted = f"a number {BOUNDS}{_with_a_point(text)}, or nothing"
        raise place.bad(f"the {what} {shown(text)}", wanted)
    return float(text)


def whole_number(text: str, what: str, place: Place) -> int:
    """A whole number, zero or more, of at most twelve digits; else BadFile."""
    if not _WHOLE.fullmatch(text) or int(text) < 0:
        raise place.bad(f"the {what} {shown(text)}", "a whole number of at most twelve digits")
    return int(text)


def rank_number(text: str, place: Place) -> int:
    """The rank field of a run: a whole number, zero or more; else BadFile."""
    value = int(text) if _WHOLE.fullmatch(text) else -1
    if not 0 <= value <= LARGEST_RANK:
        raise place.bad(f"the rank {shown(text)}", f"a whole number from 0 to {LARGEST_RANK}")
    return value
