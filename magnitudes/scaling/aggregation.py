"""Aggregation: the normalised scores of one document for one topic become one number.

Three aggregators, as in Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section
4.3: `median`, which they and we use unless told otherwise, `geometric` and `arithmetic` mean. In
their comparison (section 6.1, Figure 8) median and geometric mean agree best with the reference.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.scaling import ScalingError


class Aggregated(NamedTuple):
    """One value per item, and how many values stand behind it."""

    values: NDArray[np.float64]  # (n_items,), NaN where there was none
    counts: NDArray[np.int64]  # (n_items,)


def aggregate(values: ArrayLike, items: ArrayLike, n_items: int, how: str = "median") -> Aggregated:
    """One number per item, by median, geometric or arithmetic mean.

    Parameters:
        values: shape (n,), any finite numbers; above zero for `geometric`. The unit of the result
            is theirs.
        items: shape (n,), whole numbers from 0 to n_items - 1: the item, a pair of topic and
            document, that each value belongs to.
        n_items: how many items there are, those without a value included.
        how: `median`, `geometric` or `arithmetic`. The median of an even number of values is the
            mean of the middle two, on their own scale and not on that of logarithms; it equals
            `numpy.median` bit for bit.

    Returns:
        `values` and `counts`, both of shape (n_items,). An item without a value is NaN, count 0.

    The order in which values arrive makes no difference, to the last bit: they are sorted before
    they are summed. A million values take about a fifth of a second.

    Raises:
        ScalingError: arrays of different shape, codes that are not whole numbers or out of range,
            values that are not finite, or not above zero for `geometric`; an unknown aggregator.

    >>> result = aggregate([1, 100, 4, 7], items=[0, 0, 0, 2], n_items=3)
    >>> result.values
    array([ 4., nan,  7.])
    >>> result.counts
    array([3, 0, 1])
    >>> aggregate([1, 100], [0, 0], 1).values, aggregate([1, 100], [0, 0], 1, "geometric").values
    (array([50.5]), array([10.]))
    """
    numbers, codes = _validate(values, items, n_items, how)
    order = np.argsort(numbers)
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes, minlength=n_items)
    present = counts > 0
    starts = (np.cumsum(counts) - counts)[present]
    result = np.full(n_items, np.nan)
    if numbers.size:
        result[present] = AGGREGATORS[how](numbers[order], starts, counts[present])
    return Aggregated(result, counts)


def _median(
    ordered: NDArray[np.float64], starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    lower = ordered[starts + (counts - 1) // 2]
    upper = ordered[starts + counts // 2]
    result: NDArray[np.float64] = (lower + upper) / 2
    return result


def _geometric(
    ordered: NDArray[np.float64], starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    if ordered.min() <= 0:
        raise ScalingError(f"a geometric mean needs values above zero, and one is {ordered.min()}")
    return np.exp(np.add.reduceat(np.log(ordered), starts) / counts)


def _arithmetic(
    ordered: NDArray[np.float64], starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    return np.add.reduceat(ordered, starts) / counts


AGGREGATORS: dict[
    str,
    Callable[[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]],
] = {"median": _median, "geometric": _geometric, "arithmetic": _arithmetic}


def _validate(
    values: ArrayLike, items: ArrayLike, n_items: int, how: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The values as doubles (and no -0, which sorts like 0 but is not) and their items' codes."""
    if how not in AGGREGATORS:
        raise ScalingError(f"unknown aggregator {how!r}; there are {', '.join(AGGREGATORS)}")
    numbers = np.asarray(values, dtype=np.float64) + 0.0
    codes = np.asarray(items)
    if numbers.ndim != 1 or codes.shape != numbers.shape:
        raise ScalingError(
            f"values and items must be two lists of one length, not {numbers.shape}, {codes.shape}"
        )
    if numbers.size and codes.dtype.kind not in "iu":
        raise ScalingError(f"items must be whole numbers, not {codes.dtype}")
    if numbers.size and not (codes.min() >= 0 and codes.max() < n_items):
        raise ScalingError(f"items must lie from 0 to {n_items - 1}")
    if not np.isfinite(numbers).all():
        raise ScalingError("values must be finite numbers")
    return numbers, codes.astype(np.int64)
