"""Interim tests of each of many groups while the numbers grow, at one familywise level.

Each group has observations that failed or not, in the order in which they came. When the first
10, 20, 40 and 80 are there, these are compared with the observations of all others by Fisher's
exact test, one-sided. An alarm is less likely than alpha over the number of all interim tests
(Bonferroni), and at least twice as frequent as among the others.
"""

from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MIN_RATIO = 2  # at least so many times as often as among the others


class Alarm(NamedTuple):
    """The result of an interim test: x of the first n failed, and x of n of all others."""

    x: int
    n: int
    others_x: int
    others_n: int
    chance: float


def alarms(
    failed: Mapping[int, NDArray[np.bool_]], *, n_groups: int, sizes: Sequence[int], alpha: float
) -> dict[int, Alarm]:
    """By key, the groups that fail far more often than the others, with their least likely test.

    failed: observations, in their order, of each group that has some; n_groups: how many there are.
    An alarm ends when what came since is not twice as frequent as among the others any more.
    """
    limit = alpha / (max(1, n_groups) * len(sizes))
    counts = {key: (int(seen.sum()), len(seen)) for key, seen in failed.items()}
    x, n = np.array(list(counts.values()), dtype=np.int64).reshape(-1, 2).sum(axis=0).tolist()
    by_key = {}
    for key, seen in failed.items():
        others = (x - counts[key][0], n - counts[key][1])
        if not _is_often(*counts[key], *others):
            continue
        interim = [_interim_test(seen[:k], *others) for k in sizes if k <= len(seen)]
        unlikeliest = min(interim, key=lambda test: test.chance, default=None)
        if unlikeliest and unlikeliest.chance < limit:
            by_key[key] = unlikeliest
    return by_key


def _is_often(x: int, n: int, others_x: int, others_n: int) -> bool:
    return others_n > 0 and x > 0 and x * others_n >= MIN_RATIO * others_x * n


def _interim_test(first: NDArray[np.bool_], others_x: int, others_n: int) -> Alarm:
    x, n = int(first.sum()), len(first)
    if not _is_often(x, n, others_x, others_n):
        return Alarm(x, n, others_x, others_n, 1.0)
    return Alarm(x, n, others_x, others_n, _chance(x, n, x + others_x, n + others_n))


def _chance(x: int, n: int, all_x: int, all_n: int) -> float:
    """That x or more of n drawn from all_n are among the all_x that failed."""
    drawn = range(x, min(n, all_x) + 1)
    return sum(comb(all_x, i) * comb(all_n - all_x, n - i) for i in drawn) / comb(all_n, n)
