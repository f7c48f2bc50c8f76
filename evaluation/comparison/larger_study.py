"""What a study with more topics or more judges can be expected to tell, from its own spread.

The components of `variance_components` give the half-width of the 95% interval of a difference of
two systems, and the share of pairs that would be told apart, for any number of topics and judges.
How sure these are is estimated by drawing topics with replacement.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from evaluation.comparison import variance_components as parts
from evaluation.comparison.variance_components import Components, Squares

ENDS = 0.025, 0.975  # quantiles of draws
PARTS = "topic", "judge", "rest"


class Range(NamedTuple):
    """A number and the ends of its 95% interval."""

    value: float
    low: float
    high: float


class Size(NamedTuple):
    """What is expected with so many times the topics and judges.

    half_width: of the 95% t interval of a difference, in the mean over pairs. shares: of pairs that
    a paired t-test, each alone, would tell apart, by each true difference.
    """

    topics_times: float
    judges_times: float
    topics: int
    half_width: Range
    shares: tuple[Range, ...]


class Larger(NamedTuple):
    """The components in the mean over pairs, those with intervals by name, and all sizes.

    share_of_topics: of the variance of a difference on a topic.
    """

    components: Components
    parts: dict[str, Range]
    share_of_topics: Range
    sizes: list[Size]


def larger_study(
    squares: Squares,
    times: Sequence[float],
    differences: Sequence[float],
    draws: int,
    seed: int,
) -> Larger:
    """Expected half-widths and power of every combination of more topics and more judges.

    Parameters:
        squares: what is measured on each topic, see `variance_components`.
        times: how many times the topics, and the judges.
        differences: that systems might truly have, in the unit of the measure.
        draws: of topics, with replacement, for intervals; `seed` starts them.

    Returns:
        See `Larger`; sizes by topics, then judges, in the order of `times`.
    """
    topics = len(squares.values)
    drawn = parts.resampled(squares, parts.drawn_topics(topics, draws, seed))
    every = [squares, *drawn]
    averages = [parts.of_average_pair(each) for each in every]
    pairs = [parts.of_pairs(each) for each in every]
    sizes = [
        Size(
            topics_times,
            judges_times,
            round(topics * topics_times),
            _half_width(averages, round(topics * topics_times), judges_times),
            _shares(pairs, round(topics * topics_times), judges_times, differences),
        )
        for topics_times, judges_times in product(times, times)
    ]
    of_parts = {name: _range([float(getattr(each, name)) for each in averages]) for name in PARTS}
    return Larger(averages[0], of_parts, _share_of_topics(averages), sizes)


def _half_width(averages: Sequence[Components], topics: int, judges_times: float) -> Range:
    widths = (parts.half_width(each.of_one_topic(judges_times), topics) for each in averages)
    return _range([float(width) for width in widths])


def _shares(
    pairs: Sequence[Components], topics: int, judges_times: float, differences: Sequence[float]
) -> tuple[Range, ...]:
    """The mean over pairs of the chance to be told apart, by true difference."""
    variances = [each.of_one_topic(judges_times) for each in pairs]
    return tuple(
        _range([float(parts.told_apart(each, topics, away).mean()) for each in variances])
        for away in differences
    )


def _share_of_topics(averages: Sequence[Components]) -> Range:
    """Draws without any spread have no share, and are left out."""
    return _range([float(each.topic / each.total) for each in averages if each.total])


def _range(values: Sequence[float]) -> Range:
    """The first of them, and the interval that the others give."""
    low, high = np.quantile(values[1:] or values, ENDS).tolist()
    return Range(values[0], low, high)
