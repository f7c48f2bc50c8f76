"""Gains by level as boxes, over all topics and on each. A part of the analysis `levels`."""

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

MAX_TOPICS = 8  # that are drawn
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
        return names, {"domain": (0, len(data.study.levels) - 1)}
    return names, plots.decades(judged.gains.min() / 1.2, judged.gains.max() * 1.2)


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
        "beyond.",
        plots.sized(plots.boxes(ROWS, across, "gain", **gains)),
        data={ROWS: called(drawn, U_BELOW)},
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
    chart = plots.boxes(ROWS, across, "gain", size=12, **gains)
    rows = [tuple(row[name] for name in ("topic", *BOX)) for row in drawn if "n" in row]
    return (
        Frame.of_rows(("query_id", *BOX), rows)
        .with_heads(n="documents")
        .figure(
            "by-topic",
            f"Medians are out of order on {len(order.topics)} of {count(len(query_ids), 'topic')}",
            "Topic by topic, all on one scale"
            + (f". Left out: {count(left_out, 'topic')} with fewer." if left_out else "."),
            plots.panels(chart, "topic", shown, columns=2 if len(names) > 4 else 3),
            data={ROWS: called((row for row in drawn if row["topic"] in shown), U_SHORT)},
            source="Figure 4",
            reading="Look for lines in boxes that do not climb from left to right."
            f"{OF_U if U in levels['level'] else ''}",
        )
    )
