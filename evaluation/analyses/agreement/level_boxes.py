"""Gains by level as boxes, over all topics and on each. A part of the analysis `levels`."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from evaluation.presentation import boxes, plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure
from evaluation.study import label_levels
from evaluation.study.data import StudyData
from evaluation.study.label_levels import OF_U, U_BELOW, U_SHORT, Judged, U, called
from magnitudes.agreement.pairs import LevelOrder
from magnitudes.files.words import count
from web.drawing.charts import Plot

MAX_TOPICS = 24  # that are drawn
FOOT = 2.2  # times: room below the boxes for how many documents they are of
BOX = ("level", "n", "low", "q1", "median", "q3", "high")
Boxes = list[dict[str, Any]]  # as `plots.boxes` takes them


def of_levels(data: StudyData, judged: Judged) -> Boxes:
    """A box for each level that some document has."""
    about = _about(label_levels.names(data))
    return boxes.rows(judged.gains, judged.level, about, log=not data.study.is_graded)


def _about(names: list[str]) -> list[dict[str, str]]:
    """What boxes of levels say besides their numbers."""
    return [{"level": name, "name": name if name == U else f"level {name}"} for name in names]


def _axes(data: StudyData, judged: Judged, levels: Frame, u: str) -> tuple[Any, dict[str, Any]]:
    """The axis of levels, on which U is called `u`, and what that of gains is like."""
    names = plots.names("level", [u if name == U else name for name in levels["level"]])
    if data.study.is_graded:
        return names, {"domain": (-0.5, len(data.study.levels) - 1), "whole": True}
    return names, plots.decades(judged.gains.min() / FOOT, judged.gains.max() * 1.2)


def _with_counts(chart: Plot, across: Any, gains: dict[str, Any]) -> Plot:
    """Boxes with the number of their documents at the foot of the plot."""
    foot = plots.axis("foot", None, **gains)
    style: dict[str, Any] = {"size": 11, "dy": -7, "colour": plots.INK}
    return plots.layer(chart, plots.mark("text", ROWS, x=across, y=foot, text="n_said", **style))


def _counted(drawn: Iterable[dict[str, Any]], gains: dict[str, Any]) -> Boxes:
    foot = gains["domain"][0]
    return [
        {**row, "foot": foot, "n_said": f"{row['n']:,}"} if "n" in row else row for row in drawn
    ]


def all_topics(data: StudyData, judged: Judged, levels: Frame, drawn: Boxes, title: str) -> Figure:
    items, names = judged.items.tolist(), np.array(label_levels.names(data), dtype=object)
    pairs = Frame.of_rows("query_id doc_id", map(data.pair_name, items))
    documents = pairs.with_columns(
        level=names[judged.level], gain=judged.gains, scores=data.documents.counts[judged.items]
    )
    across, gains = _axes(data, judged, levels, U_BELOW)
    across = replace(across, title="level of the labels")
    scale = "" if data.study.is_graded else " on this axis of ratios"
    return documents.figure(
        "all-topics",
        title,
        f"Boxes: median and quartiles; whiskers to 1.5 times the height of the box{scale}; dots "
        "beyond; below: how many documents.",
        _with_counts(plots.boxes(ROWS, across, "gain", **gains), across, gains),
        data={ROWS: _counted(called(drawn, U_BELOW), gains)},
        source="Figure 3",
        reading="Look for boxes that climb with the level, and for dots that lie among the boxes "
        f"of another level.{OF_U if U in levels['level'] else ''}",
    )


def by_topic(data: StudyData, judged: Judged, levels: Frame, order: LevelOrder) -> Figure:
    query_ids, names = [topic.query_id for topic in data.topics], label_levels.names(data)
    about = [
        {**row, "topic": topic, "name": f"topic {topic}, {row['name']}"}
        for topic in query_ids
        for row in _about(names)
    ]
    groups = judged.topic * len(names) + judged.level
    drawn = boxes.rows(judged.gains, groups, about, log=not data.study.is_graded)
    faults = np.zeros(len(query_ids))
    for pair in label_levels.pairs(order.medians):
        faults[pair.out] += 1
    most = np.sort(np.argsort(-faults, kind="stable")[:MAX_TOPICS])  # pairs out of order
    shown, left_out = [query_ids[place] for place in most], max(len(query_ids) - MAX_TOPICS, 0)
    across, gains = _axes(data, judged, levels, U_SHORT)
    chart = _with_counts(plots.boxes(ROWS, across, "gain", size=14, **gains), across, gains)
    rows = [tuple(row[name] for name in ("topic", *BOX)) for row in drawn if "n" in row]
    return (
        Frame.of_rows(("query_id", *BOX), rows)
        .with_heads(n="documents")
        .figure(
            "by-topic",
            f"Medians are out of order on {len(order.topics)} of {count(len(query_ids), 'topic')}",
            "Topic by topic, all on one scale; below boxes: how many documents"
            + (
                f". Not drawn: {count(left_out, 'topic')} with fewer medians out of order."
                if left_out
                else "."
            ),
            plots.panels(chart, "topic", shown),
            data={
                ROWS: _counted(
                    called((row for row in drawn if row["topic"] in shown), U_SHORT), gains
                )
            },
            source="Figure 4",
            reading="Look for lines in boxes that do not climb from left to right."
            f"{OF_U if U in levels['level'] else ''}",
        )
    )
