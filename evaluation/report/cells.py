"""Cells of a table as a paper prints them: a column's numbers with the same decimals."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.cache import tex
from evaluation.cache.cells import cut
from evaluation.report.widths import ems, widest

FIGURES = 3  # significant ones, of the column's median
MOST_DECIMALS = 4  # of a column whose values are smaller than this at the median
SMALL = 0.01
LONGEST = 28  # letters of a text that is not broken into lines
NOTHING = "–"
Limits = Sequence[float]  # the least and the most that a value can be
SIGN = 0.564  # em, that of minus
SEPARATOR = 0.25
DIGIT = 0.5


@dataclass(frozen=True)
class Cells:
    """One column. texts: for reading. places: digits before and after the point; None: texts."""

    texts: list[str]
    places: tuple[int, int] | None = None
    is_negative: bool = False

    @property
    def is_number(self) -> bool:
        return self.places is not None

    @property
    def wraps(self) -> bool:
        """Whether it is a column of texts that are broken into lines."""
        return not self.is_number and max(map(len, self.texts), default=0) > LONGEST

    @property
    def ems(self) -> float:
        """Its width; of one that wraps that of its longest word."""
        if self.wraps:
            return widest(word for text in self.texts for word in text.split())
        if self.places is None:
            return widest(self.texts)
        whole, decimals = self.places
        width = whole * DIGIT + (whole - 1) // 3 * SEPARATOR + self.is_negative * SIGN
        width += decimals and SEPARATOR + decimals * DIGIT
        return max(width, widest(text for text in self.texts if not _is_plain(text)))

    @property
    def all_ems(self) -> float:
        """Its width where nothing is broken."""
        return widest(self.texts) if self.wraps else self.ems

    @property
    def set(self) -> list[str]:
        """The cells as TeX has them: in a column of numbers all else stands in braces."""
        if not self.is_number:
            return [tex.escaped(text) for text in self.texts]
        return [
            text.replace(",", "") if _is_plain(text) else f"{{{tex.escaped(text)}}}"
            for text in self.texts
        ]


def cells_of(values: Sequence[Any], limits: Limits | None = None, *, is_p: bool = False) -> Cells:
    """A column of a kept table: numbers, cut at limits and marked where they are, or texts."""
    if all(isinstance(value, int | float | None) for value in values) and not any(
        isinstance(value, bool) for value in values
    ):
        return _numbers(list(values), is_p, limits)
    return Cells([_text(value) for value in values])


def _text(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{FIGURES}g}" if isinstance(value, float) else " ".join(str(value).split())


def _numbers(values: Sequence[float | None], is_p: bool, limits: Limits | None) -> Cells:
    known = [value for value in values if value is not None]
    decimals = FIGURES if is_p and known else _decimals(known)
    least = 10.0**-decimals
    texts = [
        cut(value, limits, decimals)
        if limits and _is_beyond(value, limits)
        else _written(value, decimals, least, is_p)
        for value in values
    ]
    plain = [text for text in texts if _is_plain(text)]
    before = max(
        (len(text.lstrip("-").split(".")[0].replace(",", "")) for text in plain), default=1
    )
    return Cells(texts, (before, decimals), any(text.startswith("-") for text in plain))


def _is_beyond(value: float | None, limits: Limits) -> bool:
    return value is not None and not limits[0] <= value <= limits[1]


def _decimals(values: Sequence[float]) -> int:
    """So many that the median of what is not 0 has two significant figures or three."""
    sizes = [abs(value) for value in values if value]
    if all(float(size).is_integer() for size in sizes):
        return 0
    median = statistics.median(sizes)
    wanted = FIGURES - 1 - math.floor(math.log10(median))
    return min(max(wanted, 0), MOST_DECIMALS if median < SMALL else FIGURES)


def _written(value: float | None, decimals: int, least: float, is_p: bool) -> str:
    if value is None:
        return NOTHING
    if decimals and (is_p or value) and abs(value) < least / 2:
        return f"< {least:.{decimals}f}" if value >= 0 else f"> -{least:.{decimals}f}"
    return f"{value:,.{decimals}f}"


def _is_plain(text: str) -> bool:
    return bool(text) and text[-1].isdigit() and text[0] in "-0123456789"


def broken(text: str, room: float) -> list[str]:
    """A head in lines that are no wider than a room in em, where its words allow it."""
    lines: list[str] = []
    for word in text.split():
        if lines and ems(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]
