"""How far those agree who judge the same document (paper, section 6.1.1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.alpha import bootstrap_alpha, krippendorff_alpha
from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.question import USUAL, Question, first_counted
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.telling import plots, strips
from evaluation.analyses.telling.parts import (
    Analysed,
    Figure,
    Table,
    Tell,
    drawn,
    interval,
    number,
    span,
)
from trec.words import count

RESAMPLES = 1000
MOST_LINES = 40  # topics that are drawn below each other; more are a strip of dots
PAPER = 0.323
ALL = "all topics"
WITH, WITHOUT = "with anchors", "without anchors"
EVERYTHING = "all documents"  # where there are no anchors


class Alpha(NamedTuple):
    """Alpha of some documents, its 95% interval, and what it is from."""

    documents: str
    topic: str
    alpha: float
    low: float
    high: float
    p: float
    n_documents: int
    scores: int

    @property
    def interval(self) -> str:
        return interval(self.low, self.high)


@dataclass(frozen=True)
class Found:
    """Alpha of all topics together and of each, with the anchors and without them."""

    alphas: list[Alpha]
    graded: bool
    first: int | None  # scores of a document that count; None: all

    @property
    def whole(self) -> Alpha:
        return self.alphas[0]

    @property
    def without_anchors(self) -> Alpha | None:
        return next((row for row in self.alphas if row.documents == WITHOUT), None)

    @property
    def by_topic(self) -> list[Alpha]:
        return [row for row in self.alphas if row.topic != ALL and row.documents != WITHOUT]

    @property
    def scale(self) -> str:
        return "ordinal scales" if self.graded else "ratios"

    @property
    def counted(self) -> str:
        return counted(self.first, "levels" if self.graded else "normalised scores")


def counted(first: int | None, scores: str) -> str:
    """Which scores of a document count, in a sentence."""
    return f"all {scores}" if first is None else f"the first {first} {scores}"


def analyse(data: StudyData, tell: Tell, asked: Question = USUAL) -> Analysed:
    """Krippendorff's alpha on all topics and on each, with and without anchors."""
    found = compute(data, tell, first_counted(data.study, asked))
    whole = found.whole
    if np.isnan(whole.alpha):
        return Analysed([_why_not(whole)])
    return Analysed([*says(found)], [*figures(found), table(found)], numbers(found))


def numbers(found: Found) -> dict[str, float | int | None]:
    """Alpha of all documents, and of those that are no anchors, with their intervals."""
    whole, others = found.whole, found.without_anchors
    every = {
        "alpha": whole.alpha,
        "alpha_low": whole.low,
        "alpha_high": whole.high,
        "documents": whole.n_documents,
        "first": found.first,
    }
    if others is None:
        return every
    return every | {
        "alpha_without_anchors": others.alpha,
        "alpha_without_anchors_low": others.low,
        "alpha_without_anchors_high": others.high,
    }


def compute(data: StudyData, tell: Tell, first: int | None) -> Found:
    graded = data.study.is_graded
    level = "ordinal" if graded else "ratio"
    groups, alphas = [*_groups(data)], []
    for done, (documents, topic, which) in enumerate(groups, 1):
        values, items = data.judgments.normalised[which], data.judgments.items[which]
        alpha = krippendorff_alpha(values, items, level, first)
        draws = bootstrap_alpha(values, items, level, first, RESAMPLES, seed=data.seed)
        interval = draws.low, draws.high, draws.p
        alphas.append(Alpha(documents, topic, alpha.alpha, *interval, alpha.items, alpha.values))
        tell(done / len(groups))
    return Found(alphas, graded, first)


def _groups(data: StudyData) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """All topics, then one after the other: with the anchors, and without. Which judgments."""
    kinds = {WITH if data.has_anchors else EVERYTHING: np.ones(len(data.judgments), dtype=bool)}
    if data.has_anchors:
        kinds[WITHOUT] = ~data.documents.is_anchor[data.judgments.items]
    for documents, which in kinds.items():
        yield documents, ALL, which
    topics = data.documents.topics[data.judgments.items]
    if len(data.topics) > 1:
        for documents, which in kinds.items():
            for place, topic in enumerate(data.topics):
                yield documents, topic.query_id, which & (topics == place)


def _why_not(whole: Alpha) -> str:
    """Why alpha is not defined."""
    if whole.n_documents < 2:
        return "Fewer than two documents have two scores yet: nothing can be said of agreement."
    return "All scores are equal: there is no disagreement to expect, and alpha is not defined."


