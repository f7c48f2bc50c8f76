"""What more topics and more judges would give and cost, as the analysis `enough` shows it."""

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Table
from evaluation.study import judges_apart, scoring
from evaluation.study.data import StudyData
from magnitudes.comparison.larger_study import Larger
from magnitudes.measures.names import Measure

TIMES = 1, 1.5, 2  # judges, and topics
DIFFERENCES = 0.02, 0.05, 0.1  # that systems might truly have; never those observed
DRAWS = 300  # of topics, for intervals
KINDS = {
    "judges as now": ("circle", plots.MARK),
    "judges × 1.5": ("diamond", plots.OTHER),
    "judges × 2": ("triangle-up", plots.INK),
}
NAMES = {"topic": "topics", "judge": "judges", "rest": "single scores"}  # of the parts

LOW_HIGH = f"Low, high: its 95% interval, by {DRAWS} draws of topics"


def topics_of(data: StudyData) -> tuple[int, int]:
    """How many the study has, and its collection."""
    in_study = max(data.topics_of_study, len(data.topics))
    return in_study, max(data.topics_there, in_study)


def of_sizes(data: StudyData, larger: Larger) -> Frame:
    """What each size takes and costs, by topics, then judges, and the half-width it would give.

    A unit costs nothing that is known, NaN, where nothing is paid.
    """
    half_widths = Frame.of_rows("half_width low high", [size.half_width for size in larger.sizes])
    topics = np.array([size.topics for size in larger.sizes])
    times = np.array([size.judges_times for size in larger.sizes])
    units = np.ceil(len(data.units) * topics / len(data.topics) * times).astype(np.int64)
    study = data.study
    of_unit = float(study.payment or 0) * (1 + float(study.platform_fee or 0)) or np.nan
    judges = judges_apart.judges_of(data) * times
    of = {"topics": topics, "judges": judges, **half_widths.columns}
    return Frame.of(**of, units=units, cost=units * of_unit)


def figure(larger: Larger, sizes: Frame, measure: Measure, title: str) -> Figure:
    names = dict(zip(TIMES, KINDS, strict=True))
    widths = sizes.of_columns("topics", "judges", "half_width", "low", "high").with_columns(
        topics=[f"{size.topics} topics" for size in larger.sizes],
        judges=[names[size.judges_times] for size in larger.sizes],
    )
    down = plots.names("topics", list(dict.fromkeys(widths["topics"])))
    head = f"half-width of a difference, {measure.short}"
    chart = plots.intervals_of_kinds(ROWS, "half_width", head, down, "judges", KINDS, ticks=4)
    return widths.figure(
        "half-widths",
        title,
        "Half of the 95% interval of a difference of two systems, averaged over pairs.",
        plots.sized(chart, 180, plots.WIDTH - 110),
        label="{topics}, {judges}: ±{half_width:.3f}",
        reading=(
            "Dots: what is expected for so many topics and judges; lines: its 95% interval. "
            "Further left is better."
        ),
    )


def tables(data: StudyData, larger: Larger, sizes: Frame) -> list[Table]:
    told_apart = _told_apart(data, larger, sizes)
    return [_sizes(data, larger, sizes), told_apart, _components(data, larger)]


def _sizes(data: StudyData, larger: Larger, sizes: Frame) -> Table:
    study, cost = data.study, sizes["cost"]
    name = f"cost_{study.currency}" if study.currency else "cost"
    shares = {
        f"told_apart_{away:g}": Column(
            [size.shares[at].value for size in larger.sizes], f"differ if {away:g} apart"
        )
        for at, away in enumerate(DIFFERENCES)
    }
    shown = sizes.of_columns("topics", "judges", "half_width", "low", "high").with_columns(
        **shares,
        **{"opinions" if study.is_imported else "units": sizes["units"]},
        **({} if np.isnan(cost).any() else {name: cost}),
        collection_has_topics=np.where(sizes["topics"] <= topics_of(data)[1], "yes", "no"),
    )
    return shown.table(
        "sizes",
        "What more topics or more judges would give",
        "Half width: of the 95% t interval of a difference, averaged over pairs. "
        f"{LOW_HIGH} (seed {data.seed}). Differ: the share of pairs that differ significantly by "
        "a paired t-test, each pair alone, at .05, if they truly are so far apart.",
    )


def _told_apart(data: StudyData, larger: Larger, sizes: Frame) -> Table:
    rows = [
        (row.topics, row.judges, away, *share)
        for row, size in zip(sizes, larger.sizes, strict=True)
        for away, share in zip(DIFFERENCES, size.shares, strict=True)
    ]
    return Frame.of_rows("topics judges difference share low high", rows).table(
        "told-apart",
        "Pairs that would differ significantly, if systems truly differed by so much",
        "share: of pairs, by a paired t-test at .05, each pair alone. "
        f"{LOW_HIGH} (seed {data.seed}).",
    )


def _components(data: StudyData, larger: Larger) -> Table:
    rows = [
        (NAMES[name], *part, float(part.value / larger.components.total))
        for name, part in larger.parts.items()
    ]
    return Frame.of_rows("part variance low high share", rows).table(
        "components",
        f"Variance of a difference on one topic by {scoring.first(data.study).short}, averaged "
        "over pairs",
        "judges: what a person does to all documents of a topic that they judge; single "
        "scores: what a score has of its own. Both as they are with the judges of now, "
        f"{judges_apart.judges_of(data):g} a document at the median; more divide them. Set equal "
        "to expected mean squares, with other crowds made of halves of the judges; cut at 0. A "
        "document with one score has the variance of those with more.",
    )
