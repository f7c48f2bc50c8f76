"""What each judge said of each document, on the topics where judges differ most.

**Shows** every judgment as a dot, topic by topic, with documents from the lowest gain to the
highest; the topic where judges differ most as a grid of judges and documents, shaded by what was
given, with what each judge found best in boxes; and how far two judgments of the same document
differ, by topic and overall.

**Computed**: the mean absolute difference of two of a document's first ten judgments (of all that
were given elsewhere), averaged over documents without the anchors; of logarithms of normalised
scores, as a factor, or in levels. The eight topics with the largest difference are drawn, each with
at most 60 documents, evenly spaced from the lowest gain to the highest.

The grid has the twelve judges with most judgments of the topic, and of these the thirty documents
that most of them judged; scores are shaded by quarters.

**Source**: Figure 4 of Demeester and others (below) draws the labels of one query by user.
"""

from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.disagreement import judgment_grid
from evaluation.analyses.disagreement.drawn_judgments import (
    ANCHOR,
    MAX_DOCUMENTS,
    OTHER,
    drawn_judgments,
)
from evaluation.analyses.question import first_counted
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, amount, number, thinned
from evaluation.study import levels
from evaluation.study.data import Floats, Ints, StudyData
from judging.models import Study
from magnitudes.scaling.groups import places_within, ratio

MAX_TOPICS = 12  # that are drawn
MOST_DRAWN = 800  # judgments


@analysis("What did each judge say of each document?", titled=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Every judgment as a dot, documents by gain; and how far two judgments differ."""
    graded, judgments, documents = data.study.is_graded, data.judgments, data.documents
    first = first_counted(data.study) or len(judgments)
    counted = places_within(judgments.items) < first
    values = judgments.normalised if graded else np.log(judgments.normalised)
    apart = _apart(values[counted], judgments.items[counted], len(documents))
    apart[documents.is_anchor & data.has_anchors] = np.nan
    known = np.flatnonzero(~np.isnan(apart))
    if not known.size:
        return Result(["No document has two judgments yet: nobody could differ."])
    n = len(data.topics)
    sums = np.bincount(documents.topics[known], apart[known], n)
    sizes = np.bincount(documents.topics[known], minlength=n)
    means = ratio(sums, sizes)
    mean = float(apart[known].mean())
    difference = mean if graded else float(np.exp(mean))
    topics = Frame.of(
        query_id=[topic.query_id for topic in data.topics],
        documents=sizes,
        judgments=np.bincount(documents.topics[judgments.items], minlength=n),
        **{f"{'levels' if graded else 'factor'}_between_two": means if graded else np.exp(means)},
    )
    most = np.sort(np.argsort(-np.nan_to_num(means, nan=-1), kind="stable")[:MAX_TOPICS])
    marks = drawn_judgments(data, most.tolist(), counted)
    shown = topics["query_id"][most]
    finding = _finding(data.study, topics, difference)
    drawn = f"The {len(most)} topics where they differ most are drawn; the table has all {n}."
    return Result(
        [f"{finding}.", *([drawn] if n > len(most) else [])],
        [
            _figure(data.study, marks, [f"topic {query_id}" for query_id in shown], finding),
            *judgment_grid.figures(data, int(np.nanargmax(means)), counted),
            _table(data.study, topics, marks),
        ],
        {"difference": difference},
    )


def _apart(values: Floats, items: Ints, n_items: int) -> Floats:
    """The mean absolute difference of two values of each item, NaN where it has fewer.

    Of sorted values x_0 <= x_1 <= ..., the sum over all pairs is that of (2 i - m + 1) x_i.
    """
    order = np.lexsort((values, items))
    ascending, of_item = values[order], items[order]
    m = np.bincount(of_item, minlength=n_items)
    weights = 2 * places_within(of_item) - m[of_item] + 1
    return ratio(np.bincount(of_item, weights * ascending, n_items), m * (m - 1) / 2)


def _given(study: Study) -> str:
    return "levels" if study.is_graded else "normalised scores"


def _finding(study: Study, topics: Frame, difference: float) -> str:
    def by(difference: float) -> str:
        is_level = study.is_graded
        return amount(difference, "level") if is_level else f"a factor of {number(difference)}"

    differences = topics[topics.names[-1]]
    most = int(np.nanargmax(differences))
    where = f"; most on topic {topics['query_id'][most]}, by {by(differences[most])}"
    return (
        f"Two {_given(study)} of the same document differ by {by(difference)} on average"
        f"{where if len(topics) > 1 else ''}"
    )


def _figure(study: Study, marks: Frame, panels: list[str], finding: str) -> Figure:
    axis: dict[str, Any] = {"title": None, "domain": (-0.3, len(study.levels))}
    if study.is_graded:
        axis |= {"values": range(len(study.levels)), "labels": study.levels, "room": 60}
    else:
        ends = marks["value"].min() / 1.2, marks["value"].max() * 1.2
        axis = {"title": "normalised score", **plots.decades(*ends)}
    across, up = plots.axis("place", "documents by gain", ticks=3), plots.axis("at", **axis)
    kinds: dict[str, Any] = {"kinds": {OTHER: {}, ANCHOR: {"colour": plots.OTHER}}}
    style = {"size": 9, "opacity": 0.65, "by": "role", "legend": False}
    dots = plots.points(ROWS, across, up, **kinds, **style)
    drawn = marks.where(thinned(len(marks), most=MOST_DRAWN))
    anchors = " Orange: anchors." if ANCHOR in marks["role"] else ""
    return marks.of_columns(*marks.names[:8]).figure(
        "judgments",
        finding,
        f"A dot for each judgment; documents from the lowest gain to the highest.{anchors}"
        + (f" Drawn: {MOST_DRAWN:,} of {len(marks):,}." if len(marks) > MOST_DRAWN else ""),
        plots.panels(dots, "panel", panels),
        data={ROWS: drawn.marks("{doc_id}: {given}, by {worker}")},
        source=levels.source("Figure 4"),
        reading="Look for dots that spread from top to bottom: judges do not mean the same. Of "
        f"more than {MAX_DOCUMENTS} documents every so many are drawn.",
    )


def _table(study: Study, topics: Frame, marks: Frame) -> Table:
    anchors = "The anchors, whose order a check forces, do not count."
    return topics.table(
        "topics",
        "How far judges differ, topic by topic",
        f"Between two: the mean difference of two {_given(study)} of the same document"
        f"{'' if study.is_graded else ', as a factor (of logarithms)'}, averaged over documents "
        "with two or more.",
        caption=anchors if ANCHOR in marks["role"] else "",
    )
