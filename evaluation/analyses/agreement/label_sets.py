"""The crowd beside each label set of the collection (paper, Figures 3 and 6, both label sets).

**Shows**, if the collection has several label sets, all side by side, as the paper does with its
two: how many units agree with each to what extent, and the gains of documents by the level of each.

**Computed** as in the analyses *labels* and *levels*, for each set separately; the anchors, whose
order a check forces, do not count. At most four sets, of 2 to 10 levels.

**Source**: Figures 3 and 6.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.agreement import labels
from evaluation.analyses.analysis import Analysis
from evaluation.presentation import boxes, plots
from evaluation.presentation.parts import (
    Figure,
    OnProgress,
    Result,
    Table,
    drawn,
    listed,
    number,
    percent,
)
from evaluation.study import label_levels
from evaluation.study.applies_to import in_units
from evaluation.study.data import Floats, StudyData
from evaluation.study.topics import TopicData
from judging import completed

MOST_SETS = 4  # that are drawn, as many as lines can be told apart
BOX = ("level", "n", "low", "q1", "median", "q3", "high")


class Step(NamedTuple):
    """How many units, and which share, agree with a label set by so much or more."""

    label_set: str
    agreement: float
    units: int
    share: float


class Agreement(NamedTuple):
    """How a label set fits the crowd; shares are of units with a pair of documents."""

    label_set: str
    levels: int
    documents: int  # that are judged and have a label
    units: int  # with a pair
    perfect: float
    above_8: float
    above_6: float


@dataclass(frozen=True)
class LabelSet:
    """The units, and the gains by level, as one set of labels has them."""

    name: str
    names: list[str]  # of its levels
    documents: int
    units: labels.Found
    boxes: list[dict[str, Any]]

    @property
    def agreement(self) -> Agreement:
        units = self.units.unforced
        shares = units.perfect, units.above_8, units.above_6
        return Agreement(self.name, len(self.names), self.documents, units.with_a_pair, *shares)

    @property
    def steps(self) -> Iterator[Step]:
        """Without the anchors, where a unit then has a pair."""
        for step in self.units.steps:
            if step.documents == self.units.unforced.documents:
                units = step.units_with_at_least_this
                yield Step(self.name, step.agreement, units, step.share)


@dataclass(frozen=True)
class Found:
    """The label sets, that which is shown first."""

    sets: list[LabelSet]
    left_out: list[str]  # with too many levels, or too few labels
    graded: bool
    without_anchors: bool
    zeros: dict[str, int]  # by set, how many unlabelled documents count as 0, where some do


def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Agreement of units, and gains by level, by each label set side by side."""
    if not len(data.units):
        return Result(["No unit is completed yet: there is no score."])
    found = compute(data)
    if not data.topics[0].other_labels:
        return Result(["The collection has one label set: there is none to hold beside it."])
    if len(found.sets) < 2:
        fewer = "Fewer than two label sets can be compared with scores."
        return Result([" ".join([fewer, *_says_left_out(found), *label_levels.may_count(data)])])
    return Result([*says(found)], [_units(found), _levels(found), table(found)])


def compute(data: StudyData) -> Found:
    others = sorted(data.topics[0].other_labels)
    sets = {name: _by(data, name) for name in (data.label_set, *others)}
    known = {name: one for name, one in sets.items() if _is_shown(one)}
    units = {name: labels.compute(one) for name, one in known.items()}
    used = [name for name, found in units.items() if found.whole.with_a_pair][:MOST_SETS]
    return Found(
        [_set(known[name], units[name]) for name in used],
        [name for name in sets if name not in used],
        data.study.is_graded,
        all(units[name].without_anchors for name in used),
        {
            name: known[name].unlabelled
            for name in used
            if known[name].with_zeros is not known[name]
        },
    )


def _is_shown(data: StudyData) -> bool:
    return bool(data.levels) and 1 < len(data.with_zeros.levels) <= label_levels.HIGHEST


def _by(data: StudyData, name: str) -> StudyData:
    """The study, its labels those of a set: of the pools."""
    if name == data.label_set:
        return data
    topics = [_labelled(topic, topic.other_labels[name]) for topic in data.topics]
    return replace(data, label_set=name, topics=topics)


def _labelled(topic: TopicData, labels: Floats) -> TopicData:
    known = np.flatnonzero(~np.isnan(labels))
    doc_ids = [topic.doc_ids[place] for place in known]
    labelled = completed.Labelled(doc_ids, topic.codes[known], labels[known])
    return replace(topic, labels=labels, labelled=labelled)


