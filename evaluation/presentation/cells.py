"""How the cells of a table are written on pages and in print: a column with as many decimals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.presentation.column_labels import is_p_value
from evaluation.presentation.parts import CUT_MARK, LEAST_P
from magnitudes.measures.names import short

Part = dict[str, Any]  # a figure or table as it is kept
DIGITS = 3  # of the largest number of a column
MAX_DECIMALS = 4  # decimals
LEAST_DIGITS = 2  # of the small ones
SMALL = 0.1  # the share of a column's numbers that may have fewer
NO_EXPONENT = 1e9  # below it


def numeric(part: Part) -> list[bool]:
    """Which columns hold numbers alone."""
    columns = range(len(part["columns"]))
    return [is_numeric(row[column] for row in part["rows"]) for column in columns]


def is_numeric(values: Iterable[Any]) -> bool:
    """Whether a column has numbers alone."""
    return all(
        isinstance(value, int | float | None) and not isinstance(value, bool) for value in values
    )


def decimals(part: Part) -> list[int]:
    """How many decimals the numbers of each column have, so that their points stand in a line."""
    columns = range(len(part["columns"]))
    return [
        decimals_of(row[column] for row in part["rows"] if isinstance(row[column], float))
        for column in columns
    ]


def decimals_of(values: Iterable[float]) -> int:
    """As many as show three digits of the largest number, and two of nearly all small ones.

    >>> decimals_of([0.5572, 12.33]), decimals_of([0.7, 0.42]), decimals_of([3.0, 20.0])
    (2, 3, 0)
    """
    sizes = np.abs([value for value in values if value])
    if not sizes.size or (sizes == sizes.round()).all():
        return 0
    largest, small = sizes.max(), np.quantile(sizes, SMALL, method="lower")
    wanted = max(_decimals(largest, DIGITS), _decimals(small, LEAST_DIGITS))
    return min(max(wanted, 0), MAX_DECIMALS)


def _decimals(value: float, digits: int) -> int:
    return digits - 1 - math.floor(math.log10(value))


def cell(value: Any, decimals: int | None = None, *, is_p: bool = False) -> str:
    """A value for reading; a dash where there is none.

    decimals: those of its column; without them a number has three digits. is_p: it is the p of a
    test, which is never 0.
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return short(str(value))
    if is_p and value < LEAST_P:
        return f"< {LEAST_P}"
    return _real(value, decimals_of([value]) if decimals is None else decimals)


def _real(value: float, decimals: int) -> str:
    """With an exponent where nothing would be left without, or where there are too many digits."""
    lost = value and round(value, decimals) == 0
    if lost or abs(value) >= NO_EXPONENT:
        return f"{value:.{LEAST_DIGITS}g}"
    return f"{value:,.{decimals}f}"


def texts(row: Sequence[Any], part: Part, decimals: Sequence[int]) -> list[str]:
    """A row of a part as it is read; decimals: of each column."""
    limits: Mapping[str, Sequence[float]] = part.get("limits", {})
    return [
        cut(value, limits[column], places)
        if column in limits
        else cell(value, places, is_p=is_p_value(part, column))
        for value, column, places in zip(row, part["columns"], decimals, strict=True)
    ]


def cut(value: Any, limits: Sequence[float], decimals: int | None = None) -> str:
    """An end of an interval for reading, cut at the least or the most that is possible, and marked.

    >>> cut(1.12, (-1, 1), 3), cut(0.593, (-1, 1), 3)
    ('†1.000', '0.593')
    """
    if not isinstance(value, float) or limits[0] <= value <= limits[1]:
        return cell(value, decimals)
    end = float(limits[0] if value < limits[0] else limits[1])
    return f"{CUT_MARK}{cell(end, decimals)}"
