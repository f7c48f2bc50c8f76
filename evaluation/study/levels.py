"""Opinions as analyses of disagreement take them: one aspect, in named levels, of two judges."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Table
from evaluation.study.data import CUT, Ints, StudyData
from magnitudes.agreement.opinions import MISSING, Opinions
from magnitudes.files.words import count
from magnitudes.scaling.cutting import anchor_thresholds

PAPER = "Demeester and others, WSDM 2014"
MIN_LABELS = 6  # labels of a document, as the paper asks for
ENOUGH_TOPICS = 5  # to draw topics, for an interval
ALL, MANY, OTHERS = "all documents", f"{MIN_LABELS} labels or more", "without anchors"
APART = f"{MANY}, judges apart"


class Reading(NamedTuple):
    """Some of the opinions, and what they are called."""

    name: str
    opinions: Opinions


def source(place: str) -> str:
    """Where the paper on user disagreement has the like, as `Table.source` names it."""
    return f"{place} of {PAPER}"


def names(data: StudyData) -> list[str]:
    """What the levels are called, lowest first."""
    if data.study.is_graded:
        return list(data.study.levels)
    ends = {0: " (irrelevant anchor)", CUT - 1: " (relevant anchor)"}
    return [f"level {level}{ends.get(level, '')}" for level in range(CUT)]


def aspects(data: StudyData) -> list[str]:
    """What opinions are on, the main one first; a single name where nothing is told apart."""
    aspects, counts = np.unique(data.aspects.astype(str), return_counts=True)
    order = np.lexsort((aspects, -counts, aspects != data.study.main_aspect))
    return [str(name) for name in aspects[order]]


def opinions(data: StudyData) -> Opinions:
    """Those on the main aspect."""
    names = aspects(data)
    return data.opinions if len(names) < 2 else data.opinions.where(data.aspects == names[0])


def why_not(opinions: Opinions) -> str:
    """Why nothing can be learnt from disagreement; empty where something can."""
    if not opinions.given.items.size:
        return "There is no opinion in levels yet that could be disagreed with."
    if not two_judges(opinions).any():
        return "No document has the opinions of two judges: nobody could disagree."
    return ""


def why_no_chances(opinions: Opinions, top: str) -> str:
    """Why there is no chance that others find something the best; empty where there is."""
    if (reason := why_not(opinions)) or opinions.counts[:, -1].any():
        return reason
    return f"Nobody has given {top}, so that nothing can be told of the chance that others do."


def two_judges(opinions: Opinions) -> np.ndarray:
    """Which items have a level from two judges or more."""
    return np.bincount(_by_judge(opinions)[:, 0], minlength=opinions.n_items) > 1


def repeated(opinions: Opinions) -> int:
    """How many labels a judge gave to a document that they had labelled before."""
    return len(opinions.given.items) - len(_by_judge(opinions))


def _by_judge(opinions: Opinions) -> Ints:
    """Which judge gave a level to which item, once each: (n, 2), item and judge."""
    levels = opinions.given
    return np.unique(np.column_stack([levels.items, levels.judges]), axis=0)


def for_themselves(opinions: Opinions) -> Opinions:
    """Every label as that of a judge of its own, as the paper counts them."""
    judges = np.arange(len(opinions.items))
    return Opinions(
        opinions.items, opinions.levels, judges, opinions.n_levels, opinions.topic_of_item
    )


def without_anchors(data: StudyData, opinions: Opinions) -> Opinions:
    """Opinions on other documents; those given elsewhere are on such alone."""
    if not data.has_anchors:
        return opinions
    return opinions.where(~data.documents.is_anchor[opinions.items])


def readings(data: StudyData) -> list[Reading]:
    """The opinions in the ways that they are counted here, the first one being the main one."""
    every = opinions(data)
    if data.has_anchors:
        others = without_anchors(data, every)
        return [Reading(ALL, every), *([Reading(OTHERS, others)] if not why_not(others) else [])]
    many = every.where((every.counts.sum(axis=1) >= MIN_LABELS)[every.items])
    if why_not(many):
        return [Reading(ALL, for_themselves(every))]
    return [
        Reading(MANY, for_themselves(many)),
        Reading(ALL, for_themselves(every)),
        *([Reading(APART, many)] if repeated(many) else []),
    ]


def left_out(data: StudyData) -> list[str]:
    """Which topics' scores could not be cut."""
    if data.study.is_graded:
        return []
    every = opinions(data)
    topics = np.unique(data.documents.topics[every.items[every.levels == MISSING]])
    if not topics.size:
        return []
    return [anchors_alike(len(topics))]


def anchors_alike(topics: int) -> str:
    return (
        f"Left out: {count(topics, 'topic')} whose relevant anchor has no more gain than the "
        "irrelevant one."
    )


