"""The crowd beside each label set of the collection (paper, Figures 3 and 6, both label sets).

**Shows**, if the collection has several label sets, all side by side, as the paper does with its
two: how many units agree with each to what extent, and the gains of documents by the level of each.

**Computed** as in the analyses *labels* and *levels*, for each set separately; the anchors, whose
order a check forces, do not count. At most four sets, of 2 to 10 levels.

**Source**: Figures 3 and 6.
"""

from dataclasses import dataclass
from typing import Any

from evaluation.analyses.agreement import agreeing_units, level_boxes
from evaluation.analyses.agreement.agreeing_units import REACHED, WITHOUT, Agreement, unforced
from evaluation.analyses.agreement.level_boxes import BOX
from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, listed, number, percent
from evaluation.study import label_levels
from evaluation.study.applies_to import in_units
from evaluation.study.data import StudyData
from evaluation.study.label_levels import HIGHEST, U_SHORT, U, name_of

MOST_SETS = 4  # that are drawn, as many as lines can be told apart


@dataclass(frozen=True)
class LabelSet:
    """The study by one set of labels: how its units agree with it, and the gains by level."""

    data: StudyData
    units: Agreement
    levels: list[str]
    documents: int  # that are judged and have a label
    boxes: list[dict[str, Any]]

    @property
    def name(self) -> str:
        return self.data.label_set


@analysis(
    "Does it matter with which labels the crowd is compared?",
    applies_to=in_units,
    titled=True,
    counts_unlabelled=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Agreement of units, and gains by level, by each label set side by side."""
    if not len(data.units):
        return Result(["No unit is completed yet: there is no score."])
    if not data.topics[0].other_labels:
        return Result(["The collection has one label set: there is none to hold beside it."])
    names = sorted(data.topics[0].other_labels)
    every = [data, *(data.by_label_set(name) for name in names)]
    comparable = [of for of in every if of.levels and 1 < len(of.with_zeros.levels) <= HIGHEST]
    units = [(of, unforced(agreeing_units.compute(of))) for of in comparable]
    sets = [_set(of, agreement) for of, agreement in units if agreement.known.size][:MOST_SETS]
    shown = {one.name for one in sets}
    others = [of.label_set for of in every if of.label_set not in shown]
    left_out = (
        f"Left out: {listed(others)}, with a single level, more than {HIGHEST}, or no unit with "
        "two of them."
    )
    if len(sets) < 2:
        fewer = "Fewer than two label sets can be compared with scores."
        return Result([" ".join([fewer, left_out, *label_levels.may_count(data)])])
    counted = [one for one in sets if one.data.with_zeros is not one.data]
    zeros = listed(f"{one.data.unlabelled:,} by “{one.name}”" for one in counted)
    as_zero = f"Unlabelled documents (U) that count as 0, by each set: {zeros}."
    without = all(one.units.documents == WITHOUT for one in sets)
    shares = [f"{percent(one.units.reached[0])} with “{one.name}”" for one in sets]
    title = (
        f"Units agree with the labels on every pair: {', '.join(shares)}"
        f"{', without the anchors' if without else ''}"
    )
    figure = agreeing_units.figure(
        {one.name: one.units for one in sets},
        ("label_set", "units"),
        title,
        "The share of units that agree so much or more with each label set.",
        "With more levels there are more such pairs.",
    )
    sentences = [f"{title}.", left_out if others else "", as_zero if zeros else ""]
    return Result([*filter(None, sentences)], [figure, _levels(sets), _table(sets, without)])


def _set(data: StudyData, units: Agreement) -> LabelSet:
    judged, name = label_levels.judged(data), data.label_set
    boxes = [{**row, "set": name} for row in level_boxes.of_levels(data, judged)]
    levels = [*map(name_of, data.levels)]
    return LabelSet(data, units, levels, int((judged.level < len(levels)).sum()), boxes)


def _levels(sets: list[LabelSet]) -> Figure:
    rows = [row for one in sets for row in one.boxes]
    ends = [row[end] for row in rows for end in ("low", "high", "value") if end in row]
    has_u = any(row["level"] == U for row in rows)
    order = sorted({level for one in sets for level in one.levels}, key=float)
    is_graded = sets[0].data.study.is_graded
    axis = {} if is_graded else plots.decades(min(ends) / 1.2, max(ends) * 1.2)
    across = plots.names("level", [*order, U_SHORT] if has_u else order, "level of the labels")
    plot = plots.boxes(ROWS, across, "gain", size=18, **axis)
    shown = [(row["set"], *(row[name] for name in BOX)) for row in rows if "n" in row]
    return (
        Frame.of_rows(["label_set", *BOX], shown)
        .with_heads(n="judgments")
        .figure(
            "levels",
            f"The median gain goes {'; '.join(map(_climbs, sets))}",
            "Gains by level, by each label set: median and quartiles, dots beyond the whiskers.",
            plots.panels(plot, "set", [one.name for one in sets], height=200, apart=True),
            data={ROWS: label_levels.called(rows, U_SHORT)},
            source="Figure 3",
            reading="Look for boxes that climb with the level in one set and not in the other."
            f"{label_levels.OF_U if has_u else ''}",
        )
    )


def _climbs(one: LabelSet) -> str:
    """From the lowest level to the highest."""
    medians = [row["median"] for row in one.boxes if "n" in row and row["level"] != U]
    return f"from {number(medians[0])} to {number(medians[-1])} by “{one.name}”"


def _table(sets: list[LabelSet], without_anchors: bool) -> Table:
    anchors = " The anchors, whose order a check forces, do not count." if without_anchors else ""
    rows = [
        (one.name, len(one.levels), one.documents, len(one.units.known), *one.units.reached)
        for one in sets
    ]
    columns = "label_set", "levels", "documents", "units", *REACHED
    return (
        Frame.of_rows(columns, rows)
        .with_heads(**REACHED)
        .table(
            "sets",
            "Label sets side by side",
            "Documents: judged ones with a label. Units: those with two documents of different "
            f"labels, of which the shares are.{anchors}",
        )
    )
