"""The top set: the best system seen, and all that do not differ from it significantly."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison.ranks import rounded
from magnitudes.comparison.signed_rank import signed_rank_p
from magnitudes.scaling.groups import ratio

LEVEL = 0.05
LEAST_TOPICS = 6  # below, no outcome of a two-sided signed-rank test has p < LEVEL


class TopSet(NamedTuple):
    """Who is in it, against whom by index, with what p; `reason` says why p is NaN, or is empty."""

    members: NDArray[np.bool_]  # (..., systems)
    best: NDArray[np.int64]  # (...), -1 where no system has a mean
    p: NDArray[np.float64]  # (..., systems)
    reason: str


def top_set(values: ArrayLike) -> TopSet:
    """The best system by its mean over topics, and all that are not significantly different.

    A system is in the top set unless a two-sided paired Wilcoxon signed-rank test over topics
    (see `signed_rank_p`) tells it from the best with p < 0.05. Maddalena, Mizzaro, Scholer and
    Turpin (ACM TOIS 35(3), 2017), section 7.2.

    Parameters:
        values: shape (..., topics, systems), a measure's values; leading axes are further
            experiments, for instance resamples. NaN is a system without a value.

    Returns:
        `members`, `best`, `p` and `reason`. Of several systems with the same best mean, rounded to
        12 digits, the first one is the best: order systems by name for an order that all know. The
        best has p = 1. With one topic there is no test: p is NaN, and as nothing can be told
        apart, every system is a member. A system without a mean is none.

    >>> result = top_set([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.7, 0.3], [0.7, 0.6, 0.1],
    ...                  [0.6, 0.5, 0.2], [0.8, 0.7, 0.3]])
    >>> result.best, result.members, result.p.round(3)
    (array(0), array([ True,  True, False]), array([1.   , 0.188, 0.031]))
    """
    table = np.asarray(values, dtype=np.float64)
    topics = table.shape[-2]
    if not topics or not table.shape[-1]:
        shape = table.shape[:-2] + table.shape[-1:]
        nobody = np.zeros(shape, dtype=np.bool_)
        best = np.full(table.shape[:-2], -1)
        return TopSet(nobody, best, np.full(shape, np.nan), "there is no value to compare")
    means = rounded(table.mean(axis=-2))
    known = ~np.isnan(means)
    best = np.where(known, means, -np.inf).argmax(axis=-1)
    of_best = np.take_along_axis(table, best[..., np.newaxis, np.newaxis], axis=-1)
    p = signed_rank_p(of_best - table)
    members = known & ~(p < LEVEL)
    reason = "" if known.all() else "a system has no value on a topic"
    if topics == 1:
        reason = "one topic cannot show a difference"
    return TopSet(members, np.where(known.any(axis=-1), best, -1), p, reason)


def overlap(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """How much of one top set is in another: |A and B| / |A|.

    Parameters:
        first: shape (..., systems), the members of A, which is the one by categories (or, in
            general, the one that the other is compared with).
        second: shape (..., systems), those of B.

    Returns:
        Shares, of the leading axes. NaN where A is empty.

    >>> overlap([True, True, False, True], [True, False, True, True]).round(3)
    np.float64(0.667)
    """
    members, other_members = np.asarray(first, dtype=np.bool_), np.asarray(second, dtype=np.bool_)
    return ratio((members & other_members).sum(axis=-1), members.sum(axis=-1))[()]
