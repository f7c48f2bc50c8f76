"""What a ranking by few topics judged by people and many judged by a model is worth.

Topics are the sample: people judged some, drawn at random beforehand, a model judged these and
others. What the model says of the others makes means more precise as far as it follows people on
the topics that both judged, and what it gets wrong there is taken off.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.interval import CONFIDENCE
from magnitudes.comparison.pairs import Floats
from magnitudes.comparison.ranks import rounded
from magnitudes.files.lazy import scipy

MIN_TOPICS = 15  # judged by people, for the difference of two systems
MIN_DIFFERENT = 10  # topics with another value than the most frequent one
FEW = 30  # by how much skewness is underestimated by few topics, see `prediction_powered`
NOTHING = 1e-12  # a share of a sum of squares that rounding may leave


class Estimates(NamedTuple):
    """Estimated means, their 95% intervals and what these are worth; arrays of one shape.

    alone: by the topics that people judged, without the model. weight: λ, averaged over topics; 0
    where the model is not used. worth: how many topics, judged by people alone, would give an
    interval as narrow. NaN: ends of intervals that would not hold what they say, and their worth.
    """

    mean: Floats
    low: Floats
    high: Floats
    alone: Floats
    alone_low: Floats
    alone_high: Floats
    weight: Floats
    worth: Floats


class PredictionPowered(NamedTuple):
    """Systems and pairs; `reason` says why intervals of pairs are NaN, or is empty."""

    systems: Estimates  # (systems,), without intervals
    pairs: Estimates  # (systems, systems), the row's system less the column's
    reason: str


def prediction_powered(people: ArrayLike, model: ArrayLike, others: ArrayLike) -> PredictionPowered:
    """Means of systems and their differences, by people's topics and a model's judgments of more.

        mean = 1/n Σ (y - λ (f - F)),   y of people, f of the model on n topics that both judged
        v = s²(y - λ (f - F)) / n + λ² s²(f) / N

    where F is the mean of the model on N other topics, λ in the second term is averaged over
    topics, and s²(f) is taken of all n + N topics. A topic's λ is computed from the n - 1 others,
    so that it does not depend on the topic's own values, and is

        λ = s(y, f) / (s²(f) + S²(f) n / N) · (1 - 2 / G),   G = (n - 3) r² / (1 - r²)

    or 0 if a factor is negative; S²(f) is of all topics. Without the last factor v is least; it
    shrinks λ the less the surer it is, so that a model that says nothing costs next to nothing.
    The interval is

        mean ± q (1 + g² (q⁴ + 2q² - 3) / 18 · (1 + 30 / n)) · √v

    with q Student's 97.5% quantile for n - 1 degrees of freedom, and g the skewness of the mean:
    the third central moment of the two terms by v^(3/2). It is Student's interval, widened for
    skewness by an Edgeworth expansion. 30 / n is ours, found by simulation, as few topics make
    skewness seem smaller than it is. People alone have the same interval with λ = 0.

    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Prediction-powered inference, Science
    382(6671), 2023; λ: Angelopoulos, Duchi and Zrnic, PPI++, 2023 (arXiv 2311.01453); skewness:
    Hall, The Bootstrap and Edgeworth Expansion, 1992, chapter 2. That λ is cross-fitted and shrunk
    is for samples as small as these. When it holds: docs/prediction-powered.md.

    Parameters:
        people, model, others: shape (topics, systems), a measure's values by people, by the model
            on the same topics, and on N other topics; N may be 0: that is people alone.

    Returns:
        `worth` is in topics, at most n + N. Each pair has a λ of its own, so that a difference is
        not exactly that of two systems' means. All is NaN below 15 topics of people. Single systems
        have no interval, nor has a pair whose difference is the same on all but 9 topics or fewer.
        Intervals are of each pair alone, and not cut off at 0 and 1.

    Raises:
        ComparisonError: values that are no table, not finite, or not of the same systems; topics of
            `model` that are not those of `people`.

    >>> people = [[n % 5 / 10 + n / 50, n % 4 / 10] for n in range(20)]
    >>> pairs = prediction_powered(people, people, people * 2).pairs  # a model like people
    >>> pairs.mean[0, 1].round(3), pairs.alone[0, 1].round(3)
    (np.float64(0.24), np.float64(0.24))
    >>> pairs.weight[0, 1].round(3), pairs.worth[0, 1]
    (np.float64(0.674), np.float64(56.0))
    """
    tables = [_table("people", people), _table("model", model), _table("others", others)]
    if tables[0].shape != tables[1].shape or tables[0].shape[1] != tables[2].shape[1]:
        shapes = ", ".join(str(table.shape) for table in tables)
        raise ComparisonError(
            f"people, model and others must be of the same systems, and people "
            f"and model of the same topics; their shapes are {shapes}"
        )
    topics, systems = tables[0].shape
    nothing = Estimates(*np.full((len(Estimates._fields), systems), np.nan))
    if topics < MIN_TOPICS:
        pairs = Estimates(*(np.tile(column, (systems, 1)) for column in nothing))
        reason = f"intervals need {MIN_TOPICS} topics judged by people, not {topics}"
        return PredictionPowered(nothing, pairs, reason)
    rows = [table.T for table in tables]
    of = estimates(*rows)
    alone = nothing._replace(mean=of.mean, alone=of.alone, weight=of.weight)
    by_system = [estimates(*(rounded(row[at] - row) for row in rows)) for at in range(systems)]
    pairs = Estimates(*np.reshape(by_system, (systems, len(nothing), systems)).swapaxes(0, 1))
    known = ~np.isnan(pairs.low) | np.eye(systems, dtype=np.bool_)
    few = f"pairs that differ on fewer than {MIN_DIFFERENT} topics have no interval"
    return PredictionPowered(alone, pairs, "" if known.all() else few)


def estimates(people: Floats, model: Floats, others: Floats) -> Estimates:
    """Means of any quantities, one a row: what `prediction_powered` does for each of its own.

    Parameters: shapes (k, n), (k, n) and (k, N), finite; n at least 15.

    Returns: arrays (k,). A row of people's with one value on all but 9 topics or fewer has NaN.
    """
    topics, more = people.shape[1], others.shape[1]
    weights = _weights(people, model, others)
    rest = people - weights * (model - others.sum(axis=1, keepdims=True) / max(more, 1))
    weight = weights.mean(axis=1)
    of_all = _moments(np.concatenate([model, others], axis=1), max(more, 1))
    variance, third = _moments(rest, topics)
    half = _half_width(variance + weight**2 * of_all[0], third + weight**3 * of_all[1], topics)
    variance, third = _moments(people, topics)
    alone = _half_width(variance, third, topics)
    numbers = np.arange(2, topics + more + 1)[:, np.newaxis]
    times = topics / numbers  # of a mean of so many topics the variance; its square, the third
    by_number = _half_width(variance * times, third * times**2, numbers)
    worth = 1.0 + (by_number >= half * (1 - NOTHING)).sum(axis=0)
    ordered = np.sort(people, axis=1)
    alike = (ordered[:, topics - MIN_DIFFERENT :] == ordered[:, :MIN_DIFFERENT]).any(axis=1)
    half, alone, worth = (np.where(alike, np.nan, each) for each in (half, alone, worth))
    mean, plain = rest.mean(axis=1), people.mean(axis=1)
    ends = plain - alone, plain + alone
    return Estimates(mean, mean - half, mean + half, plain, *ends, weight, worth)


def _weights(people: Floats, model: Floats, others: Floats) -> Floats:
    """λ of each topic, (k, n), computed without that topic."""
    topics, more = people.shape[1], others.shape[1]
    y, f, all_f = map(_deviations, (people, model, np.concatenate([model, others], axis=1)))
    yy, yf, ff = (_without_each(one * other) for one, other in ((y, y), (y, f), (f, f)))
    of_all = _without_each(all_f**2)[:, :topics] * (topics - 2) / max(topics + more - 2, 1)
    used = (yf > 0) & (yy > 0) & (ff > 0)
    unexplained = np.divide(yy * ff - yf**2, yf**2, out=np.ones_like(yf), where=used)
    weight = np.divide(yf * more, ff * more + of_all * topics, out=np.zeros_like(yf), where=used)
    return np.asarray(weight * np.clip(1 - 2 * unexplained / (topics - 3), 0, 1))


def _deviations(values: Floats) -> Floats:
    """From the means of rows; 0 where all values of a row are equal, not what rounding leaves."""
    equal = np.ptp(values, axis=1, keepdims=True) == 0
    return np.where(equal, 0.0, values - values.mean(axis=1, keepdims=True))


def _without_each(products: Floats) -> Floats:
    """Sums of products of deviations from the mean of all, as they are without each topic."""
    topics, sums = products.shape[1], products.sum(axis=1, keepdims=True)
    rest = sums - topics / (topics - 1) * products
    rest[np.abs(rest) < NOTHING * np.abs(products).sum(axis=1, keepdims=True)] = 0.0
    return np.asarray(rest)


def _moments(values: Floats, topics: int) -> tuple[Floats, Floats]:
    """Variance and third central moment of the mean of so many topics, unbiased; (k,) each."""
    n, d = values.shape[1], _deviations(values)
    third = (d**3).sum(axis=1) * n / ((n - 1) * (n - 2))
    return (d**2).sum(axis=1) / (n - 1) / topics, third / topics**2


def _half_width(variance: Floats, third: Floats, topics: int | NDArray[np.int64]) -> Floats:
    """Of the interval of a mean of so many topics with these moments."""
    q = scipy.special.stdtrit(topics - 1, (1 + CONFIDENCE) / 2)
    skewed = np.divide(third**2, variance**3, out=np.zeros_like(variance), where=variance > 0)
    return np.asarray(
        q * (1 + skewed * (q**4 + 2 * q**2 - 3) / 18 * (1 + FEW / topics)) * np.sqrt(variance)
    )


def _table(name: str, values: ArrayLike) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise ComparisonError(f"{name} must have the shape (topics, systems), not {table.shape}")
    if len(wrong := np.argwhere(~np.isfinite(table))):
        topic, system = wrong[0]
        value = f"{table[topic, system]}, no finite number"
        raise ComparisonError(f"{name}: the value of system {system} on topic {topic} is {value}")
    return rounded(table)
