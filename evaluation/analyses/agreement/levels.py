"""Aggregated scores by level of the labels (paper, section 5, Figures 3 and 4).

**Shows** the gains of documents by the level of their label, and of the group U (unlabelled),
overall and on each topic; Welch's t test between adjacent levels, for gains and for their
logarithms; and on how many topics the medians of two levels are out of order.

**Computed**: boxes show the quartiles and the median of gains; whiskers reach 1.5 times the height
of the box on its logarithmic scale. A pair of levels counts on the topics that have documents of
both; the paper counts all topics, and its two label sets together. Labels of more than 20 levels
are not compared level by level, and those of more than 10 are not drawn. The tests leave out the
anchors, whose order check (c) forces; the page states that gains rise with every level if each of
them has a p below .05.

**Source**: section 5, Figures 3 and 4. The paper does not say which t test it used.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from evaluation.analyses.agreement import level_boxes
from evaluation.analyses.agreement.level_tables import (
    as_in_paper,
    by_level,
    tables,
    welch,
    without_anchors,
)
from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Part, Result, number
from evaluation.study import label_levels
from evaluation.study.data import StudyData
from evaluation.study.label_levels import U
from magnitudes.agreement.pairs import LevelOrder, level_order
from magnitudes.files.words import count

MAX_LEVELS = 10  # that are drawn


@analysis("Do scores follow the labels?")
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Gains by level over all topics and on each, Welch's tests, medians out of order."""
    if not len(data.units):
        return Result(["No unit is completed yet: there is no score."])
    if not data.levels:
        return Result(["No judged document has a label: there is no level to compare with."])
    if len(data.levels) > label_levels.TOO_MANY:
        return Result([label_levels.too_many(data)])
    judged, names = label_levels.judged(data), label_levels.names(data)
    drawn = level_boxes.of_levels(data, judged)
    levels, tests = by_level(data, judged, drawn), welch(data, judged)
    labels, n = data.documents.labels[judged.items], len(data.topics)
    order = level_order(judged.gains, labels, data.levels, judged.topic, n)
    title = _title(data, levels, tests)
    parts: list[Part] = [*tables(data, levels, tests, order)]
    if len(names) <= MAX_LEVELS + 1:
        by_topic = [level_boxes.by_topic(data, judged, levels, order)] if n > 1 else []
        parts = [level_boxes.all_topics(data, judged, levels, drawn, title), *by_topic, *parts]
    tested = tests.where(np.isfinite(tests["p_of_logs"]))
    adjacent = (pair for pair in label_levels.pairs(order.medians) if pair.adjacent)
    numbers = {
        "tests": len(tested),
        "differ": int(tested["rises"].sum()),
        **as_in_paper(data, judged),
        "out": order.adjacent.out,
        "cases": order.adjacent.compared,
        "topics_out": len({place for pair in adjacent for place in pair.out.tolist()}),
        "topics": n,
    }
    sentences = [*_sentences(data, title, levels, tested, order)]
    return Result(sentences, [part for part in parts if part.rows], numbers)


def _labelled(levels: Frame) -> list[Any]:
    return [row for row in levels if row.level != U]


def _title(data: StudyData, levels: Frame, tests: Frame) -> str:
    """Whether gains rise from each level to the next; only tests of all steps say that they do."""
    labelled = _labelled(levels)
    first, last = labelled[0], labelled[-1]
    if first == last:
        return f"At level {first.level} the median gain is {number(first.median)}"
    if not all(low.median < high.median for low, high in pairwise(labelled)):
        rises = "The median gain does not rise with every level"
    elif len(tests) == len(labelled) - 1 and tests["rises"].all():
        rises = "The median gain rises with every level"
    else:
        rises = "It cannot be said that gains rise with every level"
    return (
        f"{rises}: {number(first.median)} at level {first.level}, {number(last.median)} at level "
        f"{last.level}"
    )


def _sentences(
    data: StudyData, title: str, levels: Frame, tested: Frame, order: LevelOrder
) -> Iterator[str]:
    labelled, near, every = _labelled(levels), order.adjacent, order.every
    rows = labelled if len(labelled) <= MAX_LEVELS else [labelled[0], labelled[-1]]
    medians = [f"{number(row.median)} at level {row.level}" for row in rows]
    medians += [f"{number(row.median)} without a label" for row in levels if row.level == U]
    documents = count(int(levels["n"].sum()), "judged document")
    yield f"{title}. The medians of {documents}: {', '.join(medians)}."
    if len(labelled) < 2:
        yield "All labels of judged documents are of one level: nothing can be compared with it."
        return
    if every.compared:
        yield (
            f"Topic by topic, the medians are out of order in {near.out} of "
            f"{count(near.compared, 'comparison')} of neighbouring levels, and in {every.out} of "
            f"{every.compared} of any two levels "
            + published.quote(
                "(the paper: {medians_out.adjacent} of {medians_compared.adjacent} and "
                "{medians_out.any} of {medians_compared.any}, its two label sets together)."
            )
        )
    else:
        yield "No topic has documents of two levels: medians cannot be compared on one."
    if n := len(tested):
        logs = "" if data.study.is_graded else " on logarithms"
        yield (
            f"{int(tested['rises'].sum())} of {count(n, 'pair')} of neighbouring levels "
            f"{'differs' if n == 1 else 'differ'} in the expected direction by Welch's two-sided t "
            f"test{logs}, p below .05{without_anchors(data)} (the paper"
            f"{', with them' if data.has_anchors else ''}: "
            + published.quote("all, p below {levels_p}).")
        )
