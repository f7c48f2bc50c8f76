"""The order of systems with one score a document, drawn at random (section 7.3, Figure 12).

**Shows** how tau with the order by labels is distributed if every document has one score, drawn
1,000 times from its scores; beside it, tau with the medians of all scores.

**Computed**: scores are normalised once, from all units. For systems, and for simulated ones if
there are any.

**Source**: section 7.3, Figure 12. The paper says that the taus of its Figures 10 and 11, which are
with the three best units, lie around the middle of such draws.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.systems import random_scores, ranked_systems
from evaluation.analyses.systems.random_scores import DRAWS, Taus
from evaluation.analyses.systems.ranked_systems import RUNS
from evaluation.presentation import boxes, plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, OnProgress, Result, Table, correlation, interval
from evaluation.study import scoring
from evaluation.study.data import StudyData
from magnitudes.comparison.resampling import QUANTILES, quantiles


def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """The distribution of tau when every document has one score of those it was given."""
    if reason := scoring.why_not(data):
        return Result([reason])
    every: list[Taus] = []
    groups = [*ranked_systems.both(data)]
    for done, systems in enumerate(groups, 1):
        every += random_scores.taus_of(systems, data.seed)
        on_progress(done / len(groups))
    defined = [taus for taus in every if taus.defined.size]
    reasons = sorted({taus.reason for taus in every} - {""})
    if not defined:
        why = "; ".join(reasons) or "all draws make all systems equal"
        return Result([f"No order of systems can be compared: {why}."])
    figures = [
        _figure([taus for taus in defined if taus.systems == systems])
        for systems in dict.fromkeys(taus.systems for taus in defined)
    ]
    return Result([*_sentences(defined)], [*figures, _table(every, reasons)])


def _sentences(every: Sequence[Taus]) -> Iterator[str]:
    yield (
        f"One score of each document was drawn {DRAWS:,} times, and systems ranked by these "
        "alone. In the paper, tau with the three best-agreeing units of each document (its "
        "Figures 10 and 11) lies around the middle of such draws."
    )
    for taus in every:
        if taus.systems == RUNS:
            low, _, median, _, high = quantiles(taus.of_draws)
            yield (
                f"{taus.labels} labels: tau is {correlation(median, 3)} at the median and "
                f"{interval(low, high)} in 95% of draws, and {correlation(taus.of_all, 3)} with "
                "the medians of all scores."
            )


def _figure(every: Sequence[Taus]) -> Figure:
    first = every[0]
    across = plots.names("by", [taus.labels for taus in every])
    draws = Frame.of(
        labels=[taus.labels for taus in every for _ in range(DRAWS)],
        draw=np.tile(np.arange(1, DRAWS + 1), len(every)),
        tau=np.concatenate([taus.of_draws for taus in every]),
    )
    of_all = Frame.of(by=across.order, mean=[taus.of_all for taus in every])
    return draws.figure(
        first.systems.replace(" ", "-"),
        _title(first),
        "Boxes: tau of each draw with the order by labels. Diamonds: tau with the medians of all "
        "scores. Look for high boxes, which say that one person depends much on who it is, and for "
        "diamonds above them: many scores agree with labels better than one.",
        plots.sized(plots.boxes(ROWS, across, "Kendall's tau", means=True)),
        data={
            ROWS: [
                *_boxes(every),
                *of_all.marks(lambda row: f"{row.by}: {correlation(row.mean, 3)}, all scores"),
            ]
        },
        source="Figure 12",
    )


def _title(first: Taus) -> str:
    """Tau with one score beside that with all; which is larger may be chance."""
    _, _, median, _, _ = quantiles(first.of_draws)
    one, by = correlation(median), f"{first.labels} labels"
    systems = "systems" if first.systems == RUNS else first.systems
    said = f"With one score a document tau of {systems} with the labels is {one} at the median"
    if np.isnan(first.of_all):
        return f"{said} ({by})"
    return f"{said} of draws, with all {correlation(first.of_all)} ({by})"


def _boxes(every: Sequence[Taus]) -> Iterator[dict[str, object]]:
    """Boxes of the draws; a diamond is where tau of all scores is, not where their mean is."""
    groups = np.repeat(np.arange(len(every)), [taus.defined.size for taus in every])
    about = [{"by": taus.labels, "name": taus.labels} for taus in every]
    for row in boxes.rows(np.concatenate([taus.defined for taus in every]), groups, about):
        yield {name: value for name, value in row.items() if name != "mean"}


def _table(every: Sequence[Taus], reasons: Sequence[str]) -> Table:
    shares = [f"{100 * share:g}%" for share in QUANTILES]
    rows = [
        (
            *(taus.systems, taus.labels, *quantiles(taus.of_draws)),
            *(taus.of_all, DRAWS - taus.defined.size),
        )
        for taus in every
    ]
    columns = ["systems", "measure_and_labels", *shares, "all_scores", "undefined"]
    return Frame.of_rows(columns, rows).table(
        "quantiles",
        f"Kendall's tau with the order by labels, {DRAWS:,} draws",
        "undefined: draws that make all systems equal.",
        *(f"A dash: {reason}." for reason in reasons),
    )


ANALYSIS = Analysis(
    "resampling",
    "How much depends on who judged a document?",
    analyse,
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
