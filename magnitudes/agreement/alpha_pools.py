"""Which values alpha is of: those that count, brought together by stratum, item and judge."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from magnitudes.agreement import AgreementError
from magnitudes.agreement.alpha_sums import LEVELS, Floats, Ids, Level, Sums
from magnitudes.scaling.groups import validate_codes, validate_values


@dataclass(frozen=True, eq=False)
class Pool:
    """The values of one stratum, item by item, those of one judge of an item side by side.

    places: (n,), where each stands among all that were given; values: (n,), as the level compares
    them; counts: (items,), m of each; groups: (groups,), where the values of each judge of an item
    begin.
    """

    level: Level
    places: Ids
    values: Floats
    counts: Ids
    groups: Ids

    @cached_property
    def starts(self) -> Ids:
        """(items,), where each item begins."""
        return np.cumsum(self.counts) - self.counts

    @cached_property
    def group_sizes(self) -> Ids:
        return np.diff(self.groups, append=len(self.values))

    @property
    def repeats(self) -> bool:
        """Whether a judge gave several values to an item."""
        return bool((self.group_sizes > 1).any())

    @cached_property
    def own_pairs(self) -> Ids:
        """(items,), ordered pairs of an item's values of one judge, each with itself included."""
        return np.add.reduceat(self.group_sizes**2, np.searchsorted(self.groups, self.starts))

    @cached_property
    def factors(self) -> Floats:
        """(items,), what Σ δ² of an item's pairs of different judges counts times: m a pair."""
        return self.counts / (self.counts**2 - self.own_pairs)

    @property
    def pairs(self) -> int:
        """How many ordered pairs the expected disagreement is the mean of."""
        return int(len(self.values) ** 2 - self.own_pairs.sum())

    @cached_property
    def sums(self) -> Sums:
        return self.level.sums(self.values, self.starts)

    @cached_property
    def own(self) -> Floats:
        """(items,), Σ δ² of the pairs of values that one judge gave to the item."""
        return self.own_of(self.values)

    def own_of(self, values: Floats) -> Floats:
        """`own`, of other values in the same places."""
        own = np.zeros(len(self.counts))
        if self.repeats:
            repeated = self.group_sizes > 1
            sizes = self.group_sizes[repeated]
            chosen = values[np.repeat(repeated, self.group_sizes)]
            items = np.searchsorted(self.starts, self.groups[repeated], side="right") - 1
            within = self.level.within(chosen, np.cumsum(sizes) - sizes)
            own += np.bincount(items, within, len(own))
        return own

    @property
    def observed(self) -> float:
        """Σ of m times the mean δ² of an item's pairs of different judges."""
        return float((self.factors * (self.sums.within - self.own)).sum())

    @property
    def expected(self) -> float:
        """n times the mean δ² of all pairs, but for those of one judge's values of an item."""
        across = self.sums.across(self.counts) - float(self.own.sum())
        return len(self.values) * across / self.pairs


def pools(
    values: ArrayLike,
    items: ArrayLike,
    level: str,
    first: int | None,
    judges: ArrayLike | None,
    strata: ArrayLike | None,
) -> list[Pool]:
    """A pool for each stratum that has two items with values of two judges.

    Raises:
        AgreementError, ScalingError: as `alpha.krippendorff_alpha`.
    """
    if level not in LEVELS:
        raise AgreementError(f"unknown level {level!r}; there are {', '.join(LEVELS)}")
    if first is not None and first < 1:
        raise AgreementError(f"at least the first value of an item must count, not {first}")
    numbers = validate_values(values, positive=level == "ratio")
    n, highest = len(numbers), np.iinfo(np.int64).max
    item = validate_codes(items, n, highest)
    judge = np.arange(n) if judges is None else validate_codes(judges, n, highest, "judges")
    stratum = _strata_of(item, strata)
    places = _counted(item, judge, first)
    order = places[np.lexsort((places, judge[places], item[places], stratum[places]))]
    cuts = np.flatnonzero(np.diff(stratum[order])) + 1
    parts = np.split(order, cuts) if len(order) else []
    found = LEVELS[level]
    if not found.by_ranks:  # ranks are those within a stratum
        numbers[order] = found.prepare(numbers[order])
    return list(_with_two_items(found, numbers, item, judge, parts))


def _strata_of(items: Ids, strata: ArrayLike | None) -> Ids:
    if strata is None:
        return np.zeros(len(items), dtype=np.int64)
    codes = validate_codes(strata, len(items), np.iinfo(np.int64).max, "strata")
    pairs = np.unique(np.stack([items, codes]), axis=1)[0]
    if len(pairs) and (twice := pairs[1:][np.diff(pairs) == 0]).size:
        raise AgreementError(f"strata: item {twice[0]} is in two; expected one for each item")
    return codes


def _counted(items: Ids, judges: Ids, first: int | None) -> Ids:
    """The places of values that count: the first of each item that two judges gave values to."""
    order = np.argsort(items, kind="stable")
    _, starts, sizes = np.unique(items[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    counted = order[place < (first or len(order))]
    if not len(counted):
        return counted
    _, of, sizes = np.unique(items[counted], return_inverse=True, return_counts=True)
    one_judge = np.full(len(sizes), True)
    firsts = judges[counted][np.cumsum(sizes) - sizes]
    np.logical_and.at(one_judge, of, judges[counted] == firsts[of])
    result: Ids = counted[~one_judge[of]]
    return result


def _with_two_items(
    level: Level, numbers: Floats, items: Ids, judges: Ids, parts: list[Ids]
) -> Iterator[Pool]:
    for places in parts:
        item, judge = items[places], judges[places]
        new_item = np.flatnonzero(np.diff(item, prepend=-1))
        if len(new_item) > 1:
            new_judge = np.diff(judge, prepend=-1) != 0
            groups = np.flatnonzero(new_judge | (np.diff(item, prepend=-1) != 0))
            counts = np.diff(new_item, append=len(places))
            values = level.prepare(numbers[places]) if level.by_ranks else numbers[places]
            yield Pool(level, places, values, counts, groups)
