"""What of a score or of the seconds may depend on what came before, measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.analyses.data import Floats, Ints, StudyData
from evaluation.scaling.drift import GroupedMean, against_others, grouped_mean

SHORTEST = 0.1  # seconds; less counts as this, so that it has a logarithm
# Scores before, over the geometric mean of their unit.
BEFORE = (0.25, 0.5, 2.0, 4.0)
BEFORE_NAMES = ("under ¼", "¼ to ½", "½ to 2", "2 to 4", "4 or more")
# Units that the worker had completed before.
EXPERIENCE = (1, 2, 4, 8, 16)
EXPERIENCE_NAMES = ("0", "1", "2–3", "4–7", "8–15", "16+")
FIRST_NAMES = ("H_k", "N_k", "other")


@dataclass(frozen=True)
class Effect:
    """What may matter (`by`) for what (`of`); factors: exp of means of logarithms, by group."""

    name: str
    of: str
    by: str
    groups: Sequence[str]
    found: GroupedMean
    look: str

    @property
    def factors(self) -> Floats:
        """Factor, and the ends of its interval, (3, groups); rounded, so that no trace is drawn."""
        with np.errstate(over="ignore"):
            return np.exp(np.round(np.stack(self.found[:3]), 12))

    @property
    def excludes(self) -> list[bool]:
        """Of each group, whether its interval excludes a factor of 1."""
        return ((self.found.low > 1e-12) | (self.found.high < -1e-12)).tolist()

    def rows(self) -> list[tuple[Any, ...]]:
        """One row for each group with a value."""
        n, workers = self.found.counts.tolist(), self.found.clusters.tolist()
        return [
            (self.of, self.by, group, n[place], workers[place], *factors, self.excludes[place])
            for place, (group, factors) in enumerate(
                zip(self.groups, self.factors.T.tolist(), strict=True)
            )
            if n[place]
        ]


def effects(data: StudyData, off: Floats) -> list[Effect]:
    """Everything that is looked at; off: each log score less the others' mean of its document."""
    seconds = np.log(np.maximum(data.seconds, SHORTEST))
    slow = against_others(seconds, data.items, data.n_items, data.worker_of)
    positions, size = data.positions - 1, data.study.unit_size
    pages = [str(page) for page in range(1, size + 1)]
    units_before = np.searchsorted(EXPERIENCE, data.per_unit("earlier"), side="right")
    experience = units_before[data.unit_of]

    def effect(name: str, of: str, by: str, groups: Sequence[str], *more: Any) -> Effect:
        y, codes, look = more
        found = grouped_mean(y, codes, data.worker_of, len(groups), data.items)
        return Effect(name, of, by, groups, found, look)

    first = _first(data)
    by_position, by_first = "position in the unit", "first document"
    by_experience = "units completed before"
    return [
        effect("position", "score", by_position, pages, off, positions, LOOK_AT_POSITION),
        effect(
            "before", "score", "score before", BEFORE_NAMES, *_next_to(data, off), LOOK_AT_BEFORE
        ),
        effect("after-first", "later scores", by_first, FIRST_NAMES, *_after(data, off, first)),
        _scale_by_first(data, first),
        effect(
            "experience",
            "distance from others",
            by_experience,
            EXPERIENCE_NAMES,
            _distance(data, off),
            experience,
            LOOK_AT_EXPERIENCE,
        ),
        effect("seconds-position", "seconds", by_position, pages, slow, positions, LOOK_AT_SECONDS),
        effect(
            "seconds-experience",
            "seconds",
            by_experience,
            EXPERIENCE_NAMES,
            slow,
            experience,
            LOOK_AT_SECONDS,
        ),
    ]


LOOK_AT_POSITION = (
    "Scores over the geometric mean of the others' normalised scores of the same document. Look "
    "for a first page that differs from the rest, or for a slope."
)
LOOK_AT_BEFORE = (
    "By the score before over its unit's geometric mean: a document's score over the others' of "
    "it, against the same of the unit's remaining documents. (A high score alone lowers all others "
    "of its unit when it is normalised; this comparison is free of that.) Look for a slope: up, a "
    "score is drawn towards the one before; down, it is pushed away."
)
LOOK_AT_LATER = (
    "Scores after the first of a unit over the others' of the same document. As normalised scores "
    "of a unit balance, later ones are high where the first itself was scored lower than by those "
    "to whom it came later."
)
LOOK_AT_SCALE = (
    "The ratio of a unit's scores of H_k and N_k, over that of others' units of the topic, by the "
    "document that the unit began with. Look for an anchor that narrows or widens the scale when "
    "it comes first."
)
LOOK_AT_EXPERIENCE = (
    "How far scores are from the others' of the same document, in the mean, over how far theirs "
    "are. Look for workers who come closer with practice, or tire. Normalisation takes out what a "
    "whole unit is above others, so that the scores themselves cannot rise here."
)
LOOK_AT_SECONDS = (
    "Seconds over the geometric mean of what others spent on the same document. Look for first "
    "pages that take longer, and for workers who become faster."
)


def _next_to(data: StudyData, off: Floats) -> tuple[Floats, Ints]:
    """Each score after the first, less the unit's remaining ones; and the bin of that before."""
    shape = (data.units, data.study.unit_size)
    table = off.reshape(shape)
    known = (~np.isnan(table)).astype(np.int64)
    filled = np.nan_to_num(table)
    sums = filled.sum(axis=1, keepdims=True) - filled[:, 1:] - filled[:, :-1]
    rest = known.sum(axis=1, keepdims=True) - known[:, 1:] - known[:, :-1]
    contrast = np.full(shape, np.nan)
    contrast[:, 1:] = np.where(rest > 0, table[:, 1:] - sums / np.maximum(rest, 1), np.nan)
    logs = np.log(data.raw.reshape(shape))
    above = logs - logs.mean(axis=1, keepdims=True)
    codes = np.zeros(shape, dtype=np.int64)  # of a first page: no value is there to be counted
    codes[:, 1:] = np.searchsorted(np.log(BEFORE), above[:, :-1] + 1e-12, side="right")
    return contrast.ravel(), codes.ravel()


def _first(data: StudyData) -> Ints:
    """The role of each unit's first document, a place in FIRST_NAMES."""
    roles = [
        np.select([topic.places[:, 0] == topic.h_k, topic.places[:, 0] == topic.n_k], [0, 1], 2)
        for topic in data.topics
    ]
    return np.concatenate(roles)


def _after(data: StudyData, off: Floats, first: Ints) -> tuple[Floats, Ints, str]:
    """The scores after the first."""
    return np.where(data.positions > 1, off, np.nan), first[data.unit_of], LOOK_AT_LATER


def _scale_by_first(data: StudyData, first: Ints) -> Effect:
    """H_k over N_k against others' units of the topic."""
    ratios = [np.log(topic.hk_nk) for topic in data.topics]
    topics = np.repeat(np.arange(len(ratios)), [len(found) for found in ratios])
    workers = data.per_unit("workers")
    off = against_others(np.concatenate(ratios), topics, len(ratios), workers)
    found = grouped_mean(off, first, workers, len(FIRST_NAMES), topics)
    return Effect("scale", "H_k / N_k", "first document", FIRST_NAMES, found, LOOK_AT_SCALE)


def _distance(data: StudyData, off: Floats) -> Floats:
    """How far a score is from the others', less how far those are in the mean."""
    known = ~np.isnan(off)
    distance = np.full(len(off), np.nan)
    distance[known] = against_others(
        np.abs(off[known]), data.items[known], data.n_items, data.worker_of[known]
    )
    return distance
