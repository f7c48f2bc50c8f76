"""Gains by level, Welch's tests of neighbouring levels, and medians out of order.

A part of the analysis `levels`.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Table, listed
from evaluation.study import label_levels
from evaluation.study.data import StudyData
from evaluation.study.label_levels import Judged
from magnitudes.agreement.pairs import LevelOrder, adjacent_level_tests
from magnitudes.scaling.aggregation import aggregate

SIGNIFICANT = 0.05
OF_LOGS = ("t_of_logs", "p_of_logs")


def without_anchors(data: StudyData) -> str:
    return ", the anchors left out" if data.has_anchors else ""


def by_level(data: StudyData, judged: Judged, boxes: list[dict[str, Any]]) -> Frame:
    """The gains of each level that some document has, U the last; boxes: of these levels."""
    names = label_levels.names(data)
    rows = [
        (*(box[name] for name in ("level", "n", "median", "q1", "q3", "mean")), of.min(), of.max())
        for box in boxes
        if "n" in box
        for of in [judged.gains[judged.level == names.index(box["level"])]]
    ]
    mean = "mean" if data.study.is_graded else "geometric_mean"
    return Frame.of_rows(f"level n median q1 q3 {mean} smallest largest", rows)


def welch(data: StudyData, judged: Judged) -> Frame:
    """Tests of adjacent levels without the anchors, whose order a check forces.

    Levels have no logarithms: both tests of graded scores are one. rises: whether gains of the
    higher level are significantly higher.
    """
    graded, levels = data.study.is_graded, len(data.levels)
    others = ~data.documents.is_anchor[judged.items]
    gains, level = judged.gains[others], judged.level[others]
    labels = data.documents.labels[judged.items[others]]
    n = np.bincount(level, minlength=levels)[:levels]
    mean = "arithmetic" if graded else "geometric"
    means = aggregate(gains, level, levels + 1, mean).values[:levels]
    plain = adjacent_level_tests(gains, labels, data.levels)
    logs = plain if graded else adjacent_level_tests(np.log(gains), labels, data.levels)
    mean, called = ("mean", "mean") if graded else ("geometric_mean", "geometric mean")
    columns = {
        "levels": [", ".join(two) for two in pairwise(label_levels.names(data)[:-1])],
        "n_lower": Column(n[:-1], head="documents, lower level"),
        "n_higher": Column(n[1:], head="documents, higher level"),
        f"{mean}_lower": Column(means[:-1], head=f"{called}, lower level"),
        f"{mean}_higher": Column(means[1:], head=f"{called}, higher level"),
        "t": plain.t,
        "p": plain.p,
        "t_of_logs": Column(logs.t, head="t, logarithms"),
        "p_of_logs": Column(logs.p, head="p, logarithms"),
        "rises": (logs.p < SIGNIFICANT) & (means[:-1] < means[1:]),
    }
    return Frame.of(**columns).where((n[:-1] > 0) & (n[1:] > 0))


def as_in_paper(data: StudyData, judged: Judged) -> dict[str, int]:
    """How many of the tests of adjacent levels, with the anchors and without logarithms, differ."""
    tests = adjacent_level_tests(judged.gains, data.documents.labels[judged.items], data.levels)
    differ = (tests.p < SIGNIFICANT) & (tests.t > 0)
    return {"paper_tests": int(np.isfinite(tests.p).sum()), "paper_differ": int(differ.sum())}


def _out_of_order(data: StudyData, order: LevelOrder) -> Frame:
    """On how many topics, and on which, the medians of two levels are out of order."""
    names, rows = label_levels.names(data), []
    for pair in label_levels.pairs(order.medians):
        which = listed((data.topics[place].query_id for place in pair.out), most=24)
        levels = f"{names[pair.lower]}, {names[pair.higher]}"
        rows.append((levels, pair.adjacent, pair.topics, len(pair.out), which))
    frame = Frame.of_rows("levels adjacent topics out_of_order which", rows)
    return frame.with_columns(which=Column(frame["which"], head="which topics"))


def tables(data: StudyData, levels: Frame, tests: Frame, order: LevelOrder) -> Iterator[Table]:
    graded = data.study.is_graded
    of_documents = levels.with_heads(n="documents")
    yield of_documents.table("by-level", "Gains by level", "Documents with a gain, on all topics.")
    logs = "" if graded else ", and of their logarithms, which a few large ones do not sway"
    shown = [name for name in tests.names if name not in ("rises", *(OF_LOGS if graded else ()))]
    yield tests.of_columns(*shown).table(
        "tests",
        "Tests of neighbouring levels",
        f"Welch's two-sided t test of gains{logs}{without_anchors(data)}; t is positive where the "
        "higher level has the higher mean. No t where a level has a single document, or "
        "all gains are equal.",
        source="section 5",
    )
    yield _out_of_order(data, order).table(
        "order",
        "Topics on which the medians of two levels are out of order",
        "Topics: those with a judged document of each of the two levels. Out of order: the "
        "median gain of the higher level is below that of the lower one.",
        source="section 5",
    )
