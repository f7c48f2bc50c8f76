"""Single values in a line: identifiers and numbers."""

import math
import re

from trec.errors import Place, shown

# What bytes.split() takes for blanks: no identifier may hold one, or no run could name it.
_BLANKS = " \t\n\r\v\f"
_IDENTIFIER = re.compile(f"[^{_BLANKS}]+")
_REAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,12}", re.ASCII)
LARGEST_RANK = 2**31 - 1
LONGEST_ID = 255
# What cannot stand in a page or a plot: control characters, ends of line to some, no characters.
UNPRINTABLE = "[\x01-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]"


def is_identifier(text: str) -> bool:
    """Whether `text` can stand as a column of a run or of qrels."""
    return _IDENTIFIER.fullmatch(text) is not None


def identifier(text: str, what: str, place: Place) -> str:
    """The id of a topic, a document or a run; BadFile if empty or with a blank in it."""
    text = text.strip(_BLANKS)
    if not text:
        raise place.bad(f"the {what} is empty", "an id")
    if not is_identifier(text):
        raise place.bad(f"a blank in the {what} {shown(text)}", "an id without blanks")
    return text


def is_number(text: str) -> bool:
    """Whether `text` is a finite number in decimal or exponent form."""
    return _REAL.fullmatch(text) is not None and math.isfinite(float(text))


def real(text: str, what: str, place: Place) -> float:
    """A finite number in decimal or exponent form; BadFile for all else, NaN and infinity too."""
    if not is_number(text):
        raise place.bad(f"the {what} {shown(text)} is not a number", "a finite number")
    return float(text)


def rank_number(text: str, place: Place) -> int:
    """The rank field of a run: a whole number, zero or more; else BadFile."""
    value = int(text) if _WHOLE.fullmatch(text) else -1
    if not 0 <= value <= LARGEST_RANK:
        raise place.bad(f"the rank {shown(text)}", f"a whole number from 0 to {LARGEST_RANK}")
    return value
