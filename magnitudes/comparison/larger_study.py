"""What a study with more topics or more judges can be expected to tell, from its own spread.

The components of `variance_components` give the half-width of the 95% interval of a difference of
two systems, and the share of pairs that would differ significantly, for any number of topics and
judges. Their intervals are had by drawing topics with replacement.
"""

from collections.abc import Sequence
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from magnitudes.comparison import variance_components as parts
from magnitudes.comparison.variance_components import Components, Covariances, Floats, Squares

ENDS = 0.025, 0.975  # quantiles of draws
PARTS = "topic", "judge", "rest"


class Range(NamedTuple):
    """A number and the ends of its 95% interval."""

    value: float
    low: float
    high: float


class Size(NamedTuple):
    """What is expected with so many times the topics and judges.

    half_width: of the 95% t interval of a difference, averaged over pairs. shares: of pairs that
    a paired t-test, each alone, would call different, by each true difference.
    """

    topics_times: float
    judges_times: float
    topics: int
    half_width: Range
    shares: tuple[Range, ...]


class Larger(NamedTuple):
    """The components averaged over pairs, those with intervals by name, and all sizes.

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
        See `Larger`; sizes by topics, then judges, in the order of `times`. Memory does not grow
        with draws but for the numbers of each.
    """
    topics = len(squares.values)
    drawn = parts.resampled(squares, parts.drawn_topics(topics, draws, seed))
    sizes = [(by, judges, round(topics * by)) for by, judges in product(times, times)]
    every = [_expected(each, sizes, differences) for each in chain([squares.covariances], drawn)]
    of_parts, share, widths, shares = map(np.array, zip(*every, strict=True))
    return Larger(
        parts.of_average_pair(squares.covariances),
        {name: _range(values) for name, values in zip(PARTS, of_parts.T, strict=True)},
        _range(share),
        [
            Size(*size, _range(widths[:, at]), tuple(map(_range, shares[:, at].T)))
            for at, size in enumerate(sizes)
        ],
    )


class Expected(NamedTuple):
    """Of one draw of topics: the parts, the share of topics, and what is expected of each size.

    half_widths: (sizes,), averaged over pairs. shares: (sizes, differences).
    """

    parts: tuple[float, ...]
    share_of_topics: float  # NaN where nothing varies
    half_widths: list[float]
    shares: list[list[float]]


def _expected(
    covariances: Covariances,
    sizes: Sequence[tuple[float, float, int]],
    differences: Sequence[float],
) -> Expected:
    average, pairs = parts.of_average_pair(covariances), parts.of_pairs(covariances)
    variances = [(pairs.of_one_topic(judges), topics) for _, judges, topics in sizes]
    return Expected(
        tuple(float(getattr(average, name)) for name in PARTS),
        float(average.topic / average.total) if average.total else np.nan,
        [float(parts.half_width(*size).mean()) for size in variances],
        [[float(parts.power(*size, away).mean()) for away in differences] for size in variances],
    )


def _range(values: Floats) -> Range:
    """The first of them, and the interval that the others give; NaN is left out."""
    known = values[1:][~np.isnan(values[1:])]
    low, high = np.quantile(known if known.size else values[:1], ENDS).tolist()
    return Range(float(values[0]), low, high)
