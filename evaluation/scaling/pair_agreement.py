"""How far one number per document agrees with reference labels, level by level.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 6.1.2 and Figures 7
and 8: aggregated scores, per topic, then the mean over topics.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.scaling import ScalingError
from evaluation.scaling.flat import as_compared

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
        ScalingError: lists of different length, infinite values, levels that do not ascend, a label
            that is none of them.

    >>> found = pair_agreement([1, 4, 4, 9], [0, 1, 2, 1], levels=[0, 1, 2])
    >>> found.shares
    array([[nan, 1. , 1. ],
           [nan, nan, 0.5],
           [nan, nan, nan]])
    >>> found.overall, found.all_pairs
    (0.8, 5)
    """
    given, of_level, n_levels = of_levels(values, labels, levels)
    ordered = [np.sort(given[of_level == level]) for level in range(n_levels)]
    right, pairs = np.zeros((2, n_levels, n_levels), dtype=np.int64)
    for low, high in zip(*np.triu_indices(n_levels, 1), strict=True):
        not_above = np.searchsorted(ordered[low], ordered[high], side="right")
        right[low, high] = not_above.sum()
        pairs[low, high] = len(ordered[low]) * len(ordered[high])
    shares = np.full(pairs.shape, np.nan)
    np.divide(right, pairs, out=shares, where=pairs > 0)
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
    given = np.asarray(values, dtype=np.float64)
    defined = ~np.isnan(given)
    topics = defined.sum(axis=0)
    mean = np.full(topics.shape, np.nan)
    np.divide(np.where(defined, given, 0).sum(axis=0), topics, out=mean, where=topics > 0)
    return OverTopics(mean, topics)


def of_levels(
    values: ArrayLike, labels: ArrayLike, levels: ArrayLike
) -> tuple[Floats, NDArray[np.int64], int]:
    """Of the documents that have both: values as compared, places of their labels among levels."""
    given = np.asarray(values, dtype=np.float64)
    labelled = np.asarray(labels, dtype=np.float64)
    scale = np.asarray(levels, dtype=np.float64)
    if given.ndim != 1 or given.shape != labelled.shape:
        raise ScalingError(
            "values and labels must be two lists of one length, "
            f"not {given.shape}, {labelled.shape}"
        )
    if scale.ndim != 1 or not (np.diff(scale) > 0).all() or not np.isfinite(scale).all():
        raise ScalingError(f"levels must be one ascending list, not {scale.tolist()}")
    if np.isinf(given).any():
        raise ScalingError("values must be finite numbers, or NaN where there is none")
    both = ~np.isnan(given) & ~np.isnan(labelled)
    given, labelled = given[both], labelled[both]
    unknown = labelled[~np.isin(labelled, scale)]
    if unknown.size:
        raise ScalingError(f"label {unknown[0]:g} is none of the levels {scale.tolist()}")
    return as_compared(given), np.searchsorted(scale, labelled), len(scale)
