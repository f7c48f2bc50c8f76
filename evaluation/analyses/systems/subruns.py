"""Simulated systems of ranked lists whose documents all have labels (section 7.2, Figure 11).

**Shows** the same for 100 simulated systems: each takes, on every topic with two or more such
lists, a random one of those whose first 10 documents all have labels.

**Computed**: with at least two such topics; otherwise it says how many there are. Their tau has no
interval: any number of them can be drawn from the same lists, which would make it arbitrarily
narrow.

**Source**: section 7.2, Figure 11.
"""

from collections.abc import Iterator

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.systems import against_labels, label_figures, ranked_systems
from evaluation.analyses.systems.against_labels import Orders
from evaluation.analyses.systems.ranked_systems import HOW_MANY, MIN_TOPICS
from evaluation.presentation import published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Result
from evaluation.study import scoring
from evaluation.study.applies_to import scores_of
from evaluation.study.data import StudyData
from evaluation.study.label_levels import may_count
from magnitudes.files.words import count


@analysis("With fully labelled lists only", titled=True, of_systems=True, counts_unlabelled=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """A hundred systems that take a complete list on each topic, by labels and by magnitudes."""
    if reason := scoring.why_not(data):
        return Result([reason])
    topics, sub_runs = ranked_systems.draw(data)
    deep = scoring.cutoff(data.study)  # documents of a list that must have labels
    if len(topics) < MIN_TOPICS:
        too_few = (
            f"{count(len(topics), 'topic has', 'topics have')} two lists or more whose first "
            f"{deep} documents all have labels, and simulated systems need {MIN_TOPICS} such "
            "topics."
        )
        return Result([too_few, *may_count(data)])
    systems = ranked_systems.simulated(data, topics, sub_runs)
    orders = against_labels.compute(systems, scores_of(data.study))
    lists = Frame.of(
        query_id=[topic.query_id for topic in topics],
        complete_lists=sub_runs.lists,
        lists=[int((topic.lists >= 0).any(axis=1).sum()) for topic in topics],
    )
    return Result(
        [*_sentences(orders, deep)],
        [
            *label_figures.figures(orders, "Figure 11"),
            label_figures.table_of_orders(orders, ("simulated", "Sormunen's"), "simulated systems"),
            lists.table(
                "lists",
                f"Lists whose first {deep} documents all have labels",
                f"Topics with fewer than {MIN_TOPICS} are left out: "
                f"{len(data.topics) - len(topics)}.",
            ),
        ],
        # With the three best units, as the paper has them, where there are units.
        against_labels.numbers(orders.rankings) | against_labels.best_numbers(orders),
    )


def _sentences(orders: Orders, deep: int) -> Iterator[str]:
    topics = count(len(orders.systems.topics), "topic")
    yield (
        f"{HOW_MANY} simulated systems: on each of {topics} they take "
        f"one list at random of those whose first {deep} documents all have labels. "
        + published.quote(
            "The paper found, with magnitudes of the three best units of each document, "
            "{topics_ranked.simulated} topics and Sormunen's four levels, a tau of "
            "{tau_simulated_nDCG.all} and an overlap of top sets of "
            "{overlap_simulated_nDCG.all:.0%} by nDCG, and {tau_simulated_ERR.all} and "
            "{overlap_simulated_ERR.all:.0%} by ERR."
        )
    )
    yield from against_labels.sentences(orders)
    yield from against_labels.limits(orders)
