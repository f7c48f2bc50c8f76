"""Opinions as analyses of disagreement take them: one aspect, in named levels, of two judges."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.agreement.opinions import MISSING, Opinions
from evaluation.analyses.study.data import CUT, Ints, StudyData
from evaluation.analyses.telling.parts import Row, Table
from evaluation.scaling.cutting import anchor_thresholds
from trec.words import count

PAPER = "Demeester and others, WSDM 2014"
ENOUGH = 6  # labels of a document, as the paper asks for
ENOUGH_TOPICS = 5  # to draw topics, for an interval
ALL, MANY, OTHERS = "all documents", f"{ENOUGH} labels or more", "without anchors"
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
    ends = {0: " (as N_k)", CUT - 1: " (as H_k)"}
    return [f"level {level}{ends.get(level, '')}" for level in range(CUT)]


def aspects(data: StudyData) -> list[str]:
    """What opinions are on, the main one first; a single name where nothing is told apart."""
    found, often = np.unique(data.aspects.astype(str), return_counts=True)
    order = np.lexsort((found, -often, found != data.study.main_aspect))
    return [str(name) for name in found[order]]


def opinions(data: StudyData) -> Opinions:
    """Those on the main aspect."""
    of = aspects(data)
    return data.opinions if len(of) < 2 else data.opinions.where(data.aspects == of[0])


def why_not(said: Opinions) -> str:
    """Why nothing can be learnt from disagreement; empty where something can."""
    given = said.given
    if not given.items.size:
        return "There is no opinion in levels yet that could be disagreed with."
    if not two_judges(said).any():
        return "No document has the opinions of two judges: nobody could disagree."
    return ""


def why_no_chances(said: Opinions, top: str) -> str:
    """Why there is no chance that others find something the best; empty where there is."""
    if (reason := why_not(said)) or said.counts[:, -1].any():
        return reason
    return f"Nobody has given {top}, so that nothing can be told of the chance that others do."


def two_judges(said: Opinions) -> np.ndarray:
    """Which items have a level from two judges or more."""
    given = said.given
    pairs = np.unique(np.column_stack([given.items, given.judges]), axis=0)
    return np.bincount(pairs[:, 0], minlength=said.n_items) > 1


def for_themselves(said: Opinions) -> Opinions:
    """Every label as that of a judge of its own, as the paper counts them."""
    return Opinions(
        said.items, said.levels, np.arange(len(said.items)), said.n_levels, said.topic_of_item
    )


def without_anchors(data: StudyData, said: Opinions) -> Opinions:
    """Opinions on other documents; those given elsewhere are on such alone."""
    return said.where(~data.is_anchor[said.items]) if data.has_anchors else said


def readings(data: StudyData) -> list[Reading]:
    """The opinions in the ways that they are counted here, the first one being the main one."""
    said = opinions(data)
    many = said.where((said.counts.sum(axis=1) >= ENOUGH)[said.items])
    if data.has_anchors:
        others = without_anchors(data, said)
        return [Reading(ALL, said), *([Reading(OTHERS, others)] if not why_not(others) else [])]
    alone = for_themselves(said)
    found = [Reading(ALL, alone)]
    if not why_not(many):
        found = [Reading(MANY, for_themselves(many)), *found]
        if repeated(many):
            found.append(Reading(APART, many))
    return found


def repeated(said: Opinions) -> int:
    """How many labels a judge gave to a document that they had labelled before."""
    given = said.given
    different = np.unique(np.column_stack([given.items, given.judges]), axis=0)
    return len(given.items) - len(different)


def left_out(data: StudyData) -> list[str]:
    """Which topics' scores could not be cut."""
    if data.study.is_graded or not (lost := len(np.unique(data.topic_of_item[_missing(data)]))):
        return []
    return [f"Left out: {count(lost, 'topic')} whose H_k has no more gain than its N_k."]


