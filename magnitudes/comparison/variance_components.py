"""What makes a measured difference of two systems uncertain: topics, judges, and the rest.

As generalizability theory has it (Brennan, Generalizability theory, Springer 2001), variance is
taken apart by where it comes from. Judges are nested in topics, and the difference d of two systems
on a topic, as n judges give it, is

    d = δ + topic + judge + rest,    Var(d) = σ²_topic + (σ²_judge + σ²_rest) / n

judge: what a person does to all documents of a topic that they judge; rest: what a single score has
of its own. The estimates are those of the analysis of variance, in which mean squares are set equal
to what is expected of them. They are unbiased whatever the distributions, as those of maximum
likelihood are not with ten or twenty topics, and they need no iteration; the price is that one may
come out below 0, and is then cut at 0 (Searle, Casella and McCulloch, Variance components, Wiley
1992, chapter 4).

    E[s² of d over topics]                = σ²_topic + (σ²_judge + σ²_rest) / n
    E[s² of d over crowds of judges]      = (σ²_judge + σ²_rest) / n
    E[s² of d over crowds, single scores] = σ²_rest / n

Other crowds are made of the halves of this one (see `halves`): a gain is a median and a measure no
sum, so that judges are not exchangeable with single values. They deviate from gains that have an
error already, and a ratio such as nDCG varies less about those than about true gains: the variance
is extrapolated to gains without an error (`without_error`).
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.interval import CONFIDENCE
from magnitudes.files.lazy import scipy

Floats = NDArray[np.float64]
STEP, STEPS = 0.05, 240  # of differences in standard errors; beyond, any test tells


class Squares(NamedTuple):
    """What is measured on each topic, with all judges as they are.

    values: (topics, systems). whole, single: (topics, systems, systems), the covariance of the
    systems' values over other crowds, made of halves by whole judges, or by single scores.
    """

    values: Floats
    whole: Floats
    single: Floats

    @property
    def covariances(self) -> "Covariances":
        """Over topics, and the means of those over crowds."""
        spread = np.cov(self.values, rowvar=False)
        return Covariances(spread, self.whole.mean(axis=0), self.single.mean(axis=0))


class Covariances(NamedTuple):
    """Of the systems' values, (systems, systems): over topics, over judges, over single scores."""

    topics: Floats
    whole: Floats
    single: Floats


def without_error(again: Callable[[Floats], Floats], deviations: Floats) -> Floats:
    """The covariance of systems' values over crowds, (systems, systems), about true gains.

    Deviations are added to gains as they were measured, and to gains to which one more deviation
    was added, whose error is twice as large: 2 · the first covariance - the second is what a
    straight line gives where there is no error. Cook and Stefanski, Simulation-extrapolation
    estimation in parametric measurement error models, JASA 89(428), 1994.

    Parameters:
        again: gives values (systems, draws) of gains that deviate by so much, (documents, draws).
        deviations: (documents, draws), three or more, independent of each other.

    Raises:
        ComparisonError: fewer than three draws.

    >>> without_error(lambda away: 2 * away, np.array([[1.0, 0, -1], [0.5, 0, -0.5]])).round(2)
    array([[4., 2.],
           [2., 1.]])
    """
    draws = deviations.shape[1]
    if draws < 3:
        raise ComparisonError(f"it takes three deviations or more, not {draws}")
    base, other = np.roll(deviations, 1, axis=1), np.roll(deviations, 2, axis=1)
    apart = again(base + deviations) - again(base + other)
    covariance: Floats = 2 * np.cov(again(deviations)) - apart @ apart.T / (2 * draws)
    return covariance


class Components(NamedTuple):
    """Parts of the variance of a difference on one topic, with the judges that there are.

    Of one pair, or averaged over pairs. `raw` are topic and judge before they were cut at 0.
    """

    topic: Floats
    judge: Floats
    rest: Floats
    raw: tuple[Floats, Floats]

    @property
    def by_judges(self) -> Floats:
        """What further judges divide."""
        return self.judge + self.rest

    @property
    def total(self) -> Floats:
        return self.topic + self.by_judges

    def of_one_topic(self, judges: float) -> Floats:
        """The variance of a difference on a topic with so many times the judges."""
        return self.topic + self.by_judges / judges


def checked(squares: Squares) -> Squares:
    """Tables that fit each other, of two topics and systems at the least.

    Raises:
        ComparisonError: they do not.
    """
    topics, systems = squares.values.shape
    if min(topics, systems) < 2:
        raise ComparisonError(f"{topics} topics and {systems} systems have no variance: 2 of each")
    for table in squares[1:]:
        if table.shape != (topics, systems, systems):
            raise ComparisonError(f"{table.shape} is not (topics, systems, systems)")
    return squares


