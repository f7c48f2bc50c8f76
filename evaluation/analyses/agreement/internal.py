"""How far those agree who judge the same document (paper, section 6.1.1)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.agreement.alpha import bootstrap_alpha, krippendorff_alpha
from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.question import USUAL, Question, first_counted
from evaluation.analyses.study.data import Floats, Ints, StudyData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Table, Tell, number, span
from trec.words import count

RESAMPLES = 1000
MOST_TOPICS = 60  # that are drawn
PAPER = 0.323
ALL = "all topics"
WITH, WITHOUT = "with anchors", "without anchors"
EVERYTHING = "all documents"  # where there are no anchors


class Found(NamedTuple):
    """Alpha of some documents, its interval, and what it is from."""

    documents: str
    topic: str
    alpha: float
    low: float
    high: float
    p: float
    n: int
    scores: int

    @property
    def between(self) -> str:
        return f"{number(self.low)} to {number(self.high)}"


def analyse(data: StudyData, tell: Tell, asked: Question = USUAL) -> Analysed:
    """Krippendorff's alpha on all topics and on each, with and without anchors."""
    graded = data.study.is_graded
    level = "ordinal" if graded else "ratio"
    first = first_counted(data.study, asked)
    wanted = list(_wanted(data))
    found = []
    for done, (documents, topic, values, items) in enumerate(wanted):
        alpha = krippendorff_alpha(values, items, level, first)
        sure = bootstrap_alpha(values, items, level, first, RESAMPLES, seed=data.seed)
        found.append(
            Found(
                *(documents, topic, alpha.alpha, sure.low, sure.high, sure.p),
                *(alpha.items, alpha.values),
            )
        )
        tell((done + 1) / len(wanted))
    whole, others = found[0], found[1] if data.has_anchors else None
    if np.isnan(whole.alpha):
        return Analysed(
            [
                "Fewer than two documents have two scores yet: nothing can be said of agreement."
                if whole.n < 2
                else "All scores are equal: there is no disagreement to expect, and alpha is not "
                "defined."
            ]
        )
    by_topic = [one for one in found if one.topic != ALL and one.documents != WITHOUT]
    drawn = any(not np.isnan(one.alpha) for one in by_topic)
    figures = [_figure(whole, by_topic, graded)] if drawn else []
    return Analysed(
        [*_says(whole, others, graded, first)],
        [*figures, _table(found, graded, first)],
        {"alpha": whole.alpha, "first": first}
        | ({"alpha_without_anchors": others.alpha} if others else {}),
    )


def _wanted(data: StudyData) -> Iterator[tuple[str, str, Floats, Ints]]:
    """Normalised scores, in the order in which they came, and their documents."""
    other = ~data.is_anchor[data.items]
    everything = WITH if data.has_anchors else EVERYTHING
    yield everything, ALL, data.values, data.items
    if data.has_anchors:
        yield WITHOUT, ALL, data.values[other], data.items[other]
    if len(data.topics) > 1:
        for topic in data.topics:
            yield everything, topic.query_id, topic.normalised.ravel(), topic.places.ravel()
        for topic in data.topics if data.has_anchors else []:
            other = (topic.places != topic.h_k) & (topic.places != topic.n_k)
            yield WITHOUT, topic.query_id, topic.normalised[other], topic.places[other]


def _of(graded: bool) -> tuple[str, str]:
    """What alpha is for, and what it is from."""
    return ("ordinal scales", "levels") if graded else ("ratios", "normalised scores")


def _counted(first: int | None, scores: str) -> str:
    """Which scores of a document count."""
    return f"all {scores}" if first is None else f"the first {first} {scores}"


def _says(whole: Found, others: Found | None, graded: bool, first: int | None) -> Iterator[str]:
    scale, scores = _of(graded)
    paper = "" if graded else f"; the paper found {PAPER}"
    none = f"none of {RESAMPLES:,} draws of documents gave an alpha of 0 or less"
    some = f"{number(100 * whole.p)}% of {RESAMPLES:,} draws of documents gave 0 or less"
    yield (
        f"Krippendorff's alpha for {scale} is {number(whole.alpha)} (95% interval "
        f"{whole.between}), from {_counted(first, scores)} of {count(whole.n, 'document')}"
        f"{paper}. 1 is perfect agreement, 0 what chance gives; {some if whole.p else none}."
    )
    if others is None:
        return
    if np.isnan(others.alpha):
        yield (
            "Without the anchors it is not defined: it takes two documents with two scores, and "
            "scores that differ."
        )
    else:
        yield (
            f"Without the anchors, whose order check (c) forces, it is {number(others.alpha)} "
            f"({others.between}), from {count(others.n, 'document')}."
        )


def _figure(whole: Found, by_topic: list[Found], graded: bool) -> Figure:
    known = [one for one in by_topic if not np.isnan(one.alpha)]
    drawn = sorted(known, key=lambda one: -one.alpha)[-MOST_TOPICS:]
    best, worst = max(known, key=lambda one: one.alpha), drawn[-1]
    says = f"On single topics alpha is {span(worst.alpha, best.alpha)}"
    left_out = len(known) - len(drawn)
    order = [ALL, *(one.topic for one in drawn)]
    chart = plots.intervals("topics", plots.down("topic", order), "alpha")
    if not graded:
        chart = plots.alt.layer(chart, plots.rule_at("paper", along=plots.x("alpha", "alpha")))
    paper = "" if graded else "; dashed, the paper's .323"
    return Figure(
        "by-topic",
        says,
        f"Dots with 95% intervals (bootstrap over documents, {RESAMPLES:,} draws); above, all "
        f"topics together{paper}. Look for topics at the bottom: workers may have understood them "
        "in different ways."
        + (f" Left out: {count(left_out, 'topic')} with more agreement." if left_out else ""),
        plots.sized(chart, height=18 * len(order)),
        {
            "topics": [
                {
                    "topic": one.topic,
                    "mean": one.alpha,
                    "low": one.low,
                    "high": one.high,
                    "name": f"{one.topic}: {number(one.alpha)} ({one.between}), n = {one.n}",
                }
                for one in (whole, *drawn)
            ],
            **({} if graded else {"paper": [{"alpha": PAPER}]}),
        },
        ("topic", "alpha", "low", "high", "p", "documents", "scores"),
        [one[1:] for one in (whole, *by_topic)],
    )


def _table(found: list[Found], graded: bool, first: int | None) -> Table:
    scale, scores = _of(graded)
    anchors = "" if found[0].documents == EVERYTHING else ", with and without the anchors"
    return Table(
        "alpha",
        f"Krippendorff's alpha for {scale}{anchors}",
        ("documents", "topic", "alpha", "low", "high", "p", "n_documents", "scores"),
        found,
        (
            f"From {_counted(first, scores)} of a document; a document with one score "
            "says nothing and is left out. low, high: 95% interval, bootstrap over documents. p: "
            f"share of {RESAMPLES:,} draws with an alpha of 0 or less.",
            "No alpha: fewer than two documents have two scores, or all scores are equal.",
        ),
        "section 6.1.1",
    )


def methods(data: StudyData, numbers: Numbers) -> str:
    return (
        f"Krippendorff's alpha counts {_counted(numbers['first'], 'scores')} of a document; its "
        f"95% intervals are from {RESAMPLES:,} draws of documents with replacement."
    )


ANALYSIS = Analysis(
    "internal", "Do workers agree with each other?", analyse, methods=methods, takes=("first",)
)
