"""Boxes of gains by level of the labels (paper, section 5, Figures 3 and 4)."""

from typing import Any

import numpy as np

from evaluation.agreement.pairs import LevelOrder
from evaluation.analyses.study import level_groups
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.study.level_groups import NONE, Judged
from evaluation.analyses.telling import boxes as boxing
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Figure, Table, number
from trec.words import count

MOST_TOPICS = 24  # that are drawn
BOXES = ("n", "low", "q1", "median", "q3", "high")


def _about(names: list[str], **more: Any) -> list[dict[str, Any]]:
    return [
        {"level": name, "name": "no label" if name == NONE else f"level {name}", **more}
        for name in names
    ]


def all_topics(data: StudyData, judged: Judged) -> Figure:
    names = level_groups.names(data)
    rows = boxing.rows(judged.gains, judged.level, _about(names), log=not data.study.is_graded)
    labelled = [row for row in rows if "median" in row and row["level"] != NONE]
    first, last = labelled[0], labelled[-1]
    says = (
        f"From level {first['level']} to {last['level']} the median gain goes from "
        f"{number(first['median'])} to {number(last['median'])}"
        if len(labelled) > 1
        else f"At level {first['level']} the median gain is {number(first['median'])}"
    )
    return Figure(
        "all-topics",
        says,
        "Boxes: quartiles and median; whiskers to 1.5 times the height of the box"
        f"{'' if data.study.is_graded else ', on this logarithmic scale'}; dots beyond. “none”: "
        "documents without a label. Look for boxes that climb with the level, and for dots that "
        "lie among the boxes of another level.",
        plots.sized(
            plots.boxes(
                "boxes",
                plots.category("level", level_groups.used(data, judged), "level of the labels"),
                "gain",
                **_axis(data, judged),
            )
        ),
        {"boxes": rows},
        ("query_id", "doc_id", "level", "gain", "scores"),
        [
            (*data.pair_name(item), names[level], gain, int(data.counts[item]))
            for item, level, gain in zip(
                judged.items.tolist(), judged.level.tolist(), judged.gains.tolist(), strict=True
            )
        ],
        "Figure 3",
    )


def _axis(data: StudyData, judged: Judged) -> dict[str, Any]:
    if data.study.is_graded:
        return {"domain": (0, len(data.study.levels) - 1)}
    return plots.decades(judged.gains.min() / 1.2, judged.gains.max() * 1.2)


def by_topic(data: StudyData, judged: Judged, order: LevelOrder) -> Figure:
    names, topics = level_groups.names(data), [topic.query_id for topic in data.topics]
    faults = np.bincount(
        np.concatenate([pair.out for pair in level_groups.pairs(order.medians)] or [order.topics]),
        minlength=len(topics),
    )
    drawn = np.sort(np.argsort(-faults, kind="stable")[:MOST_TOPICS])
    about = [
        {**row, "topic": topic, "name": f"topic {topic}, {row['name']}"}
        for topic in topics
        for row in _about(names)
    ]
    rows = boxing.rows(
        judged.gains, judged.topic * len(names) + judged.level, about, log=not data.study.is_graded
    )
    shown = [topics[place] for place in drawn.tolist()]
    wide = len(names) > 4
    few = len(topics) - len(shown)
    return Figure(
        "by-topic",
        f"Medians are out of order on {len(order.topics)} of {count(len(topics), 'topic')}",
        "As above, topic by topic, all on one scale. Look for lines in boxes that do not climb "
        "from left to right."
        + (f" {count(few, 'topic')} with fewer such are not drawn." if few else ""),
        plots.panels(
            plots.boxes(
                "boxes",
                plots.category("level", level_groups.used(data, judged)),
                "gain",
                size=12,
                **_axis(data, judged),
            ),
            "topic",
            shown,
            columns=2 if wide else 3,
        ),
        {"boxes": [row for row in rows if row["topic"] in set(shown)]},
        ("query_id", "level", *BOXES),
        [
            (row["topic"], row["level"], *(row[name] for name in BOXES))
            for row in rows
            if "median" in row
        ],
        "Figure 4",
    )


def by_level(data: StudyData, judged: Judged) -> Table:
    names = level_groups.names(data)
    boxes = boxing.rows(judged.gains, judged.level, _about(names), log=not data.study.is_graded)
    mean = "mean" if data.study.is_graded else "geometric_mean"
    rows = []
    for box in boxes:
        if "median" in box:
            gains = judged.gains[judged.level == names.index(box["level"])]
            middle = (box[name] for name in ("n", "median", "q1", "q3", "mean"))
            rows.append((box["level"], *middle, gains.min(), gains.max()))
    return Table(
        "by-level",
        "Gains by level",
        ("level", "n", "median", "q1", "q3", mean, "smallest", "largest"),
        rows,
        ("n: documents with a gain, on all topics. q1, q3: quartiles.",),
    )