def of_pairs(covariances: Covariances) -> Components:
    """The components of each pair of systems, (pairs,), in the order of `numpy.triu_indices`."""
    return _cut(*map(_between, covariances))


def of_average_pair(covariances: Covariances) -> Components:
    """The components averaged over all pairs of systems, each cut at 0 as a whole.

    The sample variance of a difference, averaged over pairs, is twice the residual mean square of
    the table of topics by systems.

    >>> nothing = np.zeros((2, 2, 2))
    >>> squares = Squares(np.array([[0.5, 0.1], [0.5, 0.3]]), nothing, nothing)
    >>> of_average_pair(squares.covariances).topic
    np.float64(0.02)
    """
    return _cut(*(np.asarray(_mean_between(table)).round(15) for table in covariances))


def _between(covariance: Floats) -> Floats:
    """The variance of the difference of each pair, (pairs,), from a covariance of systems."""
    own = np.diagonal(covariance)
    first, second = np.triu_indices(len(own), 1)
    return np.maximum(own[first] + own[second] - 2 * covariance[first, second], 0.0)


def _mean_between(covariance: Floats) -> Floats:
    """The mean of `_between`, without its pairs."""
    systems = len(covariance)
    own = np.trace(covariance) - covariance.sum() / systems
    result: Floats = np.maximum(2 * own / (systems - 1), 0.0)
    return result


def _cut(all_of_it: Floats, whole: Floats, rest: Floats) -> Components:
    judge = np.maximum(whole - rest, 0.0)
    topic = all_of_it - judge - rest
    return Components(np.maximum(topic, 0.0), judge, rest, (topic, whole - rest))


def half_width(of_one_topic: ArrayLike, topics: int) -> Floats:
    """Half of the 95% t interval of a difference, from its variance on one topic.

    >>> half_width(0.04, 16).round(4)
    np.float64(0.1066)
    """
    variance = np.asarray(of_one_topic, dtype=np.float64)
    quantile = scipy.special.stdtrit(topics - 1, (1 + CONFIDENCE) / 2)
    width: Floats = quantile * np.sqrt(variance / topics)
    return width


def power(of_one_topic: ArrayLike, topics: int, difference: float) -> Floats:
    """The chance that a paired t-test, two-sided at .05, tells a true difference.

    By the noncentral t distribution with topics - 1 degrees of freedom, read from a table in steps
    of a twentieth of a standard error.

    >>> power([0.04, 0.0], 16, 0.1).round(2)
    array([0.46, 1.  ])
    """
    variance = np.asarray(of_one_topic, dtype=np.float64)
    error = np.sqrt(variance / topics)
    away = np.full(variance.shape, float(STEPS))
    np.divide(difference / STEP, error, out=away, where=error > 0)
    away = np.minimum(away, STEPS)
    below = np.minimum(away.astype(np.int64), STEPS - 1)
    chances = _chances(topics)
    chance: Floats = chances[below] + (away - below) * (chances[below + 1] - chances[below])
    return chance


@cache
def _chances(topics: int) -> Floats:
    """(STEPS + 1,): the chance that the test tells systems 0, 1, ... steps apart."""
    away = STEP * np.arange(STEPS + 1)
    edge = scipy.special.stdtrit(topics - 1, (1 + CONFIDENCE) / 2)
    nctdtr = scipy.special.nctdtr
    chances = 1 - nctdtr(topics - 1, away, edge) + nctdtr(topics - 1, away, -edge)
    known = np.isfinite(chances)
    result: Floats = np.interp(away, away[known], chances[known], right=1.0)
    return result


def drawn_topics(topics: int, draws: int, seed: int) -> NDArray[np.int64]:
    """Topics drawn with replacement for a bootstrap, (draws, topics); never one topic alone."""
    rng = np.random.default_rng([seed, topics])
    drawn = rng.integers(0, topics, (draws, topics))
    alone = (drawn == drawn[:, :1]).all(axis=1)
    drawn[alone, 0] = (drawn[alone, 0] + 1) % topics
    return drawn


def resampled(squares: Squares, drawn: NDArray[np.int64]) -> Iterator[Covariances]:
    """The covariances on each draw of topics, without what a bootstrap takes from a variance.

    Topics drawn with replacement vary by (T - 1) / T of what is to be estimated (Brennan,
    Educational and Psychological Measurement 67(5), 2007); values are drawn apart by as much.
    Memory does not grow with draws.

    Parameters:
        drawn: (draws, topics), from `drawn_topics`.
    """
    topics = len(squares.values)
    for places in drawn:
        shares = np.bincount(places, minlength=topics) / topics
        spread = np.cov(squares.values[places], rowvar=False) * (topics / (topics - 1))
        yield Covariances(spread, *(np.tensordot(shares, table, axes=1) for table in squares[1:]))
