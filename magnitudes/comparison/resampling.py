"""How much the order of systems depends on who judged, on how many did, and on the topics.

Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 7.3: one score is drawn for
every document, all systems are measured anew, and their order is correlated with a reference; a
thousand times. The scores are normalised once, with the centres of all units: a draw changes who
judged, not the scale of the topic.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.correlation import tau_many, why_no_order
from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.recomputing import recompute, same_systems
from magnitudes.comparison.top_set import overlap, top_set
from magnitudes.measures.names import Measure
from magnitudes.scaling.groups import chunks

Floats = NDArray[np.float64]
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)


class Resampled(NamedTuple):
    """Agreement with the reference in each draw; `reason` says why all of it is NaN, or is empty.

    taus, overlaps, sizes (systems in the top set of the draw): (draws,), or (numbers, draws) where
    judges or topics are counted. A single tau is NaN where a draw makes all systems equal; overlaps
    and sizes are NaN where there is but one topic, and where they were not asked for. With fewer
    topics the test has less power, top sets are larger, and overlaps higher.
    """

    taus: Floats
    overlaps: Floats
    sizes: Floats
    seed: int
    reason: str


def all_judges(topics: Sequence[Topic], measure: Measure) -> Floats:
    """Values with the median of all scores as gains: (topics, systems).

    Raises:
        MeasureNameError: the measure asks for something that a topic does not have.
    """
    values = [recompute(topic, measure)(topic.aggregated[:, np.newaxis]).T for topic in topics]
    return np.concatenate(values) if values else np.empty((0, 0))


def resample(
    topics: Sequence[Topic],
    measure: Measure,
    reference: ArrayLike,
    draws: int = 1000,
    seed: int = 0,
    judges: int = 1,
    with_overlaps: bool = False,
    name: str = "reference list",
) -> Resampled:
    """Draw some scores of every document at random and rank the systems anew, many times.

    Parameters:
        topics: the lists and the normalised scores of each topic; the same systems in all.
        measure: what systems are measured by.
        reference: shape (topics, systems), the values that systems are compared by otherwise: with
            labels, or with the scores of `all_judges`. It need not have the same topics.
        draws: how often.
        seed: what the draws start with, beside the number of judges.
        judges: how many scores are drawn of each document, without replacement; their median is
            its gain.
        with_overlaps: whether the top sets are compared as well, which takes several times longer.
        name: what a reason calls the reference.

    Returns:
        `taus`, `overlaps` (A is the reference's top set) and `sizes`, all of shape (draws,).

    The same seed gives the same draws, whatever the number of systems: each topic has a stream of
    its own, that is read a draw at a time. Time grows with draws · (documents · judges + systems ·
    depth), whatever the number of scores; memory, but for the result, does not grow with draws.

    Raises:
        ComparisonError: topics or a reference with other systems; fewer than one judge.

    >>> topic = Topic(np.array([[0], [1]]), np.array([4.0, 6, 3, 1]), np.array([0, 0, 1, 1]), 2)
    >>> resample([topic], Measure("nDCG", cutoff=1), [[1.0, 0.2]], draws=4, seed=1).taus
    array([1., 1., 1., 1.])
    """
    usual = np.asarray(reference, dtype=np.float64)
    systems = same_systems(topics)
    reason = why_not(usual, systems, len(topics), name)
    if reason:
        nothing = np.full(draws, np.nan)
        return Resampled(nothing, nothing, nothing, seed, reason)
    streams = np.random.default_rng([seed, judges]).spawn(len(topics))
    again = [recompute(topic, measure) for topic in topics]

    def drawn(number: int) -> Floats:
        values = (
            measured(topic.draw(rng, number, judges)).T
            for topic, measured, rng in zip(topics, again, streams, strict=True)
        )
        return np.stack(list(values), axis=1)

    most = max(topic.size for topic in topics) * (judges + 4)
    compared = with_overlaps and len(topics) > 1 and len(usual) > 1
    return _of_draws(usual, draws, seed, max(len(topics) * systems, most), drawn, compared)


def _of_draws(
    reference: Floats,
    draws: int,
    seed: int,
    width: int,
    drawn: Callable[[int], Floats],
    with_overlaps: bool,
) -> Resampled:
    """How draws agree with the reference, (topics, systems).

    drawn: gives the values of so many draws, (draws, topics, systems), of which each takes `width`
    doubles to make.
    """
    taus, overlaps, sizes = np.full((3, draws), np.nan)
    members = top_set(reference).members
    for part in chunks(draws, width):
        values = drawn(part.stop - part.start)
        taus[part] = tau_many(reference.mean(axis=0), values.mean(axis=1))
        if with_overlaps:
            top = top_set(values).members
            overlaps[part], sizes[part] = overlap(members, top), top.sum(axis=-1)
    return Resampled(taus, overlaps, sizes, seed, "")


def by_judges(
    topics: Sequence[Topic], measure: Measure, most: int, draws: int = 1000, seed: int = 0
) -> Resampled:
    """How the order and the top set of fewer judges agree with those of all.

    For 1, 2, ... `most` judges, as many scores of each document are drawn, without replacement, and
    the systems measured by their medians; see `resample`. The reference has the scores of all.

    Returns:
        `taus`, `overlaps` and `sizes` of shape (most, draws).

    Raises:
        ComparisonError, MeasureNameError: as `resample`.
    """
    usual = all_judges(topics, measure)
    by_number = [
        resample(topics, measure, usual, draws, seed, judges, with_overlaps=True)
        for judges in range(1, most + 1)
    ]
    return stacked(by_number, draws, seed)


def by_topics(
    values: ArrayLike,
    numbers: Sequence[int],
    draws: int = 1000,
    seed: int = 0,
    replace: bool = False,
) -> Resampled:
    """How the order and the top set on fewer topics agree with those on all.

    Parameters:
        values: shape (topics, systems).
        numbers: how many topics are drawn, one number after the other.
        replace: False: without replacement, so that all topics agree with themselves. True: with
            it; as many as there are is then the bootstrap.

    Returns:
        `taus`, `overlaps` and `sizes` of shape (numbers, draws), in the order of `numbers`.

    Raises:
        ComparisonError: a number below 1 or, without replacement, above that of topics.

    >>> by_topics([[0.9, 0.1], [0.8, 0.3]], [1, 2], draws=3).taus.tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    table = np.asarray(values, dtype=np.float64)
    topics, systems = table.shape
    reason = why_not(table, systems, topics)
    if reason:
        nothing = np.full((len(numbers), draws), np.nan)
        return Resampled(nothing, nothing, nothing, seed, reason)

    def of(number: int) -> Resampled:
        if number < 1 or (number > topics and not replace):
            raise ComparisonError(f"{number} of {topics} topics cannot be drawn")
        subsets = partial(_subsets, np.random.default_rng([seed, number]), number, topics, replace)
        width = number * systems + topics
        return _of_draws(table, draws, seed, width, lambda n: table[subsets(n)], number > 1)

    return stacked(list(map(of, numbers)), draws, seed)


def _subsets(
    rng: np.random.Generator, number: int, topics: int, replace: bool, draws: int
) -> NDArray[np.int64]:
    """(draws, number) topics, in ascending order: then means of the same topics are the same."""
    if replace:
        return np.sort(rng.integers(0, topics, (draws, number)), axis=1)
    return np.sort(np.argsort(rng.random((draws, topics)), axis=1)[:, :number], axis=1)


def quantiles(values: ArrayLike, at: Sequence[float] = QUANTILES) -> Floats:
    """Quantiles along the last axis, NaN left out: shape (..., len(at)); NaN where there is none.

    >>> quantiles([0.1, float("nan"), 0.3], at=(0, 0.5, 1))
    array([0.1, 0.2, 0.3])
    """
    table = np.asarray(values, dtype=np.float64)
    result = np.full((*table.shape[:-1], len(at)), np.nan)
    known = ~np.isnan(table).all(axis=-1)
    if known.any():
        result[known] = np.moveaxis(np.nanquantile(table[known], at, axis=-1), 0, -1)
    return result


def why_not(reference: Floats, systems: int, topics: int, name: str = "reference list") -> str:
    """Why there is nothing to correlate with; empty where there is.

    Raises:
        ComparisonError: a reference with other systems.
    """
    if not topics or not len(reference):
        return "there is no topic"
    if reference.ndim != 2 or reference.shape[1] != systems:
        raise ComparisonError(
            f"the reference {reference.shape} must be (topics, systems), with {systems} systems"
        )
    return why_no_order(reference.mean(axis=0), name)


def stacked(rows: Sequence[Resampled], draws: int, seed: int) -> Resampled:
    """The draws of several numbers of judges or topics, stacked: (numbers, draws)."""
    if not rows:
        taus, overlaps, sizes = np.empty((3, 0, draws))
        return Resampled(taus, overlaps, sizes, seed, "nothing was drawn")
    taus, overlaps, sizes = (
        np.stack(column) for column in zip(*(row[:3] for row in rows), strict=True)
    )
    return Resampled(taus, overlaps, sizes, seed, rows[0].reason)
