"""Simulated systems of ranked lists whose documents all have labels (section 7.2, Figure 11)."""

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData, TopicData
from evaluation.analyses.study.fits import scores_of
from evaluation.analyses.systems import concordance
from evaluation.analyses.telling.parts import Analysed, Row, Table, Tell
from evaluation.comparison.subruns import SubRuns, complete_sub_runs
from trec.words import count

SYSTEMS, DEEP, LEAST = 100, 10, 2
PAPER = {"nDCG": (0.147, 0.3171), "ERR": (0.060, 0.6818)}


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """A hundred systems that take a complete list on each topic, by labels and by magnitudes."""
    if reason := systems.why_not(data):
        return Analysed([reason])
    topics, made = simulated(data)
    if len(topics) < LEAST:
        return Analysed([_too_few(len(topics))])
    found = concordance.ranked(topics, scores_of(data.study), picking(made))
    reasons = {one.compared.reason for one in found} - {""}
    return Analysed(
        [
            f"{SYSTEMS} simulated systems: on each of {count(len(topics), 'topic')} they take one "
            f"list at random of those whose first {DEEP} documents all have labels. The paper "
            "found, with magnitudes of the three best units of each document, 12 topics and "
            "Sormunen's four levels, a tau of .147 and an overlap of top sets of 32% by nDCG, and "
            ".060 and 68% by ERR.",
            *concordance.said(found),
            *systems.too_few(len(topics)),
            *(f"What is not defined: {reason}." for reason in sorted(reasons)),
        ],
        [
            *concordance.scatters(
                found, [f"simulation {n + 1}" for n in range(SYSTEMS)], "Figure 11"
            ),
            concordance.agreement(found, ("Sormunen's", 100, 12), PAPER),
            _lists(data, topics, made),
        ],
        {f"tau_{one.measure.name}_{one.kind}": one.compared.tau.tau for one in found},
    )


def simulated(data: StudyData) -> tuple[list[TopicData], SubRuns]:
    """The topics with two complete lists or more, and the systems made of these."""
    topics = systems.labelled(data)
    made = complete_sub_runs(
        [topic.lists for topic in topics],
        [_has_label(topic) for topic in topics],
        SYSTEMS,
        DEEP,
        LEAST,
        data.seed,
    )
    return [topics[place] for place in made.topics.tolist()], made


def picking(made: SubRuns) -> concordance.Pick:
    """From values of the kept topics, (topics, runs), to those of simulated systems."""

    def pick(values: Floats) -> Floats:
        return np.take_along_axis(values, made.choices.T, axis=1)

    return pick


def _has_label(topic: TopicData) -> NDArray[np.bool_]:
    """Of each document by code, whether it has a label."""
    codes = topic.labelled.codes
    known = np.zeros(max(codes.max(initial=-1), topic.lists.max(initial=-1)) + 1, dtype=np.bool_)
    known[codes[codes >= 0]] = True
    return known


def _too_few(topics: int) -> str:
    return (
        f"{count(topics, 'topic has', 'topics have')} two lists or more whose first {DEEP} "
        f"documents all have labels, and simulated systems need {LEAST} such topics."
    )


def _lists(data: StudyData, topics: list[TopicData], made: SubRuns) -> Table:
    rows: list[Row] = [
        (topic.query_id, complete, int((topic.lists >= 0).any(axis=1).sum()))
        for topic, complete in zip(topics, made.lists.tolist(), strict=True)
    ]
    return Table(
        "lists",
        f"Lists whose first {DEEP} documents all have labels",
        ("query_id", "complete_lists", "lists"),
        rows,
        (f"Topics with fewer than {LEAST} are left out: {len(data.topics) - len(topics)}.",),
    )


ANALYSIS = Analysis("subruns", "And systems whose documents all have labels?", analyse)
