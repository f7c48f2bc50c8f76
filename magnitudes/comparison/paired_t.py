"""Student's paired t-test of all pairs of systems."""

import numpy as np
from numpy.typing import ArrayLike

from magnitudes.comparison.pairs import Floats, PairTests, differences, p_values
from magnitudes.files.lazy import scipy


def paired_t(values: ArrayLike) -> PairTests:
    """Whether systems differ, by Student's t-test over topics, paired and two-sided.

        t = mean(z) / (s / √n),   p = P(|T| >= |t|), with n - 1 degrees of freedom

    where z are the differences of two systems on n topics, and s their standard deviation with
    n - 1 in the denominator. Student, The probable error of a mean, Biometrika 6(1), 1908.

    Parameters:
        values: shape (topics, systems), a measure's values. Differences are taken to 12 digits.

    Returns:
        `p` and `reason`. p is 1 where a pair does not differ on any topic; 0 where it differs by
        the same on all, which is the limit for a spread of 0; NaN below two topics, and for a
        system with a value that is NaN.

    Raises:
        ComparisonError: values that are no table, or infinite.

    >>> paired_t([[0.9, 0.5], [0.8, 0.6], [0.7, 0.2]]).p.round(3)
    array([[1.   , 0.053],
           [0.053, 1.   ]])
    """
    p, reason = p_values(values, _all_pairs)
    return PairTests(p, None, reason)


def _all_pairs(values: Floats) -> Floats:
    topics, systems = values.shape
    p = np.ones((systems, systems))
    for system, later, z in differences(values):
        mean = z.mean(axis=1)
        error = np.sqrt(z.var(axis=1, ddof=1) / topics)
        error[np.ptp(z, axis=1) == 0] = 0.0  # the variance of equal numbers may be above it
        t = np.where(mean == 0, 0.0, -np.inf)
        np.divide(-np.abs(mean), error, out=t, where=error > 0)
        p[system, later] = 2 * scipy.special.stdtr(topics - 1, t)
    return p
