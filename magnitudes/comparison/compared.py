"""Two orders of the same systems compared, from the values that made them.

The caller says what the orders are called, and reasons use these names.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.correlation import Tau, tau_interval
from magnitudes.comparison.pairs import checked
from magnitudes.comparison.top_set import LEAST_TOPICS, LEVEL, overlap, top_set
from magnitudes.comparison.tukey import N_RESAMPLES, Discrepancies, Tukey, discrepancies, tukey_hsd

NO_TOPIC = Tau(np.nan, np.nan, np.nan, "there is no topic")
FEW_TOPICS = f"too few topics to say: intervals and top sets need {LEAST_TOPICS}"


class Compared(NamedTuple):
    """How far a second order of systems agrees with a first one.

    tau: of the means, with its interval. first, second: who is in the top sets, (systems,), nobody
    where there are too few topics. overlap: the share of the first top set that is in the second.
    why: why that is NaN, or empty.
    """

    tau: Tau
    first: NDArray[np.bool_]
    second: NDArray[np.bool_]
    overlap: float
    why: str

    @property
    def both(self) -> int:
        """How many systems are in both top sets."""
        return int((self.first & self.second).sum())

    @property
    def sizes(self) -> tuple[int | None, int | None, int | None]:
        """Of the first top set, of the second, of both; None where too few topics have none."""
        if self.why == FEW_TOPICS:
            return None, None, None
        return int(self.first.sum()), int(self.second.sum()), self.both

    @property
    def says_little(self) -> bool:
        """Whether a top set has more than half of the systems: it overlaps with any other."""
        is_most: bool = 2 * max(self.first.sum(), self.second.sum()) > len(self.first)
        return is_most

    @property
    def without_interval(self) -> "Compared":
        """The same, where the systems are no sample that an interval of tau could be of."""
        return self._replace(tau=self.tau._replace(low=np.nan, high=np.nan))

    @property
    def reason(self) -> str:
        """Why a number is NaN; empty where all are known."""
        return self.tau.reason or self.why


def compare(
    first: ArrayLike, second: ArrayLike, names: tuple[str, str] = ("first list", "second list")
) -> Compared:
    """Tau with its interval, and the overlap of top sets, of two tables of values.

    As Tables III and IV of Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), which
    have gains by labels first, and other gains second.

    Parameters:
        first, second: shape (topics, systems), a measure's values. Means over topics order systems.
            The systems must be the same; the topics may be others.
        names: what the orders are called in reasons: "ranking by labels".

    Returns:
        See `Compared`. Below six topics no outcome of the test of top sets is significant: nobody
        is in one, and tau has no interval. Nor has it one at 1 and -1, where it has no width.

    Raises:
        ComparisonError: values that are no table, or of other systems.

    >>> values = np.tile([[0.9, 0.5, 0.1], [0.8, 0.6, 0.2]], (3, 1))
    >>> result = compare(values, np.square(values))
    >>> result.tau.tau, result.overlap
    (1.0, 1.0)
    >>> compare(values, np.ones((2, 3)), ("ranking by labels", "ranking by scores")).reason
    'all values of the ranking by scores are equal'
    """
    reference, other = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if reference.ndim != 2 or other.ndim != 2 or reference.shape[1] != other.shape[1]:
        raise ComparisonError(
            f"values of the {names[1]} {other.shape} and of the {names[0]} {reference.shape} do "
            "not fit: both must be (topics, systems), with the same systems"
        )
    members = top_set(reference).members, top_set(other).members
    if not len(reference) or not len(other):
        return Compared(NO_TOPIC, *members, np.nan, NO_TOPIC.reason)
    tau = tau_interval(reference.mean(axis=0), other.mean(axis=0), names)
    topics = min(len(reference), len(other))
    tau = with_ends_where_known(tau, topics)
    why = "" if members[0].any() else f"the {names[0]} has no top set"
    if topics < LEAST_TOPICS:
        members, why = (np.zeros_like(members[0]), np.zeros_like(members[1])), FEW_TOPICS
    return Compared(tau, *members, np.nan if why else float(overlap(*members)), why)


def with_ends_where_known(tau: Tau, topics: int) -> Tau:
    """Tau without an interval below six topics, and at 1 and -1, where it has no width.

    >>> with_ends_where_known(Tau(0.5, 0.2, 0.8, ""), 5)
    Tau(tau=0.5, low=nan, high=nan, reason='')
    """
    if topics < LEAST_TOPICS or abs(tau.tau) == 1:
        return tau._replace(low=np.nan, high=np.nan)
    return tau


class Definitions(NamedTuple):
    """What two definitions of gain make of the same systems."""

    tau: Tau
    reference: Tukey
    other: Tukey
    discrepancies: Discrepancies


def compare_definitions(
    reference: ArrayLike,
    others: Mapping[str, ArrayLike],
    level: float = LEVEL,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
) -> dict[str, Definitions]:
    """The order of systems, and which pairs of them differ, under two definitions of gain.

    As section 5 of Sakai, Unanimity-Aware Gain for Highly Subjective Assessments, EVIA 2017: tau-b
    of the means with its interval (Table 2), and the pairs that a randomised Tukey HSD test finds
    different under one definition alone (Table 3).

    Parameters:
        reference: shape (topics, systems), the values of one measure with the gains of one
            definition.
        others: by the name of another definition, the values with its gains.
        level: below which p is significant.
        n_resamples, seed: as `tukey_hsd` has them; all definitions get the same orders.

    Returns:
        Of each other definition `tau`, the test under the reference and under it, and
        `discrepancies`; each has its own `reason`.

    Raises:
        ComparisonError: values that are no table, infinite, or of another shape than the others;
            fewer than one draw.

    >>> values = np.array([[0.9, 0.5], [0.8, 0.3], [0.9, 0.4], [0.7, 0.5], [0.6, 0.5], [0.8, 0.6]])
    >>> result = compare_definitions(values, {"roots": np.sqrt(values)})
    >>> result["roots"].tau.tau, len(result["roots"].discrepancies.pairs)
    (1.0, 0)
    """
    usual = checked(reference)[0]
    test = tukey_hsd(usual, n_resamples, seed)
    definitions = {}
    for name, other_values in others.items():
        values = checked(other_values)[0]
        if values.shape != usual.shape:
            raise ComparisonError(
                f"the values are {usual.shape} and {values.shape}: not of one shape"
            )
        tau = tau_interval(usual.mean(axis=0), values.mean(axis=0)) if len(usual) else NO_TOPIC
        tests = test, tukey_hsd(values, n_resamples, seed)
        definitions[name] = Definitions(tau, *tests, discrepancies(*tests, level))
    return definitions
