"""What each judge said of each document, on the topics where judges differ most.

Demeester and others (WSDM 2014), Figure 4, draw the labels of one query by user.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.question import first_counted
from evaluation.presentation import plots
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, amount, number
from evaluation.study import levels
from evaluation.study.data import Floats, Ints, Mask, StudyData
from evaluation.study.fits import any_study
from magnitudes.scaling.groups import places_within

MOST_TOPICS, MOST_DOCUMENTS = 8, 60  # that are drawn, of each topic from lowest to highest gain
STEP = 0.09  # of a level, from one judge to the next who gave the same
ANCHOR, OTHER = "anchor", "other"


class Topic(NamedTuple):
    """How far two judgments of the same document differ on a topic, in the mean."""

    query_id: str
    documents: int  # with two judgments or more
    judgments: int
    difference: float  # a factor, or levels


class Mark(NamedTuple):
    """A judgment that is drawn: what a worker gave a document, whose place is that of its gain."""

    query_id: str
    doc_id: str
    role: str
    place: int  # by gain, from 1
    gain: float
    worker: str
    given: str
    value: float  # normalised, or the number of the level


@dataclass(frozen=True)
class Found:
    """Differences of all topics, and the judgments on those that are drawn."""

    names: Sequence[str]  # of levels; none: magnitudes
    difference: float  # in the mean over documents
    topics: list[Topic]
    shown: list[str]
    marks: list[Mark]

    @property
    def most(self) -> Topic:
        """Where judges differ most."""
        known = [topic for topic in self.topics if not np.isnan(topic.difference)]
        return max(known, key=lambda topic: topic.difference)

    @property
    def given(self) -> str:
        return "levels" if self.names else "normalised scores"

    def off(self, difference: float) -> str:
        """A difference in a sentence."""
        return amount(difference, "level") if self.names else f"a factor of {number(difference)}"


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Every judgment as a dot, documents by gain; and how far two judgments differ."""
    found = compute(data)
    if found is None:
        return Analysed(["No document has two judgments yet: nobody could differ."])
    return Analysed([*says(found)], [figure(found), table(found)], {"difference": found.difference})


def compute(data: StudyData) -> Found | None:
    """None where no document but the anchors has two judgments."""
    graded, judgments, documents = data.study.is_graded, data.judgments, data.documents
    first = first_counted(data.study) or len(judgments)
    counted = places_within(judgments.items) < first
    values = judgments.normalised if graded else np.log(judgments.normalised)
    apart = _apart(values[counted], judgments.items[counted], len(documents))
    apart[documents.is_anchor & data.has_anchors] = np.nan
    known = np.flatnonzero(~np.isnan(apart))
    if not known.size:
        return None
    n = len(data.topics)
    sums = np.bincount(documents.topics[known], apart[known], n)
    sizes = np.bincount(documents.topics[known], minlength=n)
    means = np.divide(sums, sizes, out=np.full(n, np.nan), where=sizes > 0)
    off = means if graded else np.exp(means)
    given = np.bincount(documents.topics[judgments.items], minlength=n)
    topics = [
        Topic(topic.query_id, *row)
        for topic, *row in zip(
            data.topics, sizes.tolist(), given.tolist(), off.tolist(), strict=True
        )
    ]
    most = np.sort(np.argsort(-np.nan_to_num(means, nan=-1), kind="stable")[:MOST_TOPICS])
    mean = float(apart[known].mean())
    return Found(
        list(data.study.levels) if graded else [],
        mean if graded else float(np.exp(mean)),
        topics,
        [data.topics[place].query_id for place in most],
        [mark for place in most.tolist() for mark in _marks(data, place, counted)],
    )


def _apart(values: Floats, items: Ints, n_items: int) -> Floats:
    """The mean absolute difference of two values of each item, NaN where it has fewer.

    Of sorted values x_0 <= x_1 <= ..., the sum over all pairs is that of (2 i - m + 1) x_i.
    """
    order = np.lexsort((values, items))
    ascending, of_item = values[order], items[order]
    m = np.bincount(of_item, minlength=n_items)
    weights = 2 * places_within(of_item) - m[of_item] + 1
    sums, pairs = np.bincount(of_item, weights * ascending, n_items), m * (m - 1) / 2
    return np.divide(sums, pairs, out=np.full(n_items, np.nan), where=pairs > 0)


