"""Scales: how files write the levels of labels, by name, by value, or as numbers to be cut."""

from __future__ import annotations  # which would load NumPy

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from magnitudes.files.errors import Place, shown
from magnitudes.files.lazy import np
from magnitudes.files.parsing.fields import BOUNDS, is_magnitude, is_number, magnitude
from magnitudes.files.words import count

if TYPE_CHECKING:
    import numpy.typing as npt

MISSING = -1
HIGHEST = 100  # level of a scale without names
_NO_ZERO = f"a number {BOUNDS}, or --zero with what to read it as"


class BadScale(ValueError):
    """Names and values of levels that do not go together."""


class Scale:
    """How files write the levels of a scale: by name or by value.

    levels: their names, lowest first, different ones. values: how else files write them; the names
    where all are numbers, else 0, 1, 2 and so on, if none are given. missing: the labels that stand
    for no level, every other label being a fault; None: whatever is no level is missing.

    Names compare without case, numbers by what they are worth: 1.0 is 1.

    columns: what a label's column may be called beside the names in `FIELDS`, and before these.
    has_groups: whether files have a column that says which scores are on one scale.

    Raises:
        BadScale: as many values as levels are wanted, each for one level, and none missing; names
            that are all numbers ascend.
    """

    columns: tuple[str, ...] = ()
    has_groups = False

    def __init__(
        self,
        levels: Sequence[str],
        values: Sequence[str] = (),
        missing: Iterable[str] | None = None,
    ) -> None:
        if not values:
            numbers = all(is_number(name.strip()) for name in levels)
            values = levels if numbers else [str(place) for place in range(len(levels))]
        if len(values) != len(levels):
            raise BadScale(
                f"{count(len(values), 'value')}; expected {len(levels)}, one for each level"
            )
        self._level_of: dict[str, int] = {}
        for texts in (levels, values):
            for level, text in enumerate(texts):
                if self._level_of.setdefault(_canonical(text), level) != level:
                    raise BadScale(
                        f"{shown(text)} stands for two levels; expected different names and values"
                    )
        if fault := out_of_order(levels):
            raise BadScale(fault)
        written = {_canonical(text): text.strip() for text in missing or ()}
        self._missing = None if missing is None else written.keys()
        if both := written.keys() & self._level_of.keys():
            raise BadScale(f"{shown(min(both))} is a level; expected other labels as missing")
        self._wanted = f"one of {', '.join(dict.fromkeys([*levels, *values]))}"
        if self._missing is not None:
            self._wanted += f"; or, for none, {', '.join(sorted(written.values()))}"
        self.size = len(levels)

    def level_of(self, text: str, place: Place, *, strict: bool = True) -> int:
        """The level of a label; -1 for none. BadFile for what should be neither, if `strict`."""
        label = _canonical(text)
        level = self._level_of.get(label, MISSING)
        if strict and level == MISSING and self._missing is not None and label not in self._missing:
            raise place.bad(f"the label {shown(text)}", self._wanted)
        return level


class PositiveNumbers(Scale):
    """Labels that are positive numbers within the bounds of a score, still to be cut into levels.

    What stands for a level is a place in `values`, the numbers by first appearance. An empty label
    is missing. They are read from a column `normalised`, as exported magnitudes have it, before one
    that is known by another name than `label`.
    """

    columns: tuple[str, ...] = ("normalised",)

    def __init__(self) -> None:
        super().__init__(())
        self._places: dict[float, int] = {}

    @property
    def values(self) -> list[float]:
        return list(self._places)

    def level_of(self, text: str, place: Place, *, strict: bool = True) -> int:
        text = text.strip()
        if not text or not (strict or is_magnitude(text)):
            return MISSING
        return self._places.setdefault(magnitude(text, "label", place), len(self._places))


class Magnitudes(PositiveNumbers):
    """Scores that are positive numbers within their bounds, on the scale of whoever gave them.

    zero: what a 0, such as a slider may give, is read as; None: a 0 is a fault, as it has no ratio
    to other scores. missing: texts that stand for no score; nothing does always. has_groups:
    whether a column says which scores are on one scale.

    Raises:
        BadScale: `zero` is no magnitude; one of `missing` is a score.
    """

    columns = ()

    def __init__(
        self, zero: float | None = None, missing: Iterable[str] = (), *, has_groups: bool = True
    ) -> None:
        super().__init__()
        if zero is not None and not is_magnitude(repr(zero)):
            raise BadScale(f"0 cannot be read as {zero:g}; expected a number {BOUNDS}")
        self._zero = zero
        self._none = {text.strip() for text in missing}
        if scores := [text for text in sorted(self._none) if is_magnitude(text)]:
            raise BadScale(f"{shown(scores[0])} is a score; expected other texts as missing")
        self.has_groups = has_groups
        self._zeros = 0

    def level_of(self, text: str, place: Place, *, strict: bool = True) -> int:
        text = text.strip()
        if text in self._none:
            return MISSING
        if is_number(text) and float(text) == 0:
            if self._zero is None:
                raise place.bad("the score 0, which has no ratio to others", _NO_ZERO)
            self._zeros += 1
            text = repr(self._zero)
        return super().level_of(text, place, strict=strict)

    def numbers_of(self, levels: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The scores that `level_of` has given places to, NaN where there is none.

        Raises:
            BadScale: a 0 is read as more than another score.
        """
        numbers = np.array([*self.values, np.nan])[levels]
        others = [value for value in self.values if value != self._zero]
        if self._zero is not None and self._zeros and others and min(others) < self._zero:
            raise BadScale(
                f"0 would be read as {self._zero:g}, and so be more than the score "
                f"{min(others):g}; expected at most that"
            )
        return numbers


class WholeNumbers(Scale):
    """Levels written as 0, 1, 2 and so on; `size` goes up to the highest that was read.

    An empty label is missing.
    """

    def __init__(self) -> None:
        super().__init__([str(level) for level in range(HIGHEST + 1)], missing=[""])
        self._wanted = f"a whole number from 0 to {HIGHEST}, or nothing"
        self.size = 0

    def level_of(self, text: str, place: Place, *, strict: bool = True) -> int:
        level = super().level_of(text, place, strict=strict)
        self.size = max(self.size, level + 1)
        return level


def out_of_order(levels: Sequence[str]) -> str:
    """What is wrong with names of levels that are all numbers, but do not ascend; "" if nothing is.

    >>> out_of_order(["2", "1", "0"])
    'level 2 stands before level 1; expected the lowest first, as all are numbers'
    >>> out_of_order(["none", "1", "0"])
    ''
    """
    names = [name.strip() for name in levels]
    if all(map(is_number, names)):
        for name, after in pairwise(names):
            if float(name) > float(after):
                return (
                    f"level {name} stands before level {after}; expected the lowest first, as all "
                    "are numbers"
                )
    return ""


def _canonical(text: str) -> str:
    text = text.strip()
    return repr(float(text) + 0.0) if is_number(text) else text.casefold()
