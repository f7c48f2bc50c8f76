"""Krippendorff's alpha: how far scores of one document agree beyond chance, and how sure that is.

    α = 1 - D_o / D_e

    D_o = 1/n Σ over items of Σ over pairs of its values of δ² / (m - 1)      observed
    D_e = 1/(n (n - 1)) Σ over pairs of all values of δ²                      expected

with ordered pairs, n values in all and m of an item. Where a judge gave an item several values, the
pairs of these are left out of both: an item contributes m times the mean δ² of its ordered pairs of
different judges, and D_e is the mean δ² of all other ordered pairs. With one value of each judge
for an item that is the same. Within strata (topics), D_e is the mean of those of each stratum,
weighted by its values: what chance gives of values of the same stratum.

The level of measurement sets the difference:

| level      | δ² of a and b                                                       |
|------------|---------------------------------------------------------------------|
| `nominal`  | 0 if a = b, else 1                                                  |
| `ordinal`  | square of the difference of their mean ranks among all values       |
| `interval` | (a - b)²                                                            |
| `ratio`    | ((a - b) / (a + b))²                                                |

Source: Krippendorff, Computing Krippendorff's alpha reliability (2011); Hayes and Krippendorff,
Communication Methods and Measures 1(1), 2007. Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS
35(3), 2017), section 6.1.1: 0.323 at the level `ratio`, the first ten normalised scores per pair.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from magnitudes.agreement import AgreementError
from magnitudes.agreement.alpha_draws import Moments, as_they_are, moments
from magnitudes.agreement.alpha_judges import widening
from magnitudes.agreement.alpha_pools import Pool, pools
from magnitudes.agreement.alpha_sums import NO_DIFFERENCE, Floats

CONFIDENCE = 0.95
MIN_ITEMS = 30  # for an interval
TOO_FEW = f"fewer than {MIN_ITEMS} documents have scores of two judges"
MIN_ITEMS_OF_STRATUM = 20  # on average, where there are several
TOO_SMALL = f"topics have fewer than {MIN_ITEMS_OF_STRATUM} documents with scores of two judges"
MAX_MISSING = 0.01  # share of draws that may be without a standard error
UNDEFINED = "alpha is not defined"
TOO_ALIKE = "the scores of nearly all documents agree"


class Alpha(NamedTuple):
    """Alpha, and what it is made of."""

    alpha: float
    observed: float  # D_o; at `interval` in parts of the largest value, squared
    expected: float  # D_e, in the same unit
    items: int  # with values of two judges and more
    values: int  # of those items


class Bootstrap(NamedTuple):
    """Alpha of items drawn with replacement, again and again."""

    alpha: float  # of the items themselves
    alphas: Floats  # (resamples,)
    low: float
    high: float  # the 95% interval; NaN where there is none
    reason: str  # why there is none, else empty
    seed: int


def krippendorff_alpha(
    values: ArrayLike,
    items: ArrayLike,
    level: str = "ratio",
    first: int | None = None,
    *,
    judges: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> Alpha:
    """Alpha of the values of some items.

    Parameters:
        values: shape (n,), in the order in which they came in; positive for `ratio`.
        items: shape (n,), whole numbers from 0: the pair of topic and document of each value.
        level: `nominal`, `ordinal`, `interval` or `ratio`.
        first: only so many values of an item count, the first; None: all. The paper takes 10.
        judges: shape (n,), whole numbers from 0: who gave each value; None: each another.
        strata: shape (n,), whole numbers from 0: the topic of each value, and alpha is that within
            topics; None: all are of one. Ranks are those within a stratum.

    Returns:
        1: all values of an item agree; 0: as much as values drawn at random; below: less. An item
        with values of one judge says nothing and is left out. Where fewer than two items are left
        (of a stratum), no agreement can be distinguished from chance; where all values are equal,
        no disagreement to expect: alpha is NaN. Values that agree to 12 digits are equal.

    Raises:
        AgreementError: an unknown level; `first` below 1; an item in two strata.
        ScalingError: values that the level cannot work with, arrays of different length, codes
            that are not whole numbers from 0.

    >>> result = krippendorff_alpha([1, 2, 10, 20], [0, 0, 1, 1])
    >>> round(result.alpha, 3), result.items, result.values
    (0.764, 2, 4)
    >>> krippendorff_alpha([1, 2, 2, 2], [0, 0, 1, 1], "nominal").alpha
    0.0
    >>> krippendorff_alpha([1, 9, 9, 5, 5], [0, 0, 0, 1, 1], judges=[0, 0, 1, 0, 1]).items
    2
    """
    parts = pools(values, items, level, first, judges, strata)
    n, n_items = _size(parts), sum(len(pool.counts) for pool in parts)
    observed = sum(pool.observed for pool in parts) / max(n, 1)
    expected = sum(pool.expected for pool in parts) / n if _is_defined(parts) else np.nan
    return Alpha(1 - observed / expected, observed, expected, n_items, n)


def bootstrap_alpha(
    values: ArrayLike,
    items: ArrayLike,
    level: str = "ratio",
    first: int | None = None,
    resamples: int = 1000,
    *,
    seed: int,
    judges: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> Bootstrap:
    """How sure alpha is: its 95% interval, by a studentised bootstrap over items.

    As many items as there are are drawn with replacement, of each stratum as many as it has, with
    all their values; an item that is drawn twice counts as two. Each draw has its own D_o and its
    own D_e, and its own ranks at the level `ordinal`: alpha is that of the items drawn. Whole items
    are drawn, since the pairs of an item depend on one another, and alpha is to hold for other
    documents (Hayes and Krippendorff, 2007, draw single pairs and leave D_e as it is).

    The interval is that of ln(1 - alpha), studentised: by how many of its own standard errors each
    draw is off, times the standard error of the items themselves (Efron and Tibshirani, An
    Introduction to the Bootstrap, 1993, section 12.5). Standard errors are those of the
    infinitesimal jackknife. On log-normal scores of 30 documents, whose true alpha is known,
    percentiles and BCa cover it in 91% to 92%, this in 94% to 95%. Where judges are given, standard
    errors are widened by `alpha_judges.widening`: of an artificial crowd the interval over
    documents alone covers the true alpha in 85% to 90%, the wider one in 93% to 94%; within six
    topics of 42 documents in 92%.

    Parameters:
        values, items, level, first, judges, strata: see `krippendorff_alpha`.
        resamples: how many draws.
        seed: of `numpy.random.default_rng`.

    Returns:
        See `Bootstrap`. There is no interval of fewer than 30 items, of strata with fewer than 20
        on average, nor where so many agree
        entirely that draws have no disagreement to be studentised by. Everything is NaN where alpha
        is not defined.

    Raises:
        AgreementError: fewer than one draw; else as `krippendorff_alpha`.
        ScalingError: as `krippendorff_alpha`.

    >>> values, items = np.exp(np.arange(80) // 2 + np.arange(80) % 7), np.arange(80) // 2
    >>> result = bootstrap_alpha(values, items, seed=1)
    >>> result.low < result.alpha < result.high, result.reason, result.seed
    (True, '', 1)
    >>> bootstrap_alpha([1, 2, 10, 20], [0, 0, 1, 1], seed=1).reason
    'fewer than 30 documents have scores of two judges'
    """
    if resamples < 1:
        raise AgreementError(f"at least one resample must be drawn, not {resamples}")
    parts = pools(values, items, level, first, judges, strata)
    if not _is_defined(parts):
        none = np.full(resamples, np.nan)
        return Bootstrap(np.nan, none, np.nan, np.nan, UNDEFINED, seed)
    here, drawn = as_they_are(parts), moments(parts, resamples, seed)
    alpha, alphas = 1 - float(here.quotient[0]), 1 - drawn.quotient
    if reason := _too_few(parts):
        return Bootstrap(alpha, alphas, np.nan, np.nan, reason, seed)
    wider = 1.0 if judges is None else widening(parts, np.asarray(judges, dtype=np.int64))
    low, high = _studentised(here, drawn, wider)
    reason = TOO_ALIKE if np.isnan(low) else ""
    return Bootstrap(alpha, alphas, low, high, reason, seed)


def _size(parts: list[Pool]) -> int:
    """How many values count."""
    return sum(len(pool.values) for pool in parts)


def _too_few(parts: list[Pool]) -> str:
    """Why there are too few items for an interval, else empty."""
    n_items = sum(len(pool.counts) for pool in parts)
    if n_items < MIN_ITEMS:
        return TOO_FEW
    small = len(parts) > 1 and n_items < MIN_ITEMS_OF_STRATUM * len(parts)
    return TOO_SMALL if small else ""


def _is_defined(parts: list[Pool]) -> bool:
    """Whether there is something to expect."""
    return sum(pool.expected for pool in parts) > NO_DIFFERENCE * _size(parts)


def _studentised(here: Moments, drawn: Moments, wider: float) -> tuple[float, float]:
    """The interval of alpha; NaN where an end would rest on draws without a standard error."""
    error = wider * float(here.error[0])
    known = ~np.isnan(drawn.error)
    if np.isnan(error) or known.mean() < 1 - MAX_MISSING:
        return np.nan, np.nan
    log, logs = np.log(here.quotient[0]), np.log(drawn.quotient[known])
    off = (logs - log) / drawn.error[known]
    first, last = np.quantile(off, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], method="weibull")
    return float(1 - np.exp(log - first * error)), float(1 - np.exp(log - last * error))