def _marks(data: StudyData, topic: int, counted: Mask) -> Iterator[Mark]:
    """The judgments of a topic's documents that are drawn."""
    documents, judgments = data.documents, data.judgments
    judged = np.flatnonzero((documents.topics == topic) & ~np.isnan(documents.gains))
    by_gain = judged[np.argsort(documents.gains[judged], kind="stable")]
    places = np.unique(np.linspace(0, len(by_gain) - 1, min(len(by_gain), MOST_DOCUMENTS)).round())
    place_of = {int(by_gain[place]): place + 1 for place in places.astype(int).tolist()}
    drawn = np.flatnonzero(counted & np.isin(judgments.items, list(place_of)))
    for row in drawn[np.argsort(judgments.items[drawn], kind="stable")].tolist():
        item = int(judgments.items[row])
        yield Mark(
            *data.pair_name(item),
            ANCHOR if documents.is_anchor[item] and data.has_anchors else OTHER,
            place_of[item],
            float(documents.gains[item]),
            data.workers[judgments.workers[row]],
            str(judgments.texts[row]),
            float(judgments.normalised[row]),
        )


def says(found: Found) -> Iterator[str]:
    most, topics = found.most, len(found.topics)
    where = ""
    if topics > 1:
        where = f"; most on topic {most.query_id}, by {found.off(most.difference)}"
    yield (
        f"Two {found.given} of the same document differ by {found.off(found.difference)} in the "
        f"mean{where}."
    )
    if topics > len(found.shown):
        yield (
            f"The {len(found.shown)} topics where they differ most are drawn; the table has all "
            f"{topics}."
        )


def figure(found: Found) -> Figure:
    panels = [f"topic {query_id}" for query_id in found.shown]
    values = [mark.value for mark in found.marks]
    axis: dict[str, Any]
    if top := len(found.names) - 1 if found.names else 0:
        labels = {"labels": found.names, "room": 60}
        axis = {"domain": (-0.3, top + 1), "values": list(range(top + 1)), **labels}
    else:
        axis = plots.decades(min(values) / 1.2, max(values) * 1.2)
    title = None if found.names else "normalised score"
    across, up = plots.axis("place", "documents by gain", ticks=3), plots.axis("at", title, **axis)
    kinds: dict[str, Any] = {"kinds": {OTHER: {}, ANCHOR: {"colour": plots.OTHER}}}
    style = {"width": 3.5, "opacity": 0.65, "by": "role", "legend": False}
    dots = plots.mark("dots", "judgments", x=across, y=up, **kinds, **style)
    anchors = " Orange: anchors." if any(mark.role == ANCHOR for mark in found.marks) else ""
    return Figure(
        "judgments",
        next(says(found)).rstrip("."),
        "A dot for each judgment; documents from the lowest gain to the highest." + anchors,
        plots.panels(dots, "panel", panels),
        {"judgments": list(_dots(found))},
        Mark,
        found.marks,
        levels.source("Figure 4"),
        reading="Look for dots that spread from top to bottom: judges do not mean the same. Of "
        f"more than {MOST_DOCUMENTS} documents every so many are drawn.",
    )


def _dots(found: Found) -> Iterator[dict[str, Any]]:
    """One for each mark; equal levels of a document stand above each other."""
    before: dict[tuple[str, str, float], int] = {}
    for mark in found.marks:
        at = mark.value
        if found.names:
            key = mark.query_id, mark.doc_id, mark.value
            at += STEP * before.setdefault(key, 0)
            before[key] += 1
        yield {
            "panel": f"topic {mark.query_id}",
            "role": mark.role,
            "place": mark.place,
            "at": at,
        }


def table(found: Found) -> Table:
    unit = "levels" if found.names else "factor"
    return Table(
        "topics",
        "How far judges differ, topic by topic",
        (*Topic._fields[:-1], f"{unit}_between_two"),
        found.topics,
        (
            f"Between two: the mean difference of two {found.given} of the same document"
            f"{'' if found.names else ', as a factor (of logarithms)'}, in the mean over documents "
            "with two or more.",
        ),
        caption="The anchors, whose order a check forces, do not count."
        if any(mark.role == ANCHOR for mark in found.marks)
        else "",
    )


ANALYSIS = Analysis(
    "every_judgment",
    "What did each judge say of each document?",
    analyse,
    fits=any_study,
    titled=True,
)
