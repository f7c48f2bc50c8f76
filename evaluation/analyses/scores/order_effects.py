"""What came before a judgment, and how far scores and seconds are from others' after it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.study.data import Floats, Ints, StudyData
from magnitudes.spread.drift import GroupedMean, against_others, grouped_mean

SHORTEST = 0.1  # seconds; less counts as this, so that it has a logarithm
BEFORE = (0.25, 0.5, 2.0, 4.0)  # scores before, over the geometric mean of their unit
BEFORE_NAMES = ("under ¼", "¼ to ½", "½ to 2", "2 to 4", "4 or more")
EXPERIENCE = (1, 2, 4, 8, 16)  # units that the worker had completed before
EXPERIENCE_NAMES = ("0", "1", "2–3", "4–7", "8–15", "16+")
FIRST_NAMES = ("H_k", "N_k", "other")
POSITION, FIRST, COMPLETED = "position in the unit", "first document", "units completed before"
SECONDS = (
    "Seconds over the geometric mean of what others spent on the same document. Look for first "
    "pages that take longer, and for workers who become faster."
)
READING = {
    "position": (
        "Scores over the geometric mean of the others' normalised scores of the same document. "
        "Look for a first page that differs from the rest, or for a slope."
    ),
    "before": (
        "By the score before over its unit's geometric mean: a document's score over the others' "
        "of it, against the same of the unit's remaining documents. (A high score alone lowers all "
        "others of its unit when it is normalised; this comparison is free of that.) Look for a "
        "slope: up, a score is drawn towards the one before; down, it is pushed away."
    ),
    "after-first": (
        "Scores after the first of a unit over the others' of the same document. As normalised "
        "scores of a unit balance, later ones are high where the first itself was scored lower "
        "than by those to whom it came later."
    ),
    "scale": (
        "The ratio of a unit's scores of H_k and N_k, over that of others' units of the topic, by "
        "the document that the unit began with. Look for an anchor that narrows or widens the "
        "scale when it comes first."
    ),
    "experience": (
        "How far scores are from the others' of the same document, on average, over how far "
        "theirs are. Look for workers who come closer with practice, or tire. Normalisation takes "
        "out what a whole unit is above others, so that the scores themselves cannot rise here."
    ),
    "seconds-position": SECONDS,
    "seconds-experience": SECONDS,
}


class Effect(NamedTuple):
    """What may matter for what; means: of logarithms, against others', a group each."""

    name: str
    of: str
    by: str
    groups: Sequence[str]
    means: GroupedMean


def less_others(data: StudyData, logs: Floats, which: Any = slice(None)) -> Floats:
    """Logarithms of some judgments, or all, less the mean of others' on the same document."""
    items, workers = data.judgments.items[which], data.judgments.workers[which]
    return against_others(logs, items, len(data.documents), workers)


def effects(data: StudyData, scores: Floats) -> Iterator[Effect]:
    """Every effect; scores: logarithms less the mean of the others' on the same document, (n,)."""
    judgments, first = data.judgments, _first(data)
    seconds = less_others(data, np.log(np.maximum(judgments.seconds, SHORTEST)))
    page = judgments.positions - 1
    pages = [str(number) for number in range(1, data.study.unit_size + 1)]
    experience = np.searchsorted(EXPERIENCE, data.units.earlier, side="right")[judgments.units]
    later = np.where(judgments.positions > 1, scores, np.nan)

    def means(groups: Sequence[str], logs: Floats, group: Ints) -> tuple[Any, GroupedMean]:
        clusters, items = judgments.workers, judgments.items
        return groups, grouped_mean(logs, group, clusters, len(groups), items)

    practice, after = EXPERIENCE_NAMES, first[judgments.units]
    distance = _distance(data, scores)
    before = means(BEFORE_NAMES, *_next_to(data, scores))
    yield Effect("position", "score", POSITION, *means(pages, scores, page))
    yield Effect("before", "score", "score before", *before)
    yield Effect("after-first", "later scores", FIRST, *means(FIRST_NAMES, later, after))
    yield Effect("scale", "H_k / N_k", FIRST, FIRST_NAMES, _scale_by_first(data, first))
    experienced = means(practice, distance, experience)
    yield Effect("experience", "distance from others", COMPLETED, *experienced)
    yield Effect("seconds-position", "seconds", POSITION, *means(pages, seconds, page))
    yield Effect("seconds-experience", "seconds", COMPLETED, *means(practice, seconds, experience))


def _next_to(data: StudyData, scores: Floats) -> tuple[Floats, Ints]:
    """Each score after the first, less the unit's remaining ones; and the bin of that before."""
    shape = (len(data.units), data.study.unit_size)
    table = scores.reshape(shape)
    known = (~np.isnan(table)).astype(np.int64)
    filled = np.nan_to_num(table)
    sums = filled.sum(axis=1, keepdims=True) - filled[:, 1:] - filled[:, :-1]
    rest = known.sum(axis=1, keepdims=True) - known[:, 1:] - known[:, :-1]
    contrast = np.full(shape, np.nan)
    contrast[:, 1:] = np.where(rest > 0, table[:, 1:] - sums / np.maximum(rest, 1), np.nan)
    logs = np.log(data.judgments.scores.reshape(shape))
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


def _scale_by_first(data: StudyData, first: Ints) -> GroupedMean:
    """H_k over N_k against others' units of the topic."""
    ratios = [np.log(topic.hk_nk) for topic in data.topics]
    topics = np.repeat(np.arange(len(ratios)), [len(of_topic) for of_topic in ratios])
    workers = data.units.workers
    logs = against_others(np.concatenate(ratios), topics, len(ratios), workers)
    return grouped_mean(logs, first, workers, len(FIRST_NAMES), topics)


def _distance(data: StudyData, scores: Floats) -> Floats:
    """How far a score is from the others', less the mean of how far those are."""
    known = ~np.isnan(scores)
    distance = np.full(len(scores), np.nan)
    distance[known] = less_others(data, np.abs(scores[known]), known)
    return distance