def _set(data: StudyData, units: labels.Found) -> LabelSet:
    judged, names = label_levels.judged(data), [*map(label_levels.name_of, data.levels)]
    about = [{"level": name, "set": data.label_set, "name": f"level {name}"} for name in names]
    about.append({"level": label_levels.U, "set": data.label_set, "name": label_levels.U})
    rows = boxes.rows(judged.gains, judged.level, about, log=not data.study.is_graded)
    labelled = int((judged.level < len(names)).sum())
    return LabelSet(data.label_set, names, labelled, units, rows)


def says(found: Found) -> Iterator[str]:
    yield f"{_title(found)}."
    yield from _says_left_out(found)
    if found.zeros:
        documents = listed(f"{n:,} by “{name}”" for name, n in found.zeros.items())
        yield f"Unlabelled documents (U) that count as 0, by each set: {documents}."


def _says_left_out(found: Found) -> Iterator[str]:
    if found.left_out:
        yield (
            f"Left out: {listed(found.left_out)}, with a single level, more than "
            f"{label_levels.HIGHEST}, or no unit with two of them."
        )


def _title(found: Found) -> str:
    shares = [f"{percent(one.units.unforced.perfect)} with “{one.name}”" for one in found.sets]
    without = ", the anchors left aside" if found.without_anchors else ""
    return f"Units agree with the labels on every pair: {', '.join(shares)}{without}"


def _units(found: Found) -> Figure:
    across = plots.axis("agreement", "agreement with the labels", domain=(0, 1))
    up = plots.axis("share", "share of units with at least this", domain=(0, 1), percent=True)
    rows = [step for one in found.sets for step in one.steps]
    names = [one.name for one in found.sets]
    return Figure(
        "units",
        _title(found),
        "The share of units that agree so much or more with each label set.",
        plots.sized(plots.kinds_of_lines("steps", across, up, "label_set", names, step="before")),
        {"steps": drawn(rows, "label_set agreement share")},
        Step,
        rows,
        "Figure 6",
        reading="Agreement: the share of a unit's pairs of documents with different labels that "
        "its scores do not put in the wrong order. With more levels there are more such pairs.",
    )


def _levels(found: Found) -> Figure:
    rows = [row for one in found.sets for row in one.boxes]
    ends = [row[end] for row in rows for end in ("low", "high", "value") if end in row]
    order = sorted({name for one in found.sets for name in one.names}, key=float)
    if has_u := any(row["level"] == label_levels.U for row in rows):
        order.append(label_levels.U_SHORT)
    axis = {} if found.graded else plots.decades(min(ends) / 1.2, max(ends) * 1.2)
    across = plots.names("level", order, "level of the labels")
    chart = plots.panels(
        plots.boxes("boxes", across, "gain", size=18, **axis),
        "set",
        [one.name for one in found.sets],
        height=200,
        apart=True,
    )
    return Figure(
        "levels",
        f"The median gain goes {'; '.join(map(_climbs, found.sets))}",
        "Gains by level, by each label set: median and quartiles, dots beyond the whiskers.",
        chart,
        {"boxes": label_levels.called(rows, label_levels.U_SHORT)},
        ("label_set", *BOX),
        [(row["set"], *(row[name] for name in BOX)) for row in rows if "n" in row],
        "Figure 3",
        reading="Look for boxes that climb with the level in one set and not in the other."
        f"{label_levels.OF_U if has_u else ''}",
    )


def _climbs(one: LabelSet) -> str:
    """From the lowest level to the highest."""
    medians = [row["median"] for row in one.boxes if "n" in row and row["level"] != label_levels.U]
    return f"from {number(medians[0])} to {number(medians[-1])} by “{one.name}”"


def table(found: Found) -> Table:
    anchors = (
        " The anchors, whose order a check forces, do not count." if found.without_anchors else ""
    )
    return Table(
        "sets",
        "Label sets side by side",
        tuple(name.replace("above_", "above_.") for name in Agreement._fields),
        [one.agreement for one in found.sets],
        (
            "Documents: judged ones with a label. Units: those with two documents of different "
            f"labels, of which the shares are.{anchors}",
        ),
    )


ANALYSIS = Analysis(
    "label_sets",
    "Does it matter which labels the crowd is held against?",
    analyse,
    applies_to=in_units,
    titled=True,
    counts_unlabelled=True,
)
