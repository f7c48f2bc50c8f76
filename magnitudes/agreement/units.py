"""Units: how far each agrees with reference labels, and whose scores of a document are to count.

How far the scores of a unit agree: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017),
section 6.1.2 and Figure 6. Which count: sections 7.2 and 7.3 take of each document the scores of
the three units that agree best with a reference, and the same among those units alone whose
scale is narrow, or wide, by the ratio of their scores of H_k and N_k.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement import AgreementError
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import as_compared, chunks, ratio, validate_codes, validate_values

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
HOW_MANY = 3


class Scales(NamedTuple):
    """Which units have a narrow scale and which a wide one, and the ratio that divides them."""

    narrow: Mask  # (units,)
    wide: Mask  # (units,)
    median: float


class Chosen(NamedTuple):
    """One number per item, from the chosen units alone."""

    values: Floats  # (n_items,), NaN where there was no score
    counts: NDArray[np.int64]  # (n_items,), how many scores it comes from
    fell_back: Mask  # (n_items,), where no unit was of the wanted kind, and any kind counted


def best_units(
    agreement: ArrayLike,
    unjudged: ArrayLike,
    ids: ArrayLike,
    items: ArrayLike,
    units: ArrayLike,
    how_many: int = HOW_MANY,
) -> Mask:
    """Which scores are of the units that agree best with the reference, document by document.

    Parameters:
        agreement: shape (n_units,), of each unit; the higher the better, NaN where undefined.
        unjudged: shape (n_units,), how many of a unit's documents the reference does not know.
        ids: shape (n_units,), what tells units apart, in the order in which ties are broken.
        items: shape (n,), the pair of topic and document of each score, from 0.
        units: shape (n,), the unit of each score, from 0 to n_units - 1.
        how_many: units for each item.

    Returns:
        A mask of the shape (n,): of each item the scores of the `how_many` units with the highest
        agreement, equal ones (to 12 digits) by fewest unjudged, then by smallest id; undefined
        agreement comes last. All scores of an item that has no more of them.

    Raises:
        AgreementError: arrays that do not fit.
        ScalingError: units out of range.

    >>> best_units([0.5, 0.9, 0.5], [0, 0, 2], [7, 8, 9], [0, 0, 0], [0, 1, 2], how_many=2)
    array([ True,  True, False])
    """
    share = np.asarray(agreement, dtype=np.float64)
    gaps, keys = np.asarray(unjudged), np.asarray(ids)
    if share.ndim != 1 or gaps.shape != share.shape or keys.shape != share.shape:
        raise AgreementError(
            f"agreement {share.shape}, unjudged {gaps.shape} and ids {keys.shape} "
            "must be three lists of one length"
        )
    codes = np.asarray(items)
    unit_of = validate_codes(units, codes.size, len(share), "units")
    place = np.empty(len(share), dtype=np.int64)
    place[np.lexsort((keys, gaps, -as_compared(share)))] = np.arange(len(share))  # NaN last
    order = np.lexsort((place[unit_of], codes))
    ordered = codes[order]
    within = np.arange(codes.size) - np.searchsorted(ordered, ordered)
    chosen = np.zeros(codes.size, dtype=np.bool_)
    chosen[order[within < how_many]] = True
    return chosen


def narrow_and_wide(ratios: ArrayLike) -> Scales:
    """Units with a narrow and with a wide scale: below, or at and above, the median ratio.

    Parameters:
        ratios: shape (units,), score(H_k) / score(N_k) of each; NaN for a unit that is neither.

    Returns:
        `narrow`, `wide` and the `median` (of an even number, the mean of the middle two), which is
        NaN without a unit. Ratios are compared to 12 digits.

    Raises:
        AgreementError: ratios that are no list.
        ScalingError: a ratio that is zero, negative or infinite.

    >>> narrow, wide, median = narrow_and_wide([2, 5, 10])
    >>> narrow, wide, median
    (array([ True, False, False]), array([False,  True,  True]), 5.0)
    """
    numbers = np.asarray(ratios, dtype=np.float64)
    known = ~np.isnan(numbers)
    if numbers.ndim != 1:
        raise AgreementError(f"ratios must be one list, not of shape {numbers.shape}")
    compared = as_compared(validate_values(numbers[known], positive=True))
    if not compared.size:
        return Scales(known, known.copy(), float("nan"))
    median = aggregate(compared, np.zeros(compared.size, dtype=np.int64), 1).values[0]
    narrow, wide = np.zeros_like(known), np.zeros_like(known)
    narrow[known] = compared < as_compared(median)
    wide[known] = ~narrow[known]
    return Scales(narrow, wide, float(median))


def aggregate_best(
    values: ArrayLike,
    items: ArrayLike,
    units: ArrayLike,
    n_items: int,
    agreement: ArrayLike,
    unjudged: ArrayLike,
    ids: ArrayLike,
    kind: ArrayLike | None = None,
    how_many: int = HOW_MANY,
    how: str = "median",
) -> Chosen:
    """One number per item, from the scores of its best units, or of its best narrow or wide ones.

    Parameters:
        values, items, n_items, how: those of `aggregate`.
        units, agreement, unjudged, ids, how_many: those of `best_units`.
        kind: shape (n_units,), which units may be chosen, for instance `Scales.narrow`; None: all.

    Returns:
        `values`, `counts` and `fell_back`. An item of which no unit is of the kind takes the best
        of any kind, and is marked: in the paper 12% of the pairs with TREC's labels.

    Raises:
        AgreementError: as `best_units`; a kind of another length.
        ScalingError: as `aggregate`.

    >>> chosen = aggregate_best([1, 2, 4, 8], [0, 0, 1, 1], [0, 1, 1, 2], 2, [0.5, 0.9, 0.7],
    ...                         [0, 0, 0], [1, 2, 3], kind=[True, False, False], how_many=1)
    >>> chosen.values, chosen.fell_back
    (array([1., 4.]), array([False,  True]))
    """
    numbers = validate_values(values)
    codes = validate_codes(items, numbers.size, n_items)
    unit_of = validate_codes(units, numbers.size, np.size(agreement), "units")
    allowed = np.ones(numbers.size, dtype=np.bool_)
    if kind is not None:
        of_kind = np.asarray(kind, dtype=np.bool_)
        if of_kind.shape != np.shape(agreement):
            raise AgreementError(f"kind must say yes or no for each of {np.size(agreement)} units")
        allowed = of_kind[unit_of]
    has_one = np.bincount(codes[allowed], minlength=n_items) > 0
    fell_back = ~has_one & (np.bincount(codes, minlength=n_items) > 0)
    candidates = np.flatnonzero(allowed | fell_back[codes])
    best = candidates[
        best_units(agreement, unjudged, ids, codes[candidates], unit_of[candidates], how_many)
    ]
    aggregated = aggregate(numbers[best], codes[best], n_items, how)
    return Chosen(aggregated.values, aggregated.counts, fell_back)


class UnitAgreement(NamedTuple):
    """All of shape (units,)."""

    shares: NDArray[np.float64]  # of pairs in agreement, NaN without a pair
    pairs: NDArray[np.int64]  # of documents of different label
    unlabelled: NDArray[np.int64]  # documents without a label


def unit_agreement(scores: ArrayLike, labels: ArrayLike) -> UnitAgreement:
    """The share of a unit's document pairs that its scores do not put in the wrong order.

    A pair counts if both documents have a label and the labels differ. It is in agreement if the
    document of the lower label has the lower score or an equal one.

    Parameters:
        scores: shape (units, unit_size), any finite numbers: raw scores, or normalised ones, which
            have the same order within a unit.
        labels: shape (units, unit_size), levels as numbers, the higher the more relevant; NaN where
            a document has none.

    Returns:
        See `UnitAgreement`. A unit without a pair has the share NaN and 0 pairs.

    Raises:
        AgreementError: arrays that are no tables of one shape, scores that are not finite, an
            infinite label.

    >>> nan = float("nan")
    >>> unit_agreement([[1, 5, 5, 2], [1, 2, 3, 4]], [[0, 1, 2, 1], [nan, 1, 1, nan]])
    UnitAgreement(shares=array([ 1., nan]), pairs=array([5, 0]), unlabelled=array([0, 2]))
    """
    numbers, levels = _validate(scores, labels)
    unlabelled = np.isnan(levels)
    right, pairs = np.zeros((2, len(numbers)), dtype=np.int64)
    for rows, columns in _labelled(unlabelled):
        s, c = numbers[rows, columns], levels[rows, columns]
        first, second = np.triu_indices(columns.shape[1], 1)
        order = np.sign(c[:, first] - c[:, second])  # in which labels differ: 0 if they do not
        wrong = order * np.sign(s[:, first] - s[:, second]) < 0
        pairs[rows[:, 0]] = (order != 0).sum(axis=1)
        right[rows[:, 0]] = pairs[rows[:, 0]] - wrong.sum(axis=1)
    return UnitAgreement(ratio(right, pairs), pairs, unlabelled.sum(axis=1))


def _labelled(unlabelled: Mask) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Some units with equally many labels at a time: rows (k, 1), their labelled columns (k, n)."""
    labelled_first = np.argsort(unlabelled, axis=1, kind="stable")
    sizes = (~unlabelled).sum(axis=1)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        for part in chunks(len(rows), size * (size - 1) // 2):
            yield rows[part, np.newaxis], labelled_first[rows[part], :size]


def _validate(
    scores: ArrayLike, labels: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    numbers = np.asarray(scores, dtype=np.float64)
    levels = np.asarray(labels, dtype=np.float64)
    if numbers.ndim != 2 or numbers.shape != levels.shape:
        raise AgreementError(
            "scores and labels must both have the shape (units, unit size), "
            f"not {numbers.shape}, {levels.shape}"
        )
    if not np.isfinite(numbers).all():
        raise AgreementError("scores must be finite numbers")
    if np.isinf(levels).any():
        raise AgreementError("labels must be finite numbers, or NaN where there is none")
    return numbers, levels
