"""The judges of a topic in two halves, as if two smaller crowds had judged it.

How far the medians by the two halves lie apart says how much hangs on who judged. Half samples are
right for medians too, where leaving out one score at a time is not (Efron, The jackknife, the
bootstrap and other resampling plans, SIAM 1982, chapter 3; half samples are McCarthy's, Review of
the International Statistical Institute 37(3), 1969). A document with one score has no halves: it
has the variance that scores have within the documents that were judged more often.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.drawing import Ids, Topic
from magnitudes.comparison.recomputing import recompute
from magnitudes.comparison.variance_components import without_error
from magnitudes.measures.names import Measure
from magnitudes.scaling.aggregation import aggregate

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Within(NamedTuple):
    """How far scores of the same document lie apart: a sum of squares and its degrees of freedom.

    Each score is taken less the mean of its document; a document with n scores has n - 1 degrees of
    freedom, so that one with a single score adds nothing.
    """

    squares: float
    freedom: int

    @property
    def variance(self) -> float:
        """Of one score, NaN without a degree of freedom."""
        return self.squares / self.freedom if self.freedom else np.nan


def split_by_judge(judges: ArrayLike, documents: ArrayLike, rng: np.random.Generator) -> Mask:
    """Deal judges into two halves that have about as many scores of every document.

    Judges come in a random order; each joins the half that has seen fewer of the documents that
    they judged, or either by chance.

    Parameters:
        judges, documents: (n,), whole numbers from 0, of each score.

    Returns:
        (n,), whether a score is of the first half. All scores of a judge are of one half.

    >>> rng = np.random.default_rng(1)
    >>> split_by_judge([0, 0, 1, 1], [0, 1, 0, 1], rng).sum()
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


def split_by_score(documents: ArrayLike, rng: np.random.Generator) -> Mask:
    """Deal the scores of every document into two halves, as if each were a judge's only one.

    Returns:
        (n,), whether a score is of the first half; of an odd number either half has one more.

    >>> split_by_score([0, 0, 1, 1, 1, 1], np.random.default_rng(1)).sum()
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


def within_documents(values: ArrayLike, documents: Ids) -> Within:
    """The variance of scores within documents, pooled over those with two scores or more.

    Parameters:
        values, documents: (n,), the scores and the document of each, from 0.

    >>> within_documents([1.0, 3.0, 7.0], np.array([0, 0, 1]))
    Within(squares=2.0, freedom=1)
    """
    numbers = np.asarray(values, dtype=np.float64)
    counts = np.bincount(documents)
    means = np.bincount(documents, numbers) / np.maximum(counts, 1)
    squares = float(((numbers - means[documents]) ** 2).sum())
    return Within(squares, int(np.maximum(counts - 1, 0).sum()))


def median_variance(counts: ArrayLike) -> Floats:
    """The variance of the median of n normal scores, that of one score being 1.

    π / (2 (n + c)), where c was fitted to exact values: within 0.5% of them, and right in the
    limit. The median of an even number is the mean of the middle two.

    >>> median_variance([1, 2, 3, 10]).round(3)
    array([1.   , 0.5  , 0.45 , 0.138])
    """
    n = np.asarray(counts, dtype=np.float64)
    known = np.maximum(n, 1)
    odd, even = 0.4308 + 0.2 / known - 0.06 / known**2, 1.43 - 0.72 / known + 0.287 / known**2
    return np.asarray(np.pi / 2 / (known + np.where(n % 2 == 1, odd, even)))


def deviations(
    scores: ArrayLike,
    documents: Ids,
    size: int,
    splits: list[Mask],
    variance: float,
    rng: np.random.Generator,
) -> Floats:
    """How far the medians of other crowds, as large, might lie from those of this one.

    A document that a split divides deviates by the difference of the medians of its two halves,
    multiplied by a factor that gives it the variance of the median of all its scores: the square
    root of v(n) / (v(n₁) + v(n₂)), where v is `median_variance`. One that it does not divide, such
    as any with a single score, deviates by a normal number of the variance v(n) · `variance`.

    Parameters:
        scores, documents: (n,), on the scale on which scores scatter alike about all documents
            (logarithms of magnitudes), and of each its document, from 0 to size - 1.
        splits: masks of the shape (n,), from `split_by_judge` or `split_by_score`.
        variance: of one score within its document, see `within_documents`.

    Returns:
        (size, splits), on the scale of `scores`.

    Raises:
        ComparisonError: a split of another shape, or none.
    """
    numbers = np.asarray(scores, dtype=np.float64)
    if not splits or any(split.shape != numbers.shape for split in splits):
        raise ComparisonError(f"each split must say of {len(numbers)} scores which half has them")
    spread = median_variance(np.bincount(documents, minlength=size))
    columns = []
    for split in splits:
        parts = [aggregate(numbers[some], documents[some], size) for some in (split, ~split)]
        divided = (parts[0].counts > 0) & (parts[1].counts > 0)
        factor = np.sqrt(spread / sum(median_variance(part.counts) for part in parts))
        drawn = rng.normal(0, np.sqrt(variance * spread))
        columns.append(np.where(divided, factor * (parts[0].values - parts[1].values), drawn))
    return np.stack(columns, axis=1)


class TopicSquares(NamedTuple):
    """Of one topic: values (systems,), and their covariances (systems, systems), see `Squares`."""

    values: Floats
    whole: Floats
    single: Floats


def topic_squares(
    topic: Topic,
    judges: Ids,
    measure: Measure,
    variance: float,
    rng: np.random.Generator,
    *,
    splits: int,
    in_logs: bool = True,
) -> TopicSquares:
    """The values of all systems on a topic, and how they vary over crowds and single scores.

    Parameters:
        judges: (n,), whole numbers from 0, of each score of the topic.
        variance: of one score within its document, which documents have that no split divides.
        splits: how often the scores are divided, by judges and once more by single scores.
        in_logs: whether scores scatter alike about all documents in logs, as magnitudes do, or as
            they are, as levels do.

    Raises:
        ComparisonError: fewer than three splits.
        MeasureNameError: the measure asks for something that the topic does not have.
    """
    again = recompute(topic, measure)
    gains = topic.aggregated[:, np.newaxis]
    scores = np.log(topic.scores) if in_logs else topic.scores

    def covariance(halved: list[np.ndarray]) -> Floats:
        away = deviations(scores, topic.documents, topic.size, halved, variance, rng)
        return without_error(lambda by: again(gains * np.exp(by) if in_logs else gains + by), away)

    return TopicSquares(
        again(gains)[:, 0],
        covariance([split_by_judge(judges, topic.documents, rng) for _ in range(splits)]),
        covariance([split_by_score(topic.documents, rng) for _ in range(splits)]),
    )
