"""Cells of a table as a paper prints them: a column's numbers with the same decimals."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

from evaluation.cache.cells import cell, cut, is_numeric

FIGURES = 3  # significant ones, of the column's median
MOST_DECIMALS = 4  # of a column whose values are smaller than this at the median
SMALL = 0.01
Limits = Sequence[float]  # the least and the most that a value can be


def texts_of(
    values: Sequence[Any], limits: Limits | None = None, *, is_p: bool = False
) -> list[str]:
    """A column of a kept table: numbers, cut at limits and marked where they are, or texts."""
    if not is_numeric(values):
        return [_text(value) for value in values]
    known = [value for value in values if value is not None]
    decimals = FIGURES if is_p and known else _decimals(known)
    return [
        cut(value, limits, decimals)
        if limits and value is not None and not limits[0] <= value <= limits[1]
        else _number(value, decimals, is_p)
        for value in values
    ]


def _text(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.{FIGURES}g}" if isinstance(value, float) else str(value)
    return " ".join(cell(value).split())


def _decimals(values: Sequence[float]) -> int:
    """So many that the median of what is not 0 has two significant figures or three."""
    sizes = [abs(value) for value in values if value]
    if all(float(size).is_integer() for size in sizes):
        return 0
    median = statistics.median(sizes)
    wanted = FIGURES - 1 - math.floor(math.log10(median))
    return min(max(wanted, 0), MOST_DECIMALS if median < SMALL else FIGURES)


def _number(value: float | None, decimals: int, is_p: bool) -> str:
    if value is None:
        return cell(value)
    least = 10.0**-decimals
    if decimals and (is_p or value) and abs(value) < least / 2:
        return f"< {least:.{decimals}f}" if value >= 0 else f"> -{least:.{decimals}f}"
    return f"{value:,.{decimals}f}"
