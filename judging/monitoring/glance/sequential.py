"""Looking at each of many a few times while the numbers grow, with one chance of a false alarm.

Each of them has observations that failed or not, in the order in which they came. When the first
10, 20, 40 and 80 are there, these are held against the observations of all others by Fisher's exact
test, one-sided. An alarm is what is less likely than the family's chance over the number of looks
at all of them (Bonferroni), and at least twice as frequent as among the others.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

TIMES = 2  # at least so many times as often as among the others


class Alarm(NamedTuple):
    """What was found at a look: x of the first n failed, and x of n of all others."""

    x: int
    n: int
    others_x: int
    others_n: int
    chance: float


def alarms(
    failed: Mapping[int, NDArray[np.bool_]], *, of: int, looks: Sequence[int], family: float
) -> dict[int, Alarm]:
    """Those that fail far more often than the others, by key: each with its least likely look.

    failed: observations of each that has some, in their order; of: how many there are to look at.
    An alarm ends when what came since is not twice as frequent as among the others any more.
    """
    limit = family / (max(1, of) * len(looks))
    counts = {key: (int(seen.sum()), len(seen)) for key, seen in failed.items()}
    x, n = np.array(list(counts.values()), dtype=np.int64).reshape(-1, 2).sum(axis=0).tolist()
    found = {}
    for key, seen in failed.items():
        others = (x - counts[key][0], n - counts[key][1])
        if not _is_often(*counts[key], *others):
            continue
        at_looks = [_look(seen[:k], *others) for k in looks if k <= len(seen)]
        least = min(at_looks, key=_chance, default=None)
        if least and least.chance < limit:
            found[key] = least
    return found


def _chance(alarm: Alarm) -> float:
    return alarm.chance


def _is_often(x: int, n: int, others_x: int, others_n: int) -> bool:
    """Whether x of n is at least twice as often as among the others."""
    return others_n > 0 and x > 0 and x * others_n >= TIMES * others_x * n


def _look(first: NDArray[np.bool_], others_x: int, others_n: int) -> Alarm:
    """One look: Fisher's exact upper tail; nothing is unlikely that is not twice as often."""
    x, n = int(first.sum()), len(first)
    if not _is_often(x, n, others_x, others_n):
        return Alarm(x, n, others_x, others_n, 1.0)
    chance = hypergeom.sf(x - 1, n + others_n, x + others_x, n)
    return Alarm(x, n, others_x, others_n, float(chance))