def sentences(data: StudyData, each: bool = True) -> list[str]:
    """How opinions became levels, which of them are taken, and whether `each` label counts."""
    texts = []
    if not data.study.is_graded:
        texts.append(
            f"Scores were cut into {CUT} levels: each topic has its own thresholds, in equal "
            "steps of ratios from the gain of the irrelevant anchor, level 0, to that of the "
            f"relevant anchor, level {CUT - 1}; a score has the nearest level."
        )
        texts += left_out(data)
    if len(names := aspects(data)) > 1:
        texts.append(
            f"The opinions are on {', '.join(name or 'nothing named' for name in sorted(names))}; "
            f"those on {names[0] or 'nothing named'} are taken."
        )
    if each and data.study.is_imported and repeated(opinions(data)):
        texts.append(
            "Every label counts for itself, as in the paper, even where one worker labelled a "
            "document more than once."
        )
    return texts


def thresholds(data: StudyData) -> list[Table]:
    """Where scores were cut, topic by topic; none where levels were given."""
    if data.study.is_graded or not data.topics:
        return []
    ends = np.array([(topic.gains[topic.n_k], topic.gains[topic.h_k]) for topic in data.topics])
    steps = anchor_thresholds(ends[:, 0], ends[:, 1], CUT)
    topics = Frame.of(
        query_id=[topic.query_id for topic in data.topics],
        gain_of_n_k=ends[:, 0],
        **{f"level_{level}_from": cuts for level, cuts in enumerate(steps.T, 1)},
        gain_of_h_k=ends[:, 1],
    )
    note = (
        "A normalised score has the level of the last threshold that it reaches: N_k (H_k / N_k)^("
        f"(j - 1/2) / {CUT - 1}) for level j; N_k and H_k are the gains of the irrelevant and the "
        "relevant anchor. A dash: H_k is no more than N_k, so nothing is cut."
    )
    return [topics.table("thresholds", "Where scores were cut into levels", note)]


def columns(panels: Sequence[str]) -> int:
    """How many panels fit beside each other under their names."""
    return 3 if len(panels) in (3, 5, 6, 9) and max(map(len, panels)) <= 16 else 2


class Two(NamedTuple):
    """Opinions of two judges in each topic, 0 and 1, and who they are."""

    opinions: Opinions
    judges: list[tuple[int, int, int, int]]  # topic, first, second, documents of both


def best_two(opinions: Opinions, least: int = 1) -> Two:
    """Of each topic the two judges who share most documents, each labelled `least` times by both.

    Of equal ones those who come first. The first of them is judge 0, the second judge 1.
    """
    given = opinions.given
    topics = given.topic_of_item[given.items]
    of_two = np.zeros(len(given.items), dtype=bool)
    of_second = np.zeros(len(given.items), dtype=np.int64)
    judges = []
    for topic in np.unique(topics).tolist():
        here = np.flatnonzero(topics == topic)
        first, second, shared = _who_share_most(given.items[here], given.judges[here], least)
        if shared:
            judges.append((topic, first, second, shared))
            rows = here[np.isin(given.judges[here], (first, second))]
            of_two[rows] = True
            of_second[rows] = given.judges[rows] == second
    labels = given.items[of_two], given.levels[of_two], of_second[of_two]
    return Two(Opinions(*labels, opinions.n_levels, opinions.topic_of_item), judges)


def _who_share_most(items: Ints, judges: Ints, least: int) -> tuple[int, int, int]:
    """Two judges, and how many items both labelled `least` times; from all labels of a topic."""
    people, person = np.unique(judges, return_inverse=True)
    documents, document = np.unique(items, return_inverse=True)
    labels = np.zeros((len(people), len(documents)))
    np.add.at(labels, (person, document), 1)
    enough = (labels >= least).astype(np.float64)
    shared = np.triu(enough @ enough.T, 1)
    first, second = np.unravel_index(int(shared.argmax()), shared.shape)
    return int(people[first]), int(people[second]), int(shared[first, second])


def first_two(opinions: Opinions) -> Opinions:
    """The first label of each document as judge 0's, the next one by somebody else as judge 1's."""
    given = opinions.given
    order = np.argsort(given.items, kind="stable")
    items, judges = given.items[order], given.judges[order]
    start = np.searchsorted(items, items)
    first = np.arange(len(items)) == start
    other = judges != judges[start]
    _, second = np.unique(np.where(other, items, -1), return_index=True)
    second = second[other[second]]
    rows = np.concatenate([np.flatnonzero(first), second])
    return Opinions(
        items[rows],
        given.levels[order][rows],
        np.repeat([0, 1], [int(first.sum()), len(second)]),
        opinions.n_levels,
        opinions.topic_of_item,
    )
