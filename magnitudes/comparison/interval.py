"""How sure a system's mean is: Student's t interval over topics."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.files.lazy import scipy

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A mean and the ends of its 95% confidence interval."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def t_interval(values: ArrayLike, axis: int = -1) -> Interval:
    """The mean over topics and its 95% confidence interval, by Student (Biometrika, 1908).

        mean ± t(0.975; n - 1) · s / √n

    with n topics, s their standard deviation with n - 1 in the denominator, and t the quantile of
    Student's distribution with n - 1 degrees of freedom.

    Parameters:
        values: any shape, a measure's values.
        axis: the axis of topics.

    Returns:
        `mean`, `low` and `high`, of the shape without that axis and in the unit of the values. One
        topic says nothing of how topics differ: `low` and `high` are NaN below two, and the mean
        is NaN where there is none. NaN among the values makes all three NaN. The ends are not cut
        off at 0 and 1.

    >>> mean, low, high = t_interval([0.2, 0.4, 0.6])
    >>> round(float(mean), 4), round(float(low), 4), round(float(high), 4)
    (0.4, -0.0968, 0.8968)
    >>> t_interval([0.2]).low
    array(nan)
    """
    sample = np.asarray(values, dtype=np.float64)
    topics = sample.shape[axis]
    nothing = np.full(np.delete(sample.shape, axis), np.nan)
    mean = sample.mean(axis=axis) if topics else nothing
    if topics < 2:
        return Interval(mean, nothing, nothing)
    error = sample.std(axis=axis, ddof=1) / np.sqrt(topics)
    margin = scipy.special.stdtrit(topics - 1, (1 + CONFIDENCE) / 2) * error
    return Interval(mean, mean - margin, mean + margin)
