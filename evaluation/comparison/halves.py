"""The judges of a topic in two halves, as if two smaller crowds had judged it.

How far the values by the two halves lie apart says how much hangs on who judged. Half samples are
right for medians too, where leaving out one score at a time is not (Efron, The jackknife, the
bootstrap and other resampling plans, SIAM 1982, chapter 3; half samples are McCarthy's, Review of
the International Statistical Institute 37(3), 1969).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.comparison import ComparisonError
from evaluation.comparison.drawing import Ids
from evaluation.scaling.aggregation import aggregate

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Halves(NamedTuple):
    """Gains by each half, (size, draws), and what their difference has to be scaled by.

    A document that one half did not see has the gain of all its scores in both. `scale` times the
    variance of first - second is the variance of what all judges give: n₁ n₂ / n², in the mean of
    documents with two scores or more; NaN where there is none.
    """

    first: Floats
    second: Floats
    scale: float


def whole_judges(judges: ArrayLike, documents: ArrayLike, rng: np.random.Generator) -> Mask:
    """Deal judges into two halves that have about as many scores of every document.

    Judges come in a random order; each joins the half that has seen fewer of the documents that
    they judged, or either by chance.

    Parameters:
        judges, documents: (n,), whole numbers from 0, of each score.

    Returns:
        (n,), whether a score is of the first half. All scores of a judge are of one half.

    >>> rng = np.random.default_rng(1)
    >>> whole_judges([0, 0, 1, 1], [0, 1, 0, 1], rng).sum()
    np.int64(2)
    """
    of, items = np.asarray(judges, dtype=np.int64), np.asarray(documents, dtype=np.int64)
    order = np.argsort(of, kind="stable")
    parts = np.split(items[order], np.flatnonzero(np.diff(of[order])) + 1)
    names = np.unique(of)
    surplus = np.zeros(items.max(initial=-1) + 1, dtype=np.int64)  # of the first half
    is_first = np.zeros(of.max(initial=-1) + 1, dtype=np.bool_)
    coins = rng.random(len(parts)) < 0.5
    for place in rng.permutation(len(names)).tolist():
        seen = parts[place]
        more = int(surplus[seen].sum())
        joins_first = bool(coins[place]) if more == 0 else more < 0
        is_first[names[place]] = joins_first
        np.add.at(surplus, seen, 1 if joins_first else -1)
    return is_first[of]


def single_scores(documents: ArrayLike, rng: np.random.Generator) -> Mask:
    """Deal the scores of every document into two halves, as if each were a judge's only one.

    Returns:
        (n,), whether a score is of the first half; of an odd number either half has one more.

    >>> single_scores([0, 0, 1, 1, 1, 1], np.random.default_rng(1)).sum()
    np.int64(3)
    """
    items = np.asarray(documents, dtype=np.int64)
    order = np.lexsort((rng.random(len(items)), items))
    starts = np.flatnonzero(np.diff(items[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(items)))
    within = np.arange(len(items)) - np.repeat(starts, sizes)
    odd = within + np.repeat(rng.integers(0, 2, len(sizes)), sizes)
    is_first = np.empty(len(items), dtype=np.bool_)
    is_first[order] = odd % 2 == 0
    return is_first


def halves(scores: ArrayLike, documents: Ids, size: int, splits: list[Mask]) -> Halves:
    """The medians of the scores of each half, for several ways to split them.

    Parameters:
        scores, documents: (n,), and of each score its document, from 0 to size - 1.
        splits: masks of the shape (n,), from `whole_judges` or `single_scores`.

    Raises:
        ComparisonError: a split of another shape, or none.
    """
    numbers = np.asarray(scores, dtype=np.float64)
    if not splits or any(split.shape != numbers.shape for split in splits):
        raise ComparisonError(f"each split must say of {len(numbers)} scores which half has them")
    every = aggregate(numbers, documents, size)
    columns, scales = [], []
    for split in splits:
        parts = [aggregate(numbers[some], documents[some], size) for some in (split, ~split)]
        divided = (parts[0].counts > 0) & (parts[1].counts > 0)
        columns.append([np.where(divided, part.values, every.values) for part in parts])
        shares = parts[0].counts[divided] / every.counts[divided]
        scales.append(shares * (1 - shares))
    first, second = (np.stack(column, axis=1) for column in zip(*columns, strict=True))
    known = np.concatenate(scales)
    return Halves(first, second, float(known.mean()) if known.size else np.nan)
