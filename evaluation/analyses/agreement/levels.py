"""Aggregated scores by level of the labels (paper, section 5, Figures 3 and 4)."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from evaluation.agreement.pairs import LevelOrder, adjacent_level_tests, level_order
from evaluation.analyses.agreement import level_boxes
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import level_groups
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.level_groups import Judged
from evaluation.analyses.telling.parts import Analysed, Figure, Table, Tell, listed, number
from evaluation.scaling.aggregation import aggregate
from trec.words import count

MOST_LEVELS = 10  # that are drawn


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Gains by level over all topics and on each, Welch's tests, medians out of order."""
    if not data.units:
        return Analysed(["No unit is completed yet: there is no score."])
    if not data.levels:
        return Analysed(["No judged document has a label: there is no level to compare with."])
    if len(data.levels) > level_groups.TOO_MANY:
        return Analysed([level_groups.too_many(data)])
    judged = level_groups.judged(data)
    order = level_order(
        judged.gains, data.item_labels[judged.items], data.levels, judged.topic, len(data.topics)
    )
    tests = _tests(data, judged)
    parts: list[Figure | Table] = []
    if len(data.levels) <= MOST_LEVELS:
        parts.append(level_boxes.all_topics(data, judged))
        if len(data.topics) > 1:
            parts.append(level_boxes.by_topic(data, judged, order))
    parts += [level_boxes.by_level(data, judged), tests, _order_table(data, order.medians)]
    return Analysed([*_says(data, judged, order, tests)], [part for part in parts if part.rows])


def _says(data: StudyData, judged: Judged, order: LevelOrder, tests: Table) -> Iterator[str]:
    names = level_groups.names(data)
    medians = aggregate(judged.gains, judged.level, len(names)).values
    used = np.flatnonzero(~np.isnan(medians[:-1])).tolist()
    told = used if len(used) <= MOST_LEVELS else [used[0], used[-1]]
    said = [f"{number(medians[place])} at level {names[place]}" for place in told]
    said += [] if np.isnan(medians[-1]) else [f"{number(medians[-1])} without a label"]
    judgments = count(len(judged.items), "judged document")
    yield f"The median gain of {judgments}, by level: {', '.join(said)}."
    if len(used) < 2:
        yield "All labels of judged documents are of one level: nothing can be compared with it."
        return
    near, every = order.adjacent, order.every
    if every.compared:
        yield (
            f"On {near.out} of {near.compared} topics × pairs of adjacent levels the medians are "
            f"out of order, and on {every.out} of {every.compared} with all pairs of levels (the "
            "paper: 6 of 72 and 6 of 126, its two label sets together)."
        )
    else:
        yield "No topic has documents of two levels: medians cannot be compared on one."
    known = [row for row in tests.rows if np.isfinite(row[-1])]
    sure = [row for row in known if row[-1] < 0.05 and row[3] < row[4]]
    of = "" if data.study.is_graded else " on logarithms"
    if known:
        yield (
            f"{len(sure)} of {count(len(known), 'pair')} of adjacent levels "
            f"{'differs' if len(known) == 1 else 'differ'} in the expected direction by Welch's "
            f"two-sided t test{of}, p below .05 (the paper: all, p below .002)."
        )


def _tests(data: StudyData, judged: Judged) -> Table:
    graded = data.study.is_graded  # from level 0, which has no logarithm
    names, labels = level_groups.names(data), data.item_labels[judged.items]
    n = np.bincount(judged.level, minlength=len(names)).tolist()
    mean = "arithmetic" if graded else "geometric"
    means = aggregate(judged.gains, judged.level, len(names), mean).values.tolist()
    tests = [
        adjacent_level_tests(values, labels, data.levels)
        for values in ([judged.gains] if graded else [judged.gains, np.log(judged.gains)])
    ]
    of = "" if graded else "geometric_"
    rows = [
        (
            *(f"{names[lower]}, {names[higher]}", n[lower], n[higher]),
            *(means[lower], means[higher]),
            *(number for test in tests for number in (test.t[lower], test.p[lower])),
        )
        for lower, higher in pairwise(range(len(data.levels)))
        if n[lower] and n[higher]
    ]
    return Table(
        "tests",
        "Do adjacent levels differ?",
        (
            *("levels", "n_lower", "n_higher", f"{of}mean_lower", f"{of}mean_higher"),
            *("t", "p", *([] if graded else ["t_of_logs", "p_of_logs"])),
        ),
        rows,
        (
            "Welch's two-sided t test of gains"
            + ("" if graded else ", and of their logarithms, which a few large ones do not sway")
            + "; t is positive where the higher level has the higher mean. n: "
            "documents.",
            "No t where a level has a single document, or all gains of both are equal.",
        ),
        "section 5",
    )


def _order_table(data: StudyData, medians: Floats) -> Table:
    names = level_groups.names(data)
    return Table(
        "order",
        "Topics on which the medians of two levels are out of order",
        ("levels", "adjacent", "topics", "out_of_order", "which"),
        [
            (
                f"{names[one.lower]}, {names[one.higher]}",
                one.higher == one.lower + 1,
                one.topics,
                len(one.out),
                listed((data.topics[place].query_id for place in one.out.tolist()), most=24),
            )
            for one in level_groups.pairs(medians)
        ],
        (
            "topics: those with a judged document of each of the two levels. Out of order: the "
            "median gain of the higher level is below that of the lower one.",
        ),
        "section 5",
    )


ANALYSIS = Analysis("levels", "Do scores follow the labels?", analyse)
