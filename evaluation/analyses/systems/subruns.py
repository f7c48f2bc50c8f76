"""Simulated systems of ranked lists whose documents all have labels (section 7.2, Figure 11)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.systems import against_labels, ranked_systems
from evaluation.analyses.systems.ranked_systems import HOW_MANY, LEAST
from evaluation.presentation import published
from evaluation.presentation.parts import Analysed, Table, Tell
from evaluation.study import comparing
from evaluation.study.data import StudyData
from evaluation.study.fits import scores_of
from evaluation.study.label_levels import may_count
from evaluation.study.topics import TopicData
from magnitudes.comparison.subruns import SubRuns
from magnitudes.files.words import count


class Lists(NamedTuple):
    """How many lists of a topic are complete, and how many there are."""

    query_id: str
    complete_lists: int
    lists: int


@dataclass(frozen=True)
class Found:
    """The orders of simulated systems; left_out: topics with too few complete lists.

    deep: documents of a list that must have labels.
    """

    orders: against_labels.Found
    lists: list[Lists]
    left_out: int
    deep: int


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """A hundred systems that take a complete list on each topic, by labels and by magnitudes."""
    if reason := comparing.why_not(data):
        return Analysed([reason])
    topics, sub_runs = ranked_systems.draw(data)
    if len(topics) < LEAST:
        too_few = _too_few(len(topics), comparing.cutoff(data.study))
        return Analysed([too_few, *may_count(data)])
    found = compute(data, topics, sub_runs)
    return Analysed(
        [*says(found)],
        [
            *against_labels.figures(found.orders, "Figure 11"),
            against_labels.table(
                found.orders,
                against_labels.of_paper("simulated", "Sormunen's"),
                "simulated systems",
            ),
            table(found),
        ],
        # With the three best units, as the paper has them, where there are units.
        against_labels.numbers(found.orders.rankings) | against_labels.best_numbers(found.orders),
    )


def _too_few(topics: int, deep: int) -> str:
    return (
        f"{count(topics, 'topic has', 'topics have')} two lists or more whose first {deep} "
        f"documents all have labels, and simulated systems need {LEAST} such topics."
    )


def compute(data: StudyData, topics: list[TopicData], sub_runs: SubRuns) -> Found:
    """topics, sub_runs: as `ranked_systems.draw` gives them."""
    systems = ranked_systems.simulated(data, topics, sub_runs)
    lists = [
        Lists(topic.query_id, complete, int((topic.lists >= 0).any(axis=1).sum()))
        for topic, complete in zip(topics, sub_runs.lists.tolist(), strict=True)
    ]
    orders = against_labels.compute(systems, scores_of(data.study))
    left_out = len(data.topics) - len(topics)
    return Found(orders, lists, left_out, comparing.cutoff(data.study))


def says(found: Found) -> Iterator[str]:
    yield (
        f"{HOW_MANY} simulated systems: on each of {count(len(found.lists), 'topic')} they take "
        f"one list at random of those whose first {found.deep} documents all have labels. "
        + published.quote(
            "The paper found, with magnitudes of the three best units of each document, "
            "{topics_ranked.simulated} topics and Sormunen's four levels, a tau of "
            "{tau_simulated_nDCG.all} and an overlap of top sets of "
            "{overlap_simulated_nDCG.all:.0%} by nDCG, and {tau_simulated_ERR.all} and "
            "{overlap_simulated_ERR.all:.0%} by ERR."
        )
    )
    yield from against_labels.says(found.orders)
    yield from against_labels.says_limits(found.orders)


def table(found: Found) -> Table:
    return Table(
        "lists",
        f"Lists whose first {found.deep} documents all have labels",
        Lists,
        found.lists,
        (f"Topics with fewer than {LEAST} are left out: {found.left_out}.",),
        folded=True,
    )


ANALYSIS = Analysis(
    "subruns",
    "With fully labelled lists only",
    analyse,
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
