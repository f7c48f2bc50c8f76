"""How far one number per document agrees with reference labels, for each pair of levels.

- The share of document pairs in the right order: section 6.1.2 and Figures 7 and 8, where it is of
  aggregated scores, per topic, then the mean over topics.
- Whether values rise from one level to the next, by Welch's t test, and in how many topics medians
  are out of order: section 5, Figures 3 and 4.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017).
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement import AgreementError
from magnitudes.files.lazy import scipy
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import as_compared, ratio, validate_codes

Floats = NDArray[np.float64]


class PairAgreement(NamedTuple):
    """Agreement of one topic. Row: the lower level; column: the higher one."""

    shares: Floats  # (levels, levels), NaN where there is no pair, and on and below the diagonal
    pairs: NDArray[np.int64]  # (levels, levels), 0 there
    overall: float  # of all pairs together, NaN without one
    all_pairs: int


class OverTopics(NamedTuple):
    """A mean over the topics that have a value."""

    mean: Floats
    topics: NDArray[np.int64]  # how many have one


def pair_agreement(values: ArrayLike, labels: ArrayLike, levels: ArrayLike) -> PairAgreement:
    """The share of a topic's document pairs of different label that values do not order wrongly.

    A pair is in agreement if the document of the lower label has the lower value or an equal one
    (to 12 digits).

    Parameters:
        values: shape (n,), one number per document: aggregated scores, or the labels of another
            origin. NaN: a document without one, left out.
        labels: shape (n,), each one of `levels`. NaN: a document without one, left out.
        levels: shape (levels,), ascending; those that no document has included, so that topics
            have the same shape.

    Returns:
        See `PairAgreement`.

    No table of documents by documents is made: a topic of 100,000 takes some hundredths of a
    second.

    Raises:
        AgreementError: lists of different length, infinite values, levels that do not ascend, a
            label that is none of them.

    >>> agreement = pair_agreement([1, 4, 4, 9], [0, 1, 2, 1], levels=[0, 1, 2])
    >>> agreement.shares
    array([[nan, 1. , 1. ],
           [nan, nan, 0.5],
           [nan, nan, nan]])
    >>> agreement.overall, agreement.all_pairs
    (0.8, 5)
    """
    known, of_level, n_levels = of_levels(values, labels, levels)
    ordered = [np.sort(known[of_level == level]) for level in range(n_levels)]
    right, pairs = np.zeros((2, n_levels, n_levels), dtype=np.int64)
    for low, high in zip(*np.triu_indices(n_levels, 1), strict=True):
        not_above = np.searchsorted(ordered[low], ordered[high], side="right")
        right[low, high] = not_above.sum()
        pairs[low, high] = len(ordered[low]) * len(ordered[high])
    shares = ratio(right, pairs)
    together = int(pairs.sum())
    overall = float(right.sum() / together) if together else float("nan")
    return PairAgreement(shares, pairs, overall, together)


def mean_over_topics(values: ArrayLike) -> OverTopics:
    """The mean over the first axis, of the topics that have a value.

    Parameters:
        values: shape (topics, ...); NaN: a topic without one.

    Returns:
        `mean` and `topics`, both of shape (...). NaN where no topic has a value.

    >>> mean_over_topics([[0.5, float("nan")], [1.0, float("nan")]])
    OverTopics(mean=array([0.75,  nan]), topics=array([2, 0]))
    """
    array = np.asarray(values, dtype=np.float64)
    defined = ~np.isnan(array)
    topics = defined.sum(axis=0)
    return OverTopics(ratio(np.where(defined, array, 0).sum(axis=0), topics), topics)


def of_levels(
    values: ArrayLike, labels: ArrayLike, levels: ArrayLike
) -> tuple[Floats, NDArray[np.int64], int]:
    """Of the documents that have both: values as compared, places of their labels among levels.

    Raises:
        AgreementError: see `pair_agreement`.
    """
    numbers = np.asarray(values, dtype=np.float64)
    labelled = np.asarray(labels, dtype=np.float64)
    scale = np.asarray(levels, dtype=np.float64)
    if numbers.ndim != 1 or numbers.shape != labelled.shape:
        raise AgreementError(
            "values and labels must be two lists of one length, "
            f"not {numbers.shape}, {labelled.shape}"
        )
    if scale.ndim != 1 or not (np.diff(scale) > 0).all() or not np.isfinite(scale).all():
        raise AgreementError(f"levels must be one ascending list, not {scale.tolist()}")
    if np.isinf(numbers).any():
        raise AgreementError("values must be finite numbers, or NaN where there is none")
    both = ~np.isnan(numbers) & ~np.isnan(labelled)
    numbers, labelled = numbers[both], labelled[both]
    unknown = labelled[~np.isin(labelled, scale)]
    if unknown.size:
        raise AgreementError(f"label {unknown[0]:g} is none of the levels {scale.tolist()}")
    return as_compared(numbers), np.searchsorted(scale, labelled), len(scale)


class LevelTests(NamedTuple):
    """One test for each two adjacent levels, the lowest two first; all of shape (levels - 1,)."""

    t: Floats  # above 0: the higher level has the higher mean
    p: Floats
    degrees: Floats  # of freedom


class OutOfOrder(NamedTuple):
    """How often the median of a level lies above that of a higher level."""

    out: int
    compared: int  # pairs of levels of which both have a document
    possible: int  # pairs of levels in all topics


class LevelOrder(NamedTuple):
    """Medians by topic and level, and how many are out of order."""

    medians: Floats  # (topics, levels), NaN where a topic has no document of a level
    adjacent: OutOfOrder  # of pairs of adjacent levels
    every: OutOfOrder  # of all pairs of levels
    topics: NDArray[np.int64]  # those with a pair out of order


def adjacent_level_tests(values: ArrayLike, labels: ArrayLike, levels: ArrayLike) -> LevelTests:
    """Welch's two-sided t test between the values of each two adjacent levels (Welch 1947).

        t = (mean of the higher - mean of the lower) / √(s_h² / n_h + s_l² / n_l)

    with n - 1 variances and the degrees of freedom of Welch and Satterthwaite. The paper has
    p < .002 between each two levels and does not say which t test; here variances may differ, as
    those of magnitudes do.

    Parameters:
        values, labels, levels: see `pair_agreement`; here of all topics together.

    Returns:
        See `LevelTests`. NaN where a level has fewer than two values, or neither level has any
        spread.

    Raises:
        AgreementError: see `pair_agreement`.

    >>> t, p, degrees = adjacent_level_tests([1, 2, 3, 4, 5, 9], [0, 0, 0, 1, 1, 1], [0, 1])
    >>> t.round(3), p.round(3), degrees.round(3)
    (array([2.449]), array([0.106]), array([2.56]))
    """
    numbers, of_level, n_levels = of_levels(values, labels, levels)
    groups = [numbers[of_level == level] for level in range(n_levels)]
    result = LevelTests(*np.full((3, max(n_levels - 1, 0)), np.nan))
    for place, (lower, higher) in enumerate(pairwise(groups)):
        result.t[place], result.p[place], result.degrees[place] = _welch(lower, higher)
    return result


def _welch(lower: Floats, higher: Floats) -> tuple[float, float, float]:
    sizes = np.array([len(lower), len(higher)])
    if sizes.min() < 2 or max(np.ptp(lower), np.ptp(higher)) == 0:
        return np.nan, np.nan, np.nan
    errors = np.array([lower.var(ddof=1), higher.var(ddof=1)]) / sizes
    both = errors.sum()
    t = (higher.mean() - lower.mean()) / np.sqrt(both)
    degrees = 1 / ((errors / both) ** 2 / (sizes - 1)).sum()
    return t, 2 * scipy.special.stdtr(degrees, -abs(t)), degrees


def level_order(
    values: ArrayLike, labels: ArrayLike, levels: ArrayLike, topics: ArrayLike, n_topics: int
) -> LevelOrder:
    """In how many topics the medians of levels do not follow the levels.

    Two levels of a topic are out of order if the median of the lower one is above that of the
    higher one (by more than 12 digits tell). The paper counts 6 cases of 72 possible ones with
    adjacent levels and of 126 with all: 18 topics, 3 adjacent pairs of Sormunen's four levels (6
    pairs in all) and 1 of TREC's two. It adds up both kinds of labels, and counts a pair as
    possible in every topic.

    Parameters:
        values, labels, levels: see `pair_agreement`; here of all topics together.
        topics: shape (n,), whole numbers from 0 to n_topics - 1: the topic of each document.
        n_topics: how many topics there are.

    Returns:
        See `LevelOrder`.

    Raises:
        AgreementError: see `pair_agreement`.
        ScalingError: topics out of range.

    >>> order = level_order([1, 2, 3, 4, 1], [0, 1, 2, 0, 2], [0, 1, 2], [0, 0, 0, 1, 1], 2)
    >>> order.adjacent, order.every
    (OutOfOrder(out=0, compared=2, possible=4), OutOfOrder(out=1, compared=4, possible=6))
    """
    codes = validate_codes(topics, np.size(values), n_topics, "topics")
    missing = np.isnan(np.asarray(values, dtype=np.float64) + np.asarray(labels, dtype=np.float64))
    numbers, of_level, n_levels = of_levels(values, labels, levels)
    cells = codes[~missing] * n_levels + of_level
    medians = aggregate(numbers, cells, n_topics * n_levels).values.reshape(n_topics, n_levels)
    low, high = np.triu_indices(n_levels, 1)
    out = medians[:, low] > medians[:, high]
    compared = ~np.isnan(medians[:, low] + medians[:, high])
    return LevelOrder(
        medians,
        _counted(out, compared, high == low + 1),
        _counted(out, compared, high > low),
        np.flatnonzero(out.any(axis=1)),
    )


def _counted(
    out: NDArray[np.bool_], compared: NDArray[np.bool_], pairs: NDArray[np.bool_]
) -> OutOfOrder:
    possible = len(out) * int(pairs.sum())
    return OutOfOrder(int(out[:, pairs].sum()), int(compared[:, pairs].sum()), possible)
