"""Systems ranked by magnitudes and by labels (paper, section 7.2, Figure 10)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.systems import against_labels, ranked_systems
from evaluation.presentation import published
from evaluation.presentation.parts import Analysed, Table, Tell
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import scores_of
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.files.words import count
from magnitudes.measures.names import Measure


@dataclass(frozen=True)
class Found:
    """The orders of runs; left_out: topics without a label."""

    orders: against_labels.Found
    left_out: int


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Means of all systems under magnitudes, binary and graded labels, and how they agree."""
    if reason := comparing.why_not(data):
        return Analysed([reason])
    found = compute(data)
    return Analysed(
        [*says(found)],
        [
            *against_labels.figures(found.orders, "Figure 10"),
            against_labels.table(found.orders, against_labels.of_paper("runs", "TREC's")),
            *(table(found, measure) for measure in found.orders.systems.measures),
        ],
        against_labels.numbers(found.orders.of_all) | against_labels.best_numbers(found.orders),
    )


def compute(data: StudyData) -> Found:
    runs = ranked_systems.runs(data)
    orders = against_labels.compute(runs, scores_of(data.study))
    return Found(orders, len(data.topics) - len(runs.topics))


def says(found: Found) -> Iterator[str]:
    runs = found.orders.systems
    yield (
        f"{count(len(runs.names), 'system')} on {count(len(runs.topics), 'topic')}, ranked by "
        f"{found.orders.scores} and by labels. "
        + published.quote(
            "The paper found, with magnitudes of the three best units of each document, "
            "{systems.runs} systems, {topics_ranked.runs} topics and binary labels, a tau of "
            "{tau_runs_nDCG.all} and an overlap of top sets of {overlap_runs_nDCG.all:.0%} by "
            "nDCG, and {tau_runs_ERR.all} and {overlap_runs_ERR.all:.0%} by ERR."
        )
    )
    yield from against_labels.says(found.orders)
    if found.orders.kinds == ["binary"]:
        yield "No label says how relevant a document is: graded gains are the binary ones."
    yield from against_labels.says_limits(found.orders)
    if found.left_out:
        yield f"Left out: {count(found.left_out, 'topic')} without a label."


def table(found: Found, measure: Measure) -> Table:
    """All systems by one measure, best first: means and ranks by scores and by labels."""
    orders = found.orders
    rankings = [ranked for ranked in orders.of_all if ranked.measure == measure]
    by_scores, by_labels = rankings[0].by_scores, rankings[0].by_labels
    every = [by_scores, *(ranked.by_labels for ranked in rankings)]
    means = [values.values.mean(axis=0) for values in every]
    ranks = [competition_ranks(mean) for mean in means]
    columns = [column.tolist() for pair in zip(means, ranks, strict=True) for column in pair]
    columns += [_share(by_scores.judged).tolist(), _share(by_labels.judged).tolist()]
    names = [orders.scores, *(f"{ranked.labels}_labels" for ranked in rankings)]
    return Table(
        f"systems-{measure.name.lower()}",
        f"All systems by {measure}",
        (
            "system",
            *(f"{value}_by_{name}" for name in names for value in ("mean", "rank")),
            "judged",
            "labelled",
        ),
        [
            (orders.systems.names[run], *(column[run] for column in columns))
            for run in np.argsort(ranks[0], kind="stable").tolist()
        ],
        (
            "judged, labelled: share of the documents above the cutoff that the crowd judged, and "
            "that have a label; over topics with a list.",
        ),
        folded=True,
    )


def _share(judged: Floats) -> Floats:
    """The mean over topics with a list, by run; NaN where there is none."""
    listed = ~np.isnan(judged)
    result = np.full(judged.shape[1], np.nan)
    np.divide(np.nansum(judged, axis=0), listed.sum(axis=0), out=result, where=listed.any(axis=0))
    return result


ANALYSIS = Analysis(
    "rankings",
    "Does the crowd rank systems as labels do?",
    analyse,
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
