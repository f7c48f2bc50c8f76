"""How far the median of fewer judges would be from that of all.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 6.3, ask how many
workers a document needs and answer by a formula for means; this asks the scores themselves, for the
median, which is what they aggregate with.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement import AgreementError
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import grouped, validate_codes, validate_values

Floats = NDArray[np.float64]
QUANTILES = (0.5, 0.9)
AT_MOST = 2_000_000  # errors per number of judges; bounds the memory


class ErrorByJudges(NamedTuple):
    """The error that is left with k = 1, 2, ... judges."""

    quantiles: Floats  # (judges, quantiles) of |ln median_k - ln median of all|, or without ln
    means: Floats  # (judges,)
    items: int  # that have as many values
    draws: int  # made of each item
    seed: int


def error_by_judges(
    values: ArrayLike,
    items: ArrayLike,
    n_items: int,
    judges: int = 10,
    draws: int = 100,
    quantiles: ArrayLike = QUANTILES,
    *,
    seed: int,
    ratios: bool = True,
) -> ErrorByJudges:
    """The error of a median of k values, drawn without replacement, k = 1 to `judges`.

        error = |ln median_k - ln median of all of the item's values|

    its quantiles and mean over all items and draws. Each draw puts an item's values in random
    order, and the median of its first k is taken for every k; an even number of values has the mean
    of the middle two, as in `aggregate`.

    Parameters:
        values: shape (n,): normalised scores, positive where they are ratios.
        items: shape (n,), whole numbers from 0 to n_items - 1: the pair of topic and document.
        n_items: how many items there are.
        judges: the largest k. Items with fewer values are left out at every k, so that all k are
            about the same items. For an item with exactly this many values the last error is 0.
        draws: how often; less where items times draws would be more than two million.
        quantiles: shape (q,), from 0 to 1.
        seed: of `numpy.random.default_rng`.
        ratios: False of levels, from 0, whose error is the difference of the medians themselves.

    Returns:
        See `ErrorByJudges`. An error of 0.69 is a factor of two, or 0.69 levels. NaN where no item
        has as many values.

    Draws are compared with the median of the scores that they are drawn from: the error says how
    much is lost against all scores that were collected, not how far these are from a true value.

    Raises:
        AgreementError: fewer than one judge or draw; quantiles outside 0 to 1.
        ScalingError: values that are not positive and finite, codes out of range, lists of
            different length.

    >>> errors = error_by_judges([1, 10, 100, 5], [0, 0, 0, 1], 2, judges=3, seed=1)
    >>> errors.quantiles.round(2), errors.items, errors.draws
    (array([[2.3 , 2.3 ],
           [1.62, 1.7 ],
           [0.  , 0.  ]]), 1, 100)
    >>> float(errors.means[-1])
    0.0
    """
    scores = validate_values(values, positive=ratios)
    codes = validate_codes(items, len(scores), n_items)
    shares = _validate(judges, draws, quantiles)
    enough = np.bincount(codes, minlength=n_items) >= judges
    counted = enough[codes]
    scores, codes = scores[counted], codes[counted]
    order, starts, _, used = grouped(scores, codes)
    if not len(used):
        none = np.full((judges, len(shares) + 1), np.nan)
        return ErrorByJudges(none[:, 1:], none[:, 0], 0, draws, seed)
    scale = np.log if ratios else np.asarray
    target = scale(aggregate(scores, codes, n_items).values[used])
    draws = max(min(draws, AT_MOST // len(used)), 1)
    random = np.random.default_rng(seed)
    errors = np.empty((judges, draws, len(used)), dtype=np.float32)
    item = np.repeat(np.arange(len(used)), np.diff(np.append(starts, len(order))))
    for draw in range(draws):
        shuffled = np.argsort(item + random.random(len(item)))
        drawn = scores[order][shuffled[starts[:, np.newaxis] + np.arange(judges)]]
        for k in range(1, judges + 1):
            errors[k - 1, draw] = np.abs(scale(np.median(drawn[:, :k], axis=1)) - target)
    of_each = np.quantile(errors.reshape(judges, -1), shares, axis=1).T
    means = errors.mean(axis=(1, 2), dtype=np.float64)
    return ErrorByJudges(of_each.astype(np.float64), means, len(used), draws, seed)


def _validate(judges: int, draws: int, quantiles: ArrayLike) -> Floats:
    """The quantiles, if there is something to draw."""
    if judges < 1 or draws < 1:
        raise AgreementError(f"there must be one judge and one draw, not {judges} and {draws}")
    shares = np.asarray(quantiles, dtype=np.float64)
    if shares.ndim != 1 or not ((shares >= 0) & (shares <= 1)).all():
        raise AgreementError(f"quantiles must be a list of numbers from 0 to 1, not {quantiles!r}")
    return shares
