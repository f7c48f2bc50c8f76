"""How far those agree who judge the same document (paper, section 6.1.1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses import papers
from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.question import USUAL, Question, first_counted
from evaluation.presentation import plots, published, strips
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Table,
    Tell,
    drawn,
    interval,
    number,
    p_value,
    span,
)
from evaluation.study.data import Ints, StudyData
from magnitudes.agreement.alpha import (
    MIN_ITEMS,
    MIN_ITEMS_OF_STRATUM,
    bootstrap_alpha,
    krippendorff_alpha,
)
from magnitudes.agreement.alpha_randomised import STAYS, randomisation_test
from magnitudes.files.words import count

RESAMPLES = 1000
PERMUTATIONS = 999
MOST_LINES = 40  # topics that are drawn below each other; more are a strip of dots
ALL = "all topics"
WITHIN = "within topics"
WITH, WITHOUT = "with anchors", "without anchors"
WITHIN_NOTE = (
    "Within topics: the disagreement that chance gives is that of scores of the same topic. Pooled "
    "over topics, alpha exceeds 0 without any agreement where the scores of one topic are larger "
    "than those of another."
)
SIGNIFICANT = 0.05
EVERYTHING = "all documents"  # where there are no anchors


class Alpha(NamedTuple):
    """Alpha of some documents, its 95% interval, its p, and what it is from."""

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
        """Empty where there is none."""
        return "" if np.isnan(self.low) else interval(self.low, self.high)


@dataclass(frozen=True)
class Found:
    """Alpha of all topics together and of each, with the anchors and without them."""

    alphas: list[Alpha]
    graded: bool
    beside_paper: bool  # whether the paper's alpha may stand beside it
    first: int | None  # scores of a document that count; None: all
    reason: str  # why alpha of all documents has no interval, else empty

    @property
    def whole(self) -> Alpha:
        return self.alphas[0]

    @property
    def without_anchors(self) -> Alpha | None:
        return self._row(WITHOUT, ALL)

    @property
    def within(self) -> Alpha | None:
        """Within topics; None where there is one."""
        return self._row(self.whole.documents, WITHIN)

    @property
    def within_without_anchors(self) -> Alpha | None:
        return self._row(WITHOUT, WITHIN)

    def _row(self, documents: str, topic: str) -> Alpha | None:
        found = (row for row in self.alphas if (row.documents, row.topic) == (documents, topic))
        return next(found, None)

    @property
    def by_topic(self) -> list[Alpha]:
        wide = ALL, WITHIN
        return [row for row in self.alphas if row.topic not in wide and row.documents != WITHOUT]

    @property
    def scale(self) -> str:
        return "ordinal scales" if self.graded else "ratios"

    @property
    def permuted(self) -> str:
        """What the test does, in a sentence."""
        if self.whole.documents == EVERYTHING:
            return "scores of a worker on a topic change places among its documents"
        return "scores of a unit, but for the anchors', change places among its documents"

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


def numbers(found: Found) -> dict[str, float | int | str | None]:
    """Alpha of all documents and of those that are no anchors, pooled and within topics."""
    rows = {
        "alpha": found.whole,
        "alpha_within_topics": found.within,
        "alpha_without_anchors": found.without_anchors,
        "alpha_within_topics_without_anchors": found.within_without_anchors,
    }
    shown = {name: row for name, row in rows.items() if row is not None}
    of_all = {
        "documents": found.whole.n_documents,
        "first": found.first,
        "reason": found.reason,
        "level": "ordinal" if found.graded else "ratio",
    }
    return of_all | {
        key: value for name, row in shown.items() for key, value in _numbers(name, row).items()
    }


def _numbers(name: str, row: Alpha) -> dict[str, float]:
    return {name: row.alpha, f"{name}_low": row.low, f"{name}_high": row.high, f"{name}_p": row.p}


def compute(data: StudyData, tell: Tell, first: int | None) -> Found:
    graded = data.study.is_graded
    level = "ordinal" if graded else "ratio"
    blocks, groups, alphas, reasons = _blocks(data), [*_groups(data)], [], []
    for done, group in enumerate(groups, 1):
        of, judgments = group.judgments, data.judgments
        values, items, of_judges = (
            judgments.normalised[of],
            judgments.items[of],
            judgments.workers[of],
        )
        strata = data.documents.topics[items] if group.topic == WITHIN else None
        shared: dict[str, Any] = {
            "level": level,
            "first": first,
            "judges": of_judges,
            "strata": strata,
        }
        alpha = krippendorff_alpha(values, items, **shared)
        drawn = bootstrap_alpha(values, items, **shared, resamples=RESAMPLES, seed=data.seed)
        p = randomisation_test(
            values, items, blocks[of], **shared, permutations=PERMUTATIONS, seed=data.seed
        ).p
        interval = drawn.low, drawn.high
        alphas.append(Alpha(*group[:2], alpha.alpha, *interval, p, alpha.items, alpha.values))
        reasons.append(drawn.reason)
        tell(done / len(groups))
    beside_paper = not graded and papers.is_comparable(data.study)
    return Found(alphas, graded, beside_paper, first, reasons[0])


def _blocks(data: StudyData) -> Ints:
    """What each judgment may change places within, had nobody agreed: -1 of anchors.

    The unit that it is of; where judged elsewhere, all that the worker judged of the topic.
    """
    judgments = data.judgments
    if not data.study.is_imported:
        return np.where(data.documents.is_anchor[judgments.items], STAYS, judgments.units)
    return data.documents.topics[judgments.items] * len(data.workers) + judgments.workers


class _Group(NamedTuple):
    """Some of the judgments, (n,), whose alpha is computed."""

    documents: str
    topic: str
    judgments: NDArray[np.bool_]


def _groups(data: StudyData) -> Iterator[_Group]:
    """All topics, pooled and within, then one after the other: with the anchors, and without."""
    kinds = {WITH if data.has_anchors else EVERYTHING: np.ones(len(data.judgments), dtype=bool)}
    if data.has_anchors:
        kinds[WITHOUT] = ~data.documents.is_anchor[data.judgments.items]
    several = len(data.topics) > 1
    for wide in (ALL, WITHIN) if several else (ALL,):
        for documents, which in kinds.items():
            yield _Group(documents, wide, which)
    topics = data.documents.topics[data.judgments.items]
    if several:
        for documents, which in kinds.items():
            for place, topic in enumerate(data.topics):
                yield _Group(documents, topic.query_id, which & (topics == place))


def _why_not(whole: Alpha) -> str:
    """Why alpha is not defined."""
    if whole.n_documents < 2:
        return (
            "Fewer than two documents have scores of two workers yet: nothing can be said of "
            "agreement."
        )
    return "All scores are equal: there is no disagreement to expect, and alpha is not defined."


def says(found: Found) -> Iterator[str]:
    whole, others, within = found.whole, found.without_anchors, found.within
    has_others = others is not None and not np.isnan(others.alpha)
    without = f", and {_value(others)} without the anchors" if others and has_others else ""
    paper = published.quote("; the paper found {alpha:.3f}") if found.beside_paper else ""
    paper += " with them" if paper and without else ""
    yield (
        f"Krippendorff's alpha is {_value(whole, 'interval ')}{without}{paper}. It is for "
        f"{found.scale}, from {found.counted} of {count(whole.n_documents, 'document')}."
    )
    if within is not None and not np.isnan(within.alpha):
        also = found.within_without_anchors
        apart = f", {_value(also)} without the anchors" if also and has_others else ""
        yield (
            f"Within topics it is {_value(within)}{apart}: chance is then what scores of the same "
            "topic give. Pooled, it exceeds 0 without any agreement where scores of one topic are "
            "larger than those of another."
        )
    if found.reason:
        yield f"There is no interval: {found.reason}."
    yield _says_p(others if others and has_others else whole, forced=has_others)
    if others and not has_others:
        yield (
            "Without the anchors it is not defined: it takes two documents with scores of two "
            "workers, and scores that differ."
        )


def _value(row: Alpha, called: str = "") -> str:
    shown = f" (95% {called}{row.interval})" if called else f" ({row.interval})"
    return f"{number(row.alpha)}{shown if row.interval else ''}"


def _says_p(tested: Alpha, *, forced: bool) -> str:
    scale = "1 is perfect agreement, 0 what chance gives"
    anchors = " Check (c) forces the order of the anchors." if forced else ""
    if np.isnan(tested.p):
        return f"{scale}; no two scores can change places, so that nothing can be tested.{anchors}"
    agree = "Workers agree better than chance"
    if tested.p >= SIGNIFICANT:
        agree = "It cannot be said that workers agree better than chance"
    without = " without the anchors" if forced else ""
    return f"{scale}. {agree}{without} ({p_value(tested.p)}, randomisation test).{anchors}"


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
    chart = plots.intervals("topics", "alpha", {"y": plots.names("topic", order)})
    data = {"topics": drawn(rows, "topic low high", _tooltip, mean="alpha")}
    if found.beside_paper:
        chart = plots.layer(chart, plots.rule_at("paper", x=plots.axis("alpha", "alpha")))
        data["paper"] = [{"alpha": published.value("alpha")}]
    paper = "; dashed: the paper's of all its topics" if found.beside_paper else ""
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
    whole = plots.rule_at("whole", x=plots.axis("value", "alpha", domain=domain))
    return _figure(
        found,
        known,
        f"A dot for each of {count(len(known), 'topic')}; dashed: all topics together.",
        plots.layer(chart, whole),
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
        f"different ways. Intervals are from {RESAMPLES:,} draws of documents; "
        f"topics with fewer than {MIN_ITEMS} documents have none.",
    )


def _tooltip(row: Alpha) -> str:
    return f"{row.topic}: {_value(row)}, n = {row.n_documents}"


def table(found: Found) -> Table:
    anchors = ", with and without the anchors" if found.without_anchors else ""
    return Table(
        "alpha",
        f"Krippendorff's alpha for {found.scale}{anchors}",
        Alpha,
        found.alphas,
        (
            f"From {found.counted} of a document; a document with scores of one worker says "
            "nothing and is left out, and so are pairs of scores that one worker gave to the same "
            f"document. Low, high: 95% interval, studentised bootstrap over documents; none below "
            f"{MIN_ITEMS} documents, within topics below {MIN_ITEMS_OF_STRATUM} a topic, or where "
            "nearly all scores of a document agree. p: of the test of no agreement, "
            f"{found.permuted}, {PERMUTATIONS} times; empty where none can.",
            *([WITHIN_NOTE] if found.within else []),
            *(
                [
                    "No alpha: fewer than two documents have scores of two workers, or all scores "
                    "are equal."
                ]
                if any(np.isnan(row.alpha) for row in found.alphas)
                else []
            ),
        ),
        "section 6.1.1",
    )


def methods(data: StudyData, numbers: Numbers) -> str:
    among = "within a worker's topic" if data.study.is_imported else "within units, anchors kept"
    return (
        f"Krippendorff's alpha counts {counted(numbers['first'], 'scores')} of a document, but no "
        "pair of scores that one worker gave to the same document; its 95% intervals are from a "
        f"studentised bootstrap, {RESAMPLES:,} draws of documents with replacement, with standard "
        "errors clustered by document and worker; its p are from a randomisation test, "
        f"{PERMUTATIONS} permutations of scores {among}."
    )


ANALYSIS = Analysis(
    "internal", "Do workers agree with each other?", analyse, methods=methods, takes=("first",)
)
