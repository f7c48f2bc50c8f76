"""Agreement of two orders of systems: Kendall's tau-b, its interval, and many of them at once.

Values of systems are rounded first (see `rounded`), so that sums which differ only by the order of
addition are ties.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.interval import CONFIDENCE
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.files.lazy import scipy

MIN_SYSTEMS = 3  # systems; of two, tau can only be 1, 0 or -1, and no spread can be had from it


class Tau(NamedTuple):
    """Tau-b and the ends of its 95% interval; `reason` says why one is NaN, or is empty."""

    tau: float
    low: float
    high: float
    reason: str


def tau_b(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's tau-b of two lists of values, one for each system (Kendall 1945).

    The share of pairs that both lists order alike, less the share that they order differently,
    corrected for ties; the formula is that of `tau_many`.

    Parameters:
        first, second: shape (systems,).

    Returns:
        1: the same order; -1: the reverse; NaN where all values of a list are equal, one is NaN, or
        there are fewer than two.

    Raises:
        ComparisonError: lists of different length, or no lists.

    >>> tau_b([0.9, 0.5, 0.1], [3, 2, 1])
    1.0
    """
    return float(tau_many(first, np.asarray(second, dtype=np.float64)[np.newaxis])[0])


def tau_many(reference: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Tau-b of one list of values with each of many others.

        tau = (concordant - discordant) / √((pairs - ties in one) (pairs - ties in the other))

    Parameters:
        reference: shape (systems,).
        others: shape (n, systems), for instance the means of n resamples.

    Returns:
        Shape (n,), the same numbers as `scipy.stats.kendalltau` gives one by one for rounded
        values. NaN where all values of a list are equal, one is NaN, or there are fewer than two.

    Every pair of systems is compared, which takes systems² / 2 steps a list; as they are done for
    all lists at once, on ranks of two bytes, a thousand lists of 129 systems take milliseconds.

    Raises:
        ComparisonError: shapes that do not fit.

    >>> tau_many([3, 2, 1], [[0.9, 0.5, 0.1], [0.1, 0.5, 0.9], [0.5, 0.5, 0.5]])
    array([ 1., -1., nan])
    """
    reference_values = np.asarray(reference, dtype=np.float64)
    table = np.asarray(others, dtype=np.float64)
    if reference_values.ndim != 1 or table.ndim != 2 or table.shape[1] != len(reference_values):
        raise ComparisonError(
            f"values of systems {reference_values.shape} and {table.shape} do not fit: "
            "they must be (systems,) and (n, systems)"
        )
    systems = len(reference_values)
    pairs = systems * (systems - 1) // 2
    # In the order of the reference, a pair is concordant where the later one has the higher value.
    order = np.argsort(reference_values, kind="stable")
    ranks, reference_ranks = competition_ranks(table), competition_ranks(reference_values)
    # The places of tied systems exceed their shared rank by 0, 1, 2, ...: in sum, the tied pairs.
    untied = pairs - (systems * (systems + 1) // 2 - ranks.sum(axis=1))
    untied_reference = pairs - (systems * (systems + 1) // 2 - int(reference_ranks.sum()))
    surplus = _surplus(ranks[:, order], -reference_ranks[order])
    usable = (untied > 0) & ~np.isnan(table).any(axis=1)
    if not untied_reference or np.isnan(reference_values).any():
        usable[:] = False
    tau = np.full(len(table), np.nan)
    # The root of a square is exact: of the same orders, tau is 1.
    tau[usable] = surplus[usable] / np.sqrt(np.float64(untied_reference) * untied[usable])
    return tau


def _surplus(ranks: NDArray[np.int64], reference: NDArray[np.int64]) -> NDArray[np.int64]:
    """Concordant less discordant pairs; `reference` ascends, and its ties are no pairs."""
    systems = len(reference)
    kind = np.int16 if systems < 2**15 else np.int64
    columns = np.ascontiguousarray(ranks.T.astype(kind))
    surplus = np.zeros(len(ranks), dtype=np.int64)
    ends = np.searchsorted(reference, reference, side="right")
    for system, end in enumerate(ends.tolist()):
        difference = columns[system] - columns[end:]
        np.sign(difference, out=difference)
        surplus += difference.sum(axis=0, dtype=kind)
    return surplus


def tau_interval(
    first: ArrayLike, second: ArrayLike, names: tuple[str, str] = ("first list", "second list")
) -> Tau:
    """Tau-b and its 95% interval, by Hollander, Wolfe and Chicken.

        tau ± z s,   s² = 2 / (n (n - 1)) · (2 (n - 2) / (n (n - 1)²) Σ (C_i - C)² + 1 - tau²)

    with n systems, C_i the systems with which system i is concordant less those with which it is
    discordant, C their mean, and z = 1.96 the normal quantile. Nonparametric Statistical Methods,
    3rd edition, Wiley 2013, section 8.3. The interval is not cut off at -1 and 1. It is asymptotic;
    of lists in the same or in the reverse order, it has no width, and of few systems it is narrow.

    Parameters:
        first, second: shape (systems,).
        names: what the reason calls them.

    Returns:
        `tau`, `low`, `high` and `reason`. All three are NaN where tau-b is undefined; `low` and
        `high` alone where there are fewer than three systems.

    Raises:
        ComparisonError: lists of different length, or no lists.

    >>> tau, low, high, _ = tau_interval([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5])
    >>> round(tau, 4), round(low, 4), round(high, 4)
    (0.7333, 0.296, 1.1706)
    >>> tau_interval([1, 2], [5, 5]).reason
    'all values of the second list are equal'
    """
    reference, other = (np.asarray(values, dtype=np.float64) for values in (first, second))
    tau, n = tau_b(reference, other), len(reference)
    if np.isnan(tau):
        reason = why_no_order(reference, names[0]) or why_no_order(other, names[1])
        return Tau(np.nan, np.nan, np.nan, reason)
    if n < MIN_SYSTEMS:
        return Tau(
            tau, np.nan, np.nan, f"an interval needs at least {MIN_SYSTEMS} systems, not {n}"
        )
    ranks = competition_ranks(reference), competition_ranks(other)
    concordance = np.prod([np.sign(r - r[:, np.newaxis]) for r in ranks], axis=0).sum(axis=1)
    spread = 2 * (n - 2) / (n * (n - 1)) * concordance.var(ddof=1)
    quantile = scipy.special.ndtri((1 + CONFIDENCE) / 2)
    margin = float(quantile * np.sqrt(2 / (n * (n - 1)) * (spread + 1 - tau**2)))
    return Tau(tau, tau - margin, tau + margin, "")


def why_no_order(values: ArrayLike, name: str) -> str:
    """Why tau-b with a list of values of systems is undefined; empty where it is not."""
    array = np.asarray(values, dtype=np.float64)
    if len(array) < 2:
        return f"an order needs at least 2 systems, not {len(array)}"
    if np.isnan(array).any():
        return f"a system of the {name} has no value"
    return f"all values of the {name} are equal" if competition_ranks(array).max() == 1 else ""
