"""Two definitions of gain: whether they order systems alike, and find the same ones different."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.comparison import ComparisonError
from evaluation.comparison.correlation import Tau, tau_interval
from evaluation.comparison.pairs import checked
from evaluation.comparison.top_set import LEVEL
from evaluation.comparison.tukey import TRIALS, Discrepancies, Tukey, discrepancies, tukey_hsd


class Compared(NamedTuple):
    """What two definitions of gain make of the same systems."""

    tau: Tau
    one: Tukey
    other: Tukey
    discrepancies: Discrepancies


def compare_definitions(
    one: ArrayLike, other: ArrayLike, level: float = LEVEL, trials: int = TRIALS, seed: int = 0
) -> Compared:
    """The order of systems, and which pairs of them differ, under two definitions of gain.

    As section 5 of Sakai, Unanimity-Aware Gain for Highly Subjective Assessments, EVIA 2017: tau-b
    of the means with its interval (Table 2), and the pairs that a randomised Tukey HSD test finds
    different under one definition alone (Table 3).

    Parameters:
        one, other: shape (topics, systems), the values of one measure with the gains of each.
        level: below which p is significant.
        trials, seed: as `tukey_hsd` has them; both definitions get the same orders.

    Returns:
        `tau`, the test under `one` and `other`, and `discrepancies`; each has its own `reason`.

    Raises:
        ComparisonError: values that are no table, infinite, or of another shape than the others;
            fewer than one trial.

    >>> values = np.array([[0.9, 0.5], [0.8, 0.3], [0.9, 0.4], [0.7, 0.5], [0.6, 0.5], [0.8, 0.6]])
    >>> found = compare_definitions(values, np.sqrt(values))
    >>> found.tau.tau, len(found.discrepancies.pairs)
    (1.0, 0)
    """
    first, second = checked(one)[0], checked(other)[0]
    if first.shape != second.shape:
        raise ComparisonError(f"the values are {first.shape} and {second.shape}: not of one shape")
    tests = tukey_hsd(first, trials, seed), tukey_hsd(second, trials, seed)
    tau = Tau(np.nan, np.nan, np.nan, "there is no topic")
    if len(first):
        tau = tau_interval(first.mean(axis=0), second.mean(axis=0))
    return Compared(tau, *tests, discrepancies(*tests, level))