def says(found: Found) -> Iterator[str]:
    whole, others = found.whole, found.without_anchors
    without = ""
    if others and not np.isnan(others.alpha):
        without = f", and {number(others.alpha)} without the anchors ({others.interval})"
    paper = "" if found.graded else f"; the paper found {PAPER}"
    yield (
        f"Krippendorff's alpha is {number(whole.alpha)} (95% interval {whole.interval})"
        f"{without}{paper}. It is for {found.scale}, from {found.counted} of "
        f"{count(whole.n_documents, 'document')}."
    )
    share = f"{number(100 * whole.p)}%" if whole.p else f"fewer than 1 in {RESAMPLES:,}"
    forced = " Check (c) forces the order of the anchors." if without else ""
    yield (
        f"1 is perfect agreement, 0 what chance gives; {share} of the draws of documents gave an "
        f"alpha of 0 or less.{forced}"
    )
    if others and np.isnan(others.alpha):
        yield (
            "Without the anchors it is not defined: it takes two documents with two scores, and "
            "scores that differ."
        )


def figures(found: Found) -> Iterator[Figure]:
    """One, if alpha is defined on a topic."""
    known = [row for row in found.by_topic if not np.isnan(row.alpha)]
    if not known:
        return
    known.sort(key=lambda row: -row.alpha)
    yield (_lines if len(known) <= MOST_LINES else _strip)(found, known)


def _lines(found: Found, known: list[Alpha]) -> Figure:
    """Topics below each other, with their intervals."""
    rows = [found.whole, *known]
    order = [row.topic for row in rows]
    chart = plots.intervals("topics", plots.down("topic", order), "alpha")
    data = {"topics": drawn(rows, "topic low high", _tooltip, mean="alpha")}
    if not found.graded:
        chart = plots.alt.layer(chart, plots.rule_at("paper", along=plots.x("alpha", "alpha")))
        data["paper"] = [{"alpha": PAPER}]
    paper = "" if found.graded else "; dashed: the paper's"
    return _figure(
        found,
        known,
        f"Alpha of each topic with its 95% interval, and above of all together{paper}.",
        plots.sized(chart, height=18 * len(order)),
        data,
    )


def _strip(found: Found, known: list[Alpha]) -> Figure:
    """Every topic as a dot, on one line."""
    names = [row.topic for row in known]
    dots = strips.rows([row.alpha for row in known], names, [_tooltip(row) for row in known])
    room = 0.05 * (known[0].alpha - known[-1].alpha) or 0.05
    domain = (known[-1].alpha - room, known[0].alpha + room)
    chart = strips.strip("topics", "alpha", domain, strips.height(dots))
    whole = plots.rule_at("whole", along=plots.x("value", "alpha", domain=domain))
    return _figure(
        found,
        known,
        f"A dot for each of {count(len(known), 'topic')}; dashed: all topics together.",
        plots.alt.layer(chart, whole),
        {"topics": dots, "whole": [{"value": found.whole.alpha}]},
    )


def _figure(found: Found, known: list[Alpha], caption: str, chart: Any, data: Any) -> Figure:
    return Figure(
        "by-topic",
        f"On single topics alpha is {span(known[-1].alpha, known[0].alpha)}",
        caption,
        chart,
        data,
        ("topic", "alpha", "low", "high", "p", "documents", "scores"),
        [row[1:] for row in (found.whole, *found.by_topic)],
        reading="Look for topics with the least agreement: workers may have understood them in "
        f"different ways. Intervals are from {RESAMPLES:,} draws of documents.",
    )


def _tooltip(row: Alpha) -> str:
    return f"{row.topic}: {number(row.alpha)} ({row.interval}), n = {row.n_documents}"


def table(found: Found) -> Table:
    anchors = ", with and without the anchors" if found.without_anchors else ""
    return Table(
        "alpha",
        f"Krippendorff's alpha for {found.scale}{anchors}",
        Alpha,
        found.alphas,
        (
            f"From {found.counted} of a document; a document with one score "
            "says nothing and is left out. Low, high: 95% interval, bootstrap over documents. p: "
            f"share of {RESAMPLES:,} draws with an alpha of 0 or less.",
            *(
                ["No alpha: fewer than two documents have two scores, or all scores are equal."]
                if any(np.isnan(row.alpha) for row in found.alphas)
                else []
            ),
        ),
        "section 6.1.1",
    )


def methods(data: StudyData, numbers: Numbers) -> str:
    return (
        f"Krippendorff's alpha counts {counted(numbers['first'], 'scores')} of a document; its "
        f"95% intervals are from {RESAMPLES:,} draws of documents with replacement."
    )


ANALYSIS = Analysis(
    "internal", "Do workers agree with each other?", analyse, methods=methods, takes=("first",)
)
