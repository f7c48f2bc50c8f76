"""What a ranking by few topics judged by people and many judged by a model is worth.

Topics are the sample: people judged some, drawn at random beforehand, a model judged these and
others. What the model says of the others makes means more precise as far as it follows people on
the topics that both judged, and what it gets wrong there is taken off.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.interval import CONFIDENCE, Interval
from magnitudes.comparison.pairs import Floats, differences
from magnitudes.comparison.ranks import rounded
from magnitudes.files.lazy import scipy

MIN_TOPICS = 15  # judged by people, for the difference of two systems
MIN_DIFFERENT = 10  # topics with another value than the median
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
    alone: Interval
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
    382(6671), 2023; λ: Angelopoulos, Duchi and Zrnic, PPI++, 2023 (arXiv 2311.01453). That λ is
    cross-fitted and shrunk, and the quantile, are for samples as small as these; Hall, The
    Bootstrap and Edgeworth Expansion, 1992, chapter 2, for skewness.

    It holds if the topics of people were drawn at random of all n + N, before anybody looked at
    judgments. A model may be wrong in any way, as long as it judges both kinds of topics alike.

    Parameters:
        people: shape (n, systems), a measure's values by people's judgments.
        model: shape (n, systems), by the model's judgments of the same topics.
        others: shape (N, systems), by the model's judgments of other topics; N may be 0, which
            gives what people alone give.

    Returns:
        `systems`, `pairs` and `reason`; all in the unit of the measure but `weight`, without a
        unit, and `worth`, topics, at most n + N. Each pair has a λ of its own, so that a
        difference is not exactly that of two systems' means. Below 15 topics of people all is NaN.
        A single system has no interval: near the ceiling of ERR or nDCG a few bad topics decide, of
        which people's may have none (intervals of 95% held 92% even at 50 topics). A
        difference on fewer than 10 topics has none, nor has what differs from the median topic on
        fewer than 10. The ends are not cut off at 0 and 1.

    Intervals are of each pair alone, not corrected for how many there are. Time grows with
    topics · systems², memory with topics · systems.

    Raises:
        ComparisonError: values that are no table, not finite, or not of the same systems; topics of
            `model` that are not those of `people`.

    >>> people = [[n % 5 / 10 + n / 50, n % 4 / 10] for n in range(20)]
    >>> found = prediction_powered(people, people, people * 2)  # a model that agrees with people
    >>> found.pairs.mean[0, 1].round(3), found.pairs.alone.mean[0, 1].round(3)
    (np.float64(0.24), np.float64(0.24))
    >>> found.pairs.weight[0, 1].round(3), found.pairs.worth[0, 1]
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
    if topics < MIN_TOPICS:
        reason = f"intervals need {MIN_TOPICS} topics judged by people, not {topics}"
        return PredictionPowered(_nothing(systems), _nothing(systems, systems), reason)
    of_systems = estimates(*(np.ascontiguousarray(table.T) for table in tables))
    of_systems = _without_ends(of_systems, np.ones(systems, np.bool_))
    pairs = _nothing(systems, systems)
    for each in (pairs.mean, pairs.alone.mean, pairs.weight):
        np.fill_diagonal(each, 0)
    for blocks in zip(*map(differences, tables), strict=True):
        system, later, _ = blocks[0]
        _fill(pairs, system, later, estimates(*(z for _, _, z in blocks)))
    reason = ""
    if np.isnan(pairs.low[~np.eye(systems, dtype=np.bool_)]).any():
        reason = f"pairs that differ on fewer than {MIN_DIFFERENT} topics have no interval"
    return PredictionPowered(of_systems, pairs, reason)


def estimates(people: Floats, model: Floats, others: Floats) -> Estimates:
    """Means of any quantities, one a row: what `prediction_powered` does for each of its own.

    Parameters: shapes (k, n), (k, n) and (k, N), finite.

    Returns: arrays (k,). An interval, and its worth, is NaN where fewer than 10 topics have another
    value of people than the median topic; that there are enough topics is not looked at.
    """
    topics, more = people.shape[1], others.shape[1]
    weights = _weights(people, model, others)
    of_others = others.mean(axis=1, keepdims=True) if more else np.zeros((len(others), 1))
    rest = people - weights * (model - of_others)
    weight = weights.mean(axis=1)
    everywhere = np.concatenate([model, others], axis=1)
    variance, third = _moments(rest, topics)
    alone_variance, alone_third = _moments(people, topics)
    if more:
        variance += weight**2 * everywhere.var(axis=1, ddof=1) / more
        third += weight**3 * _moments(everywhere, more)[1]
    skewness = _squared_skewness(alone_variance, alone_third)
    half = _half_width(variance, _squared_skewness(variance, third), topics)
    alone = _half_width(alone_variance, skewness, topics)
    numbers = np.arange(2, topics + more + 1)[:, np.newaxis]
    times = topics / numbers  # a mean's variance, and the square of its skewness, by topics
    by_number = _half_width(alone_variance * times, skewness * times, numbers)
    worth = 1.0 + (by_number >= half * (1 - NOTHING)).sum(axis=0)
    mean, plain = rest.mean(axis=1), people.mean(axis=1)
    of_people = Interval(plain, plain - alone, plain + alone)
    found = Estimates(mean, mean - half, mean + half, of_people, weight, worth)
    median = np.sort(people, axis=1)[:, [topics // 2]]
    return _without_ends(found, (people != median).sum(axis=1) < MIN_DIFFERENT)


def _weights(people: Floats, model: Floats, others: Floats) -> Floats:
    """λ of each topic, (k, n), computed without that topic."""
    topics, more = people.shape[1], others.shape[1]
    everywhere = np.concatenate([model, others], axis=1)
    y, f, all_f = (x - x.mean(axis=1, keepdims=True) for x in (people, model, everywhere))
    for deviations, x in ((y, people), (f, model), (all_f, everywhere)):
        deviations[np.ptp(x, axis=1) == 0] = 0.0
    yy, yf, ff = (_without_each(one * other) for one, other in ((y, y), (y, f), (f, f)))
    of_all = _without_each(all_f**2)[:, :topics] * (topics - 2) / max(topics + more - 2, 1)
    used = (yf > 0) & (yy > 0) & (ff > 0)
    unexplained = np.divide(yy * ff - yf**2, yf**2, out=np.ones_like(yf), where=used)
    weight = np.divide(yf * more, ff * more + of_all * topics, out=np.zeros_like(yf), where=used)
    return np.asarray(weight * np.clip(1 - 2 * unexplained / (topics - 3), 0, 1))


def _without_each(products: Floats) -> Floats:
    """Sums of products of deviations from the mean of all, as they are without each topic."""
    topics, sums = products.shape[1], products.sum(axis=1, keepdims=True)
    rest = sums - topics / (topics - 1) * products
    rest[np.abs(rest) < NOTHING * np.abs(products).sum(axis=1, keepdims=True)] = 0.0
    return np.asarray(rest)


def _moments(values: Floats, topics: int) -> tuple[Floats, Floats]:
    """Variance and third central moment of the mean of so many topics, unbiased; (k,) each."""
    n = values.shape[1]
    d = values - values.mean(axis=1, keepdims=True)
    d[np.ptp(values, axis=1) == 0] = 0.0
    third = (d**3).sum(axis=1) * n / ((n - 1) * (n - 2))
    return (d**2).sum(axis=1) / (n - 1) / topics, third / topics**2


def _squared_skewness(variance: Floats, third: Floats) -> Floats:
    return np.divide(third**2, variance**3, out=np.zeros_like(variance), where=variance > 0)


def _half_width(variance: Floats, skewness: Floats, topics: int | NDArray[np.int64]) -> Floats:
    """Of the interval of a mean with these moments, its skewness squared, of so many topics."""
    q = scipy.special.stdtrit(topics - 1, (1 + CONFIDENCE) / 2)
    wider = 1 + skewness * ((q**4 + 2 * q**2 - 3) / 18 * (1 + FEW / topics))
    return np.asarray(q * wider * np.sqrt(variance))


def _table(name: str, values: ArrayLike) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise ComparisonError(f"{name} must have the shape (topics, systems), not {table.shape}")
    for topic, system in np.argwhere(~np.isfinite(table)):
        value = f"{table[topic, system]}, no finite number"
        raise ComparisonError(f"{name}: the value of system {system} on topic {topic} is {value}")
    return rounded(table)


def _nothing(*shape: int) -> Estimates:
    a, b, c, d, e, f, g, h = np.full((8, *shape), np.nan)
    return Estimates(a, b, c, Interval(d, e, f), g, h)


def _without_ends(found: Estimates, where: NDArray[np.bool_]) -> Estimates:
    for each in (found.low, found.high, found.alone.low, found.alone.high, found.worth):
        each[where] = np.nan
    return found


def _fill(pairs: Estimates, system: int, later: slice, found: Estimates) -> None:
    """Write what was found of later systems less one into the table, both ways."""
    for mine, theirs in ((pairs, found), (pairs.alone, found.alone)):
        mine.mean[later, system], mine.mean[system, later] = theirs.mean, -theirs.mean
        mine.low[later, system], mine.low[system, later] = theirs.low, -theirs.high
        mine.high[later, system], mine.high[system, later] = theirs.high, -theirs.low
    for table, row in ((pairs.weight, found.weight), (pairs.worth, found.worth)):
        table[later, system] = table[system, later] = row
