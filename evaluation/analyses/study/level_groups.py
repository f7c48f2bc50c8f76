"""The judged documents of a study by the level of their label."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.analyses.study.data import Floats, Ints, StudyData

TOO_MANY = 20  # levels to be compared in pairs
NONE = "none"


class Judged(NamedTuple):
    """The judged pairs: gain, place of the level among the levels (none: the last), topic."""

    items: Ints
    gains: Floats
    level: Ints
    topic: Ints


class Pair(NamedTuple):
    """Two levels, by place: how many topics have both, and where their medians are out of order."""

    lower: int
    higher: int
    topics: int
    out: Ints


def too_many(data: StudyData) -> str:
    return f"The labels have {len(data.levels):,} levels, too many to compare one with another."


def name_of(level: float) -> str:
    return f"{level:.12g}"


def names(data: StudyData) -> list[str]:
    """The levels, and documents without a label."""
    return [*map(name_of, data.levels), NONE]


def judged(data: StudyData) -> Judged:
    items = np.flatnonzero(~np.isnan(data.gains))
    # NaN, which is no label, comes after all levels.
    level = np.searchsorted([*data.levels, np.nan], data.item_labels[items])
    return Judged(items, data.gains[items], level, data.topic_of_item[items])


def used(data: StudyData, found: Judged) -> list[str]:
    """The names of those that some document has."""
    return [name for place, name in enumerate(names(data)) if (found.level == place).any()]


def pairs(medians: Floats) -> Iterator[Pair]:
    """Every pair of levels that some topic has both of; medians: (topics, levels)."""
    for higher in range(1, medians.shape[1]):
        for lower in range(higher):
            both = ~np.isnan(medians[:, lower] + medians[:, higher])
            out = medians[:, higher] < medians[:, lower]
            if both.any():
                yield Pair(lower, higher, int(both.sum()), np.flatnonzero(out))
