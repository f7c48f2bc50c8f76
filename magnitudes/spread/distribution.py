"""How scores are distributed: the log-normal they should follow, and the round numbers they like.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 4.2, Figures 1 and 2.
Magnitudes are expected to be about log-normal (Marks 1974; Moskowitz 1977), but for people's
tendency towards round numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.files.lazy import scipy
from magnitudes.scaling.groups import validate_values
from magnitudes.spread import SpreadError

ROUND = (1.0, 2.0, 5.0, 10.0)


class LogNormal(NamedTuple):
    """A log-normal distribution: mean and standard deviation of natural logarithms."""

    mean: float
    sd: float

    def cdf(self, values: ArrayLike) -> NDArray[np.float64]:
        """The share of the distribution at or below each value; of any shape, NaN if sd is not > 0.

        >>> LogNormal(0.0, 1.0).cdf([1.0])
        array([0.5])
        """
        logs = np.log(np.asarray(values, dtype=np.float64))
        if not self.sd > 0:
            return np.full(logs.shape, np.nan)
        return scipy.special.ndtr((logs - self.mean) / self.sd)


class Cdf(NamedTuple):
    """An empirical distribution function: at each value it steps up to the share beside it."""

    values: NDArray[np.float64]  # ascending, distinct
    shares: NDArray[np.float64]  # of scores at or below; the last is 1


def fit_log_normal(values: ArrayLike) -> LogNormal:
    """The log-normal with the mean and the n - 1 standard deviation of the logarithms of scores.

    The paper fits in this way ("the same mean and standard deviation of the corresponding data").
    Maximum likelihood would divide by n.

    Parameters:
        values: shape (n,), positive.

    Returns:
        `mean` and `sd`, of natural logarithms. `sd` is NaN below two scores, `mean` without one.

    Raises:
        ScalingError: scores that are not positive and finite.

    >>> fit_log_normal([1, 100, 10]) == (np.log(10), np.log(10))
    True
    """
    logs = np.log(np.sort(validate_values(values, positive=True)))
    if not logs.size:
        return LogNormal(float("nan"), float("nan"))
    if logs.size > 1 and logs[0] == logs[-1]:  # where summing would leave a trace
        return LogNormal(float(logs[0]), 0.0)
    return LogNormal(float(logs.mean()), float(logs.std(ddof=1)) if logs.size > 1 else float("nan"))


def empirical_cdf(values: ArrayLike, most: int | None = None) -> Cdf:
    """The distinct scores, ascending, and the share of scores at or below each.

    Parameters:
        values: shape (n,), any finite numbers.
        most: at most so many points, for drawing: between two that are kept the function stays at
            the lower one, and is nowhere off by more than 1 / most. Large steps all stay, and so
            does the end at 1; a beginning of at most 1 / most is left out. None: all points.

    Raises:
        SpreadError: `most` below 1.
        ScalingError: scores that are not finite.

    >>> empirical_cdf([1, 1, 2, 10])
    Cdf(values=array([ 1.,  2., 10.]), shares=array([0.5 , 0.75, 1.  ]))
    >>> empirical_cdf(range(1000), most=4)
    Cdf(values=array([250., 500., 750., 999.]), shares=array([0.251, 0.501, 0.751, 1.   ]))
    """
    scores = validate_values(values)
    if most is not None and most < 1:
        raise SpreadError(f"a distribution is drawn with at least one point, not {most}")
    distinct, counts = np.unique(scores, return_counts=True)
    reached = np.cumsum(counts)
    drawn = np.ones(len(distinct), dtype=bool)
    if most is not None and len(distinct) > most:
        bins = (reached * most - 1) // len(scores)  # bin b: shares above b/most, to (b + 1)/most
        drawn[1:] = bins[1:] > bins[:-1]
        drawn[0] = bins[0] > 0
        drawn[-1] = True
    return Cdf(distinct[drawn], reached[drawn] / max(len(scores), 1))


def shares_at(values: ArrayLike, numbers: ArrayLike = ROUND) -> NDArray[np.float64]:
    """The share of raw scores that are exactly each of some numbers; 1, 2, 5 and 10 as a rule.

    Parameters:
        values: shape (n,), any finite numbers.
        numbers: shape (m,), any order.

    Returns:
        Shape (m,), shares from 0 to 1; NaN without a score.

    Raises:
        ScalingError: scores or numbers that are not finite, or no list.

    >>> shares_at([1, 1, 10, 7])
    array([0.5 , 0.  , 0.  , 0.25])
    """
    ordered = np.sort(validate_values(values))
    wanted = validate_values(numbers)
    if not ordered.size:
        return np.full(wanted.shape, np.nan)
    upto = np.searchsorted(ordered, wanted, "right") - np.searchsorted(ordered, wanted, "left")
    return upto / ordered.size


def kolmogorov_distance(values: ArrayLike, fit: LogNormal | None = None) -> float:
    """The largest gap between the scores' distribution and a log-normal (Kolmogorov 1933).

        D = sup over s of |F_n(s) - F(s)|

    Parameters:
        values: shape (n,), positive.
        fit: the log-normal to compare with; None: the one fitted to these scores. D is then a
            description of fit, and the usual tables of Kolmogorov's test do not apply to it.

    Returns:
        From 0 to 1. NaN without a score, and where the log-normal has no spread.

    Raises:
        ScalingError: scores that are not positive and finite, or no list.

    >>> round(kolmogorov_distance([1, 10, 100]), 3)
    0.175
    """
    scores = validate_values(values, positive=True)
    cdf = empirical_cdf(scores)
    expected = (fit or fit_log_normal(scores)).cdf(cdf.values)
    if not expected.size or np.isnan(expected).any():
        return float("nan")
    before = np.concatenate([[0.0], cdf.shares[:-1]])
    return float(max((cdf.shares - expected).max(), (expected - before).max()))
