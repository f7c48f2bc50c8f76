"""Systems ranked by magnitudes and by labels (paper, section 7.2, Figure 10).

**Shows** the mean of every system by magnitudes and by labels, as nDCG in the form of the paper and
as ERR, both at 10: dots with the top sets marked and some runs named, Kendall's tau with its 95%
interval, and the overlap of top sets, which is not informative if one contains more than half of
the systems; and a table of all systems with ranks and with the shares of their documents that are
judged and labelled. Binary labels are level > 0, graded ones the level itself; if no level is above
1, they are the same, and shown once.

**Computed**: magnitudes are the gains of the pool, labels those of all labelled documents of a
topic, and each has its own ideal; a document without a label counts as 0, and is not among the
labelled ones unless the study [counts it as 0](#documents-without-a-label). Topics without a label
are left out. The top set is the best system observed and all systems that do not differ
significantly from it in a two-sided Wilcoxon signed-rank test over topics, each compared alone (p ≥
0.05): they need not be equal. Below 6 topics, which are too few, there is no top set and no
interval. Intervals beyond -1 and 1 are cut for display, and marked; the CSV has the full ones.
Overlap is the share of the labels' top set that is in both, so the larger the other set, the higher
it is. *3 best units*: the median of the three scores of a document whose units agree best with the
labels, ties by fewest documents without a label, then by the number of the unit.

**Source**: section 7.2, Figure 10, which has the three best units.
"""

from collections.abc import Iterator

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.systems import against_labels, label_figures, ranked_systems
from evaluation.analyses.systems.against_labels import Orders
from evaluation.presentation import published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Result, Table
from evaluation.ranking import share_judged
from evaluation.study import scoring
from evaluation.study.applies_to import scores_of
from evaluation.study.data import StudyData
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.files.words import count
from magnitudes.measures.names import Measure


@analysis(
    "Does the crowd rank systems as labels do?",
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Means of all systems under magnitudes, binary and graded labels, and how they agree."""
    if reason := scoring.why_not(data):
        return Result([reason])
    orders = against_labels.compute(ranked_systems.runs(data), scores_of(data.study))
    return Result(
        [*_sentences(data, orders)],
        [
            *label_figures.figures(orders, "Figure 10"),
            label_figures.table_of_orders(orders, ("runs", "TREC's")),
            *(_table(orders, measure) for measure in orders.systems.measures),
        ],
        against_labels.numbers(orders.of_all) | against_labels.best_numbers(orders),
    )


def _sentences(data: StudyData, orders: Orders) -> Iterator[str]:
    runs = orders.systems
    yield (
        f"{count(len(runs.names), 'system')} on {count(len(runs.topics), 'topic')}, ranked by "
        f"{orders.scores} and by labels. "
        + published.quote(
            "The paper found, with magnitudes of the three best units of each document, "
            "{systems.runs} systems, {topics_ranked.runs} topics and binary labels, a tau of "
            "{tau_runs_nDCG.all} and an overlap of top sets of {overlap_runs_nDCG.all:.0%} by "
            "nDCG, and {tau_runs_ERR.all} and {overlap_runs_ERR.all:.0%} by ERR."
        )
    )
    yield from against_labels.sentences(orders)
    if {ranked.labels for ranked in orders.rankings} == {"binary"}:
        yield "No label says how relevant a document is: graded gains are the binary ones."
    yield from against_labels.limits(orders)
    if left_out := len(data.topics) - len(runs.topics):
        yield f"Left out: {count(left_out, 'topic')} without a label."


def _table(orders: Orders, measure: Measure) -> Table:
    """All systems by one measure, best first: means and ranks by scores and by labels."""
    rankings = [ranked for ranked in orders.of_all if ranked.measure == measure]
    by_scores, by_labels = rankings[0].by_scores, rankings[0].by_labels
    values = {orders.scores: by_scores}
    values |= {f"{ranked.labels}_labels": ranked.by_labels for ranked in rankings}
    systems = Frame.of(system=orders.systems.names)
    for name, of_name in values.items():
        means = of_name.values.mean(axis=0)
        columns = {f"mean_by_{name}": means, f"rank_by_{name}": competition_ranks(means)}
        systems = systems.with_columns(**columns)
    systems = systems.with_columns(
        judged=share_judged(by_scores.judged), labelled=share_judged(by_labels.judged)
    )
    return systems.sorted_by(f"rank_by_{orders.scores}").table(
        f"systems-{measure.name.lower()}",
        f"All systems by {measure.short}",
        "judged, labelled: share of the documents above the cutoff that the crowd judged, and "
        "that have a label; over topics with a list.",
    )
