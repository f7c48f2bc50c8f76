"""The levels of the labels of documents: groups of documents by level, and a scale from 0."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.analyses.study.data import Floats, Ints, Mask, StudyData
from evaluation.scaling.groups import as_table

TOO_MANY = 20  # levels to be compared in pairs
HIGHEST = 10  # the top level of a scale that is shown
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


class LabelledUnits(NamedTuple):
    """Scores and labels (NaN: none) of all units, (u, s), and on which page each has its N_k.

    Of units of different sizes s is the largest: the rest of a row is scores of 1 without a label.
    """

    scores: Floats
    labels: Floats
    n_k: Ints  # (u,), pages from 0
    is_anchor: Mask


def too_many(data: StudyData) -> str:
    return f"The labels have {len(data.levels):,} levels, too many to compare one with another."


def name_of(level: float) -> str:
    return f"{level:.12g}"


def names(data: StudyData) -> list[str]:
    """The levels, and documents without a label."""
    return [*map(name_of, data.levels), NONE]


def judged(data: StudyData) -> Judged:
    documents = data.documents
    items = np.flatnonzero(~np.isnan(documents.gains))
    # NaN, which is no label, comes after all levels.
    level = np.searchsorted([*data.levels, np.nan], documents.labels[items])
    return Judged(items, documents.gains[items], level, documents.topics[items])


def used(data: StudyData, documents: Judged) -> list[str]:
    """The names of those levels that some document has."""
    return [name for place, name in enumerate(names(data)) if (documents.level == place).any()]


def pairs(medians: Floats) -> Iterator[Pair]:
    """Every pair of levels that some topic has both of; medians: (topics, levels)."""
    for higher in range(1, medians.shape[1]):
        for lower in range(higher):
            both = ~np.isnan(medians[:, lower] + medians[:, higher])
            out = medians[:, higher] < medians[:, lower]
            if both.any():
                yield Pair(lower, higher, int(both.sum()), np.flatnonzero(out))


def top(data: StudyData) -> int:
    """The top level of the scale, used or not; 0 where no topic has a label."""
    return int(_all_levels(data).max(initial=0))


def why_no_scale(data: StudyData) -> str:
    """Why the labels are no scale that gains can be looked at on; empty where they are."""
    if not len(data.units):
        return "No unit is completed yet."
    if not data.levels:
        return "No judged document has a label: there is no level to look at."
    levels = _all_levels(data)
    if (levels % 1 != 0).any():
        return "Labels are not whole numbers: they are no scale of levels from 0."
    if levels.max() > HIGHEST:
        return f"Labels go up to {levels.max():,.0f}; scales up to {HIGHEST} are shown."
    return ""


def _all_levels(data: StudyData) -> Floats:
    """Of every label of the topics, of documents outside the pools too."""
    return np.concatenate([np.empty(0), *(topic.labelled.levels for topic in data.topics)])


def units(data: StudyData) -> LabelledUnits:
    """Every unit of the study; scores as given, since ratios within a unit are the same."""
    items, of_unit = data.judgments.items, data.judgments.units
    return LabelledUnits(
        as_table(data.judgments.scores, of_unit, empty=1),
        as_table(data.documents.labels[items], of_unit, empty=np.nan),
        np.concatenate([(topic.places == topic.n_k).argmax(axis=1) for topic in data.topics]),
        as_table(data.documents.is_anchor[items].astype(float), of_unit, empty=0) > 0,
    )
