"""The order of systems with one score a document, drawn at random (section 7.3, Figure 12)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.systems import ranked_systems
from evaluation.analyses.systems.ranked_systems import RUNS, Systems
from evaluation.presentation import boxes, plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    correlation,
    drawn,
    interval,
)
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.resampling import QUANTILES, quantiles, resample

DRAWS = 1000


class Draw(NamedTuple):
    """Tau of one draw with the order by labels."""

    labels: str
    draw: int
    tau: float


class Taus(NamedTuple):
    """Tau with the order by labels: of each draw (NaN: all systems equal), and of all scores."""

    systems: str
    labels: str  # and the measure
    of_draws: Floats
    of_all: float
    reason: str

    @property
    def defined(self) -> Floats:
        return self.of_draws[~np.isnan(self.of_draws)]


@dataclass(frozen=True)
class Found:
    """Taus of runs, and of simulated systems if there are any."""

    taus: list[Taus]

    @property
    def defined(self) -> list[Taus]:
        """Those with a draw that orders systems."""
        return [taus for taus in self.taus if taus.defined.size]

    @property
    def reasons(self) -> list[str]:
        """Why there is no tau."""
        return sorted({taus.reason for taus in self.taus} - {""})


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """The distribution of tau when every document has one score of those it was given."""
    if reason := comparing.why_not(data):
        return Analysed([reason])
    found = compute(data, tell)
    if not found.defined:
        why = "; ".join(found.reasons) or "all draws make all systems equal"
        return Analysed([f"No order of systems can be compared: {why}."])
    return Analysed([*says(found)], [*figures(found), table(found)])


def compute(data: StudyData, tell: Tell) -> Found:
    taus: list[Taus] = []
    groups = [*ranked_systems.both(data)]
    for done, systems in enumerate(groups, 1):
        taus += _taus(systems, data.seed)
        tell(done / len(groups))
    return Found(taus)


def _taus(systems: Systems, seed: int) -> Iterator[Taus]:
    topics = systems.topics
    scored = [comparing.drawable(*pair) for pair in zip(topics, systems.lists, strict=True)]
    everything = [comparing.magnitudes(topic) for topic in topics]
    for kind in comparing.kinds(topics):
        labels = [comparing.labels(topic, comparing.KINDS[kind]) for topic in topics]
        for measure in systems.measures:
            by_labels = systems.measure(labels, measure).values
            by_all = systems.measure(everything, measure).values
            name = f"order by {kind} labels"
            resampled = resample(scored, measure, by_labels, DRAWS, seed, name=name)
            yield Taus(
                systems.called,
                f"{measure.name}, {kind}",
                resampled.taus,
                tau_b(by_labels.mean(axis=0), by_all.mean(axis=0)),
                resampled.reason,
            )


def says(found: Found) -> Iterator[str]:
    yield (
        f"One score of each document was drawn {DRAWS:,} times, and systems ranked by these "
        "alone. In the paper, tau with the three best-agreeing units of each document (its "
        "Figures 10 and 11) lies around the middle of such draws."
    )
    for taus in found.defined:
        if taus.systems == RUNS:
            low, _, median, _, high = quantiles(taus.of_draws)
            yield (
                f"{taus.labels} labels: tau is {correlation(median, 3)} at the median and "
                f"{interval(low, high)} in 95% of draws, and {correlation(taus.of_all, 3)} with "
                "the medians of all scores."
            )


def figures(found: Found) -> Iterator[Figure]:
    """One for runs, and one for simulated systems."""
    for systems in dict.fromkeys(taus.systems for taus in found.defined):
        yield _figure([taus for taus in found.defined if taus.systems == systems])


def _figure(every: Sequence[Taus]) -> Figure:
    first = every[0]
    across = plots.names("by", [taus.labels for taus in every])
    return Figure(
        first.systems.replace(" ", "-"),
        _title(first),
        "Boxes: tau of each draw with the order by labels. Diamonds: tau with the medians of all "
        "scores. Look for high boxes, which say that one person depends much on who it is, and for "
        "diamonds above them: many scores agree with labels better than one.",
        plots.sized(plots.boxes("taus", across, "Kendall's tau", means=True)),
        {"taus": [*_boxes(every), *drawn(every, "", _tooltip, by="labels", mean="of_all")]},
        Draw,
        [
            Draw(taus.labels, draw, tau)
            for taus in every
            for draw, tau in enumerate(taus.of_draws.tolist(), 1)
        ],
        "Figure 12",
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


def _tooltip(taus: Taus) -> str:
    return f"{taus.labels}: {correlation(taus.of_all, 3)}, all scores"


def table(found: Found) -> Table:
    rows: list[Row] = [
        (
            *(taus.systems, taus.labels, *quantiles(taus.of_draws)),
            *(taus.of_all, DRAWS - taus.defined.size),
        )
        for taus in found.taus
    ]
    return Table(
        "quantiles",
        f"Kendall's tau with the order by labels, {DRAWS:,} draws",
        (
            *("systems", "measure_and_labels"),
            *(f"{100 * share:g}%" for share in QUANTILES),
            *("all_scores", "undefined"),
        ),
        rows,
        (
            "undefined: draws that make all systems equal.",
            *(f"A dash: {reason}." for reason in found.reasons),
        ),
    )


ANALYSIS = Analysis(
    "resampling",
    "How much depends on who judged a document?",
    analyse,
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
