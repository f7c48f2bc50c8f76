"""The order of systems with one score a document, drawn at random (section 7.3, Figure 12).

**Shows** how tau with the order by labels is distributed if every document has one score, drawn
1,000 times from its scores; beside it, tau with the medians of all scores.

**Computed**: scores are normalised once, from all units. For systems, and for simulated ones if
there are any.

**Source**: section 7.3, Figure 12. The paper says that the taus of its Figures 10 and 11, which are
with the three best units, lie around the middle of such draws.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis, tracked
from evaluation.analyses.systems import ranked_systems
from evaluation.analyses.systems.ranked_systems import RUNS, Systems
from evaluation.presentation import boxes, plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import (
    OF_PAPER,
    Figure,
    Result,
    Table,
    correlation,
    dashes,
    interval,
)
from evaluation.study import scoring
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.resampling import QUANTILES, quantiles, resample

DRAWS = 1000


class Taus(NamedTuple):
    """Tau with the order by labels: of each draw (NaN: all systems equal), and of all scores."""

    systems: str
    labels: str  # and the measure
    of_draws: Floats
    of_all: float
    reason: str


@analysis(
    "How much depends on who judged a document?",
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """The distribution of tau when every document has one score of those it was given."""
    if reason := scoring.why_not(data):
        return Result([reason])
    groups = tracked([*ranked_systems.both(data)], on_progress)
    every = [taus for systems in groups for taus in _taus(systems, data.seed)]
    defined = [taus for taus in every if np.isfinite(taus.of_draws).any()]
    if not defined:
        reasons = sorted({taus.reason for taus in every} - {""})
        why = "; ".join(reasons) or "all draws make all systems equal"
        return Result([f"No order of systems can be compared: {why}."])
    figures = [_figure([*some]) for _, some in groupby(defined, lambda taus: taus.systems)]
    return Result([*_sentences(defined)], [*figures, _table(every)])


def _taus(systems: Systems, seed: int) -> Iterator[Taus]:
    scored = list(map(scoring.drawable, systems.topics, systems.lists))
    everything = [scoring.magnitudes(topic) for topic in systems.topics]
    for kind, measure, (by_labels, _) in systems.by_labels():
        drawn = resample(scored, measure, by_labels, DRAWS, seed, name=f"order by {kind} labels")
        by_all = systems.measure(everything, measure).values
        of_all = tau_b(by_labels.mean(axis=0), by_all.mean(axis=0))
        yield Taus(systems.called, f"{measure.name}, {kind}", drawn.taus, of_all, drawn.reason)


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
    taus = np.concatenate([taus.of_draws for taus in every])
    known, groups = ~np.isnan(taus), np.repeat(np.arange(len(every)), DRAWS)
    about = [{"by": name, "name": name} for name in across.order]
    of_draws = boxes.rows(taus[known], groups[known], about)
    # A diamond is where tau of all scores is, not where the mean of the draws is.
    drawn = [row | {"mean": None} for row in of_draws]
    of_all = Frame.of(by=across.order, mean=[taus.of_all for taus in every])
    drawn += of_all.marks("{by}: {mean:tau}, all scores")
    diamonds = plots.paper(across, plots.axis("mean", "Kendall's tau"))
    return Frame.of(
        labels=np.repeat(np.array(across.order, dtype=object), DRAWS),
        draw=np.tile(np.arange(1, DRAWS + 1), len(every)),
        tau=taus,
    ).figure(
        first.systems.replace(" ", "-"),
        _title(first),
        "Boxes: tau of each draw with the order by labels. Small diamonds: tau with the medians of "
        "all scores. Look for tall boxes, where the result depends much on who judged, and "
        "for diamonds above them: many scores agree with labels better than one.",
        plots.sized(plots.layer(plots.boxes(ROWS, across, "Kendall's tau", means=True), diamonds)),
        data={ROWS: drawn, OF_PAPER: [*_of_paper(first.systems, across.order)]},
        source="Figure 12",
    )


def _of_paper(systems: str, drawn: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Tau of its Figures 10 (runs, binary labels) and 11 (simulated systems, graded ones)."""
    kind, labels = ("runs", "binary") if systems == RUNS else ("simulated", "graded")
    for name in scoring.NAMES:
        if (by := f"{name}, {labels}") in drawn:
            tau = published.value(f"tau_{kind}_{name}.all")
            yield {"by": by, "mean": tau, "name": f"the paper, three best units: {tau:.3f}"}


def _title(first: Taus) -> str:
    """Tau with one score beside that with all; which is larger may be chance."""
    _, _, median, _, _ = quantiles(first.of_draws)
    systems = "systems" if first.systems == RUNS else first.systems
    with_all = "" if np.isnan(first.of_all) else f", with all scores {correlation(first.of_all)}"
    return (
        f"With one score per document, the order of {systems} has a median tau of "
        f"{correlation(median)} with that by labels{with_all} ({first.labels} labels)"
    )


def _table(every: Sequence[Taus]) -> Table:
    shares = [f"{100 * share:g}%" for share in QUANTILES]
    return Frame.of(
        systems=[taus.systems for taus in every],
        measure_and_labels=[taus.labels for taus in every],
        **dict(zip(shares, quantiles([taus.of_draws for taus in every]).T, strict=True)),
        all_scores=[taus.of_all for taus in every],
        undefined=[np.isnan(taus.of_draws).sum() for taus in every],
    ).table(
        "quantiles",
        f"Kendall's tau with the order by labels, {DRAWS:,} draws",
        "undefined: draws that make all systems equal.",
        *dashes(taus.reason for taus in every),
    )