def told(data: StudyData, each: bool = True) -> list[str]:
    """How opinions became levels, which of them are taken, and whether `each` label counts."""
    said = []
    if not data.study.is_graded:
        said.append(
            f"Scores were cut into {CUT} levels: each topic has its own thresholds, in equal "
            "steps of ratios between the gains of N_k, which is level 0, and of H_k, which is "
            f"level {CUT - 1}; a score has the nearest level."
        )
        said += left_out(data)
    if len(of := aspects(data)) > 1:
        said.append(
            f"The opinions are on {', '.join(name or 'nothing named' for name in sorted(of))}; "
            f"those on {of[0] or 'nothing named'} are taken."
        )
    if each and data.study.is_imported and repeated(opinions(data)):
        said.append(
            "Every label counts for itself, as in the paper, even where one worker labelled a "
            "document more than once."
        )
    return said


def _missing(data: StudyData) -> Ints:
    found = opinions(data)
    return found.items[found.levels == MISSING]


def thresholds(data: StudyData) -> list[Table]:
    """Where scores were cut, topic by topic; none where levels were given."""
    if data.study.is_graded or not data.topics:
        return []
    ends = np.array([(topic.gains[topic.n_k], topic.gains[topic.h_k]) for topic in data.topics])
    steps = anchor_thresholds(ends[:, 0], ends[:, 1], CUT)
    rows: list[Row] = [
        (topic.query_id, n_k, *cuts, h_k)
        for topic, (n_k, h_k), cuts in zip(data.topics, ends.tolist(), steps.tolist(), strict=True)
    ]
    return [
        Table(
            "thresholds",
            "Where scores were cut into levels",
            ("query_id", "gain_of_n_k", *(f"level_{j}_from" for j in range(1, CUT)), "gain_of_h_k"),
            rows,
            (
                "A normalised score has the level of the last threshold that it reaches: N_k (H_k "
                f"/ N_k)^((j - 1/2) / {CUT - 1}) for level j. A dash: H_k has no more gain than "
                "N_k, so nothing is cut.",
            ),
        )
    ]


def columns(panels: Sequence[str]) -> int:
    """How many panels fit beside each other under their names."""
    return 3 if len(panels) in (3, 5, 6, 9) and max(map(len, panels)) <= 16 else 2


class Two(NamedTuple):
    """Opinions of two judges in each topic, 0 and 1, and who they are."""

    opinions: Opinions
    judges: list[tuple[int, int, int, int]]  # topic, first, second, documents of both


def best_two(said: Opinions, least: int = 1) -> Two:
    """Of each topic the two judges who share most documents, each labelled `least` times by both.

    Of equal ones those who come first. The first of them is judge 0, the second judge 1.
    """
    given = said.given
    topic = given.topic_of_item[given.items]
    kept = np.zeros(len(given.items), dtype=bool)
    judges = np.zeros(len(given.items), dtype=np.int64)
    found = []
    for number in np.unique(topic).tolist():
        here = np.flatnonzero(topic == number)
        who, code = np.unique(given.judges[here], return_inverse=True)
        _, item = np.unique(given.items[here], return_inverse=True)
        labels = np.zeros((len(who), int(item.max()) + 1))
        np.add.at(labels, (code, item), 1)
        there = (labels >= least).astype(np.float64)
        shared = np.triu(there @ there.T, 1)
        first, second = np.unravel_index(int(shared.argmax()), shared.shape)
        if not (n := int(shared[first, second])):
            continue
        found.append((number, int(who[first]), int(who[second]), n))
        of_both = here[(code == first) | (code == second)]
        kept[of_both] = True
        judges[of_both] = given.judges[of_both] == who[second]
    return Two(
        Opinions(
            given.items[kept],
            given.levels[kept],
            judges[kept],
            said.n_levels,
            said.topic_of_item,
        ),
        found,
    )


def first_two(said: Opinions) -> Opinions:
    """The first label of each document as judge 0's, the next one by somebody else as judge 1's."""
    given = said.given
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
        said.n_levels,
        said.topic_of_item,
    )
