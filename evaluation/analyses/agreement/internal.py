"""How far those agree who judge the same document (paper, section 6.1.1).

**Shows** Krippendorff's alpha on all topics, within topics and on each topic, with and without
anchors, with 95% intervals and p.

**Computed** at ratio level on the first ten normalised scores of a pair, as in the paper, or on
another number of them (`first`, a number or `all`, on the page and over REST); on all, for labels
and scores given elsewhere; for levels, at ordinal level. A pair with scores by one worker carries
no information. Two scores that one worker assigned to the same document are not compared: a
document contributes the mean disagreement of its pairs of different workers, weighted by its number
of scores, and the expected disagreement is computed likewise. Within topics, the expected
disagreement is that of scores of the same topic. Pooled over topics, alpha exceeds 0 even without
agreement if the scores of one topic are larger than those of another.

Intervals come from 1,000 draws of documents with replacement, each with its own observed and
expected disagreement, studentised on the scale of ln(1 - alpha), with standard errors clustered by
document and worker. Their coverage is 94% to 95% on log-normal scores of known alpha (30 documents
of 5 scores to 400 of 10), 93% to 94% in studies of an artificial crowd, and 92% within topics of 42
documents. There is no interval below 30 documents, within topics below 20 documents per topic, or
if nearly all scores of a document agree. p is that of a randomisation test: the scores of each
unit, except those of the anchors, are permuted among its documents (for scores given elsewhere,
those of a worker within the topic) 999 times; p = (b + 1) / (999 + 1), where b of the permutations
give an alpha at least as high. Alpha is undefined if all scores are equal, or fewer than two pairs
have scores by two workers.

**Source**: section 6.1.1.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluation.analyses import papers
from evaluation.analyses.agreement import alphas
from evaluation.analyses.agreement.alphas import ALL, WITHIN, WITHOUT, value
from evaluation.analyses.analysis import Numbers, OnProgress, analysis
from evaluation.analyses.question import USUAL, Question, first_counted
from evaluation.presentation import published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Result, Table, p_value, with_ends
from evaluation.study.data import StudyData
from magnitudes.agreement.alpha import MIN_ITEMS, MIN_ITEMS_OF_STRATUM
from magnitudes.files.words import count

SIGNIFICANT = 0.05
TOO_FEW = (
    "Fewer than two documents have scores of two workers yet: nothing can be said of agreement."
)
ALL_EQUAL = "All scores are equal: there is no disagreement to expect, and alpha is not defined."


def methods(data: StudyData, numbers: Numbers) -> str:
    among = "within a worker's topic" if data.study.is_imported else "within units, anchors kept"
    return (
        f"Krippendorff's alpha counts {_counted(numbers['first'], 'scores')} of a document, but no "
        "pair of scores that one worker gave to the same document; its 95% intervals are from a "
        f"studentised bootstrap, {alphas.RESAMPLES:,} draws of documents with replacement, with "
        "standard errors clustered by document and worker; its p are from a randomisation test, "
        f"{alphas.PERMUTATIONS} permutations of scores {among}."
    )


@analysis("Do workers agree with each other?", methods=methods, takes=("first",))
def analyse(data: StudyData, on_progress: OnProgress, asked: Question = USUAL) -> Result:
    """Krippendorff's alpha on all topics and on each, with and without anchors."""
    study, first = data.study, first_counted(data.study, asked)
    groups, reason = alphas.compute(data, on_progress, first)
    by_group = {(row.documents, row.topic): row for row in groups}
    whole, *_ = groups
    if np.isnan(whole.alpha):
        return Result([TOO_FEW if whole.n_documents < 2 else ALL_EQUAL])
    pooled = {  # by the names of their numbers
        "alpha": whole,
        "alpha_within_topics": by_group.get((whole.documents, WITHIN)),
        "alpha_without_anchors": by_group.get((WITHOUT, ALL)),
        "alpha_within_topics_without_anchors": by_group.get((WITHOUT, WITHIN)),
    }
    level = alphas.level(data)
    numbers = {"documents": whole.n_documents, "first": first, "reason": reason, "level": level}
    for name, row in pooled.items():
        if row:
            numbers |= with_ends(name, row.alpha, row.low, row.high) | {f"{name}_p": row.p}
    # The paper's is of ratios, and of the first scores of a document.
    beside_paper = papers.is_comparable(study) and not study.is_graded and first is not None
    if not study.is_graded and first is not None:
        numbers |= with_ends("ratio_alpha", whole.alpha, whole.low, whole.high)
    counted = _counted(first, "levels" if study.is_graded else "normalised scores")
    sentences = [*_sentences([*pooled.values()], beside_paper, _scale(data), counted, reason)]
    return Result(
        sentences, [*alphas.by_topic(groups, beside_paper), _table(data, groups, counted)], numbers
    )


def _scale(data: StudyData) -> str:
    return "ordinal scales" if data.study.is_graded else "ratios"


def _counted(first: int | None, scores: str) -> str:
    """Which scores of a document count, in a sentence."""
    return f"all {scores}" if first is None else f"the first {first} {scores}"


def _sentences(
    pooled: list[Any], beside_paper: bool, scale: str, counted: str, reason: str
) -> Iterator[str]:
    whole, within, others, within_others = pooled
    has_others = others is not None and not np.isnan(others.alpha)
    without = f", and {value(others)} without the anchors" if has_others else ""
    paper = published.quote("; the paper found {alpha:.3f}") if beside_paper else ""
    paper += " with them" if paper and without else ""
    yield (
        f"Krippendorff's alpha is {value(whole, '95% interval ')}{without}{paper}. It is alpha "
        f"for {scale}, from {counted} of {count(whole.n_documents, 'document')}."
    )
    if within is not None and not np.isnan(within.alpha):
        apart = f", {value(within_others)} without the anchors" if has_others else ""
        yield (
            f"Within topics it is {value(within)}{apart}: chance is then what scores of the same "
            "topic give. Pooled, it exceeds 0 without any agreement where scores of one topic are "
            "larger than those of another."
        )
    if reason:
        yield f"There is no interval: {reason}."
    yield _tested(others if has_others else whole, " without the anchors" if has_others else "")
    if others and not has_others:
        yield (
            "Without the anchors it is not defined: it takes two documents with scores of two "
            "workers, and scores that differ."
        )


def _tested(row: Any, without: str) -> str:
    scale = "1 is perfect agreement, 0 what chance gives"
    anchors = " Check (c) forces the order of the anchors." if without else ""
    if np.isnan(row.p):
        return f"{scale}; no two scores can change places, so that nothing can be tested.{anchors}"
    agree = "Workers agree better than chance"
    includes_0 = row.low <= 0  # NaN where there is no interval
    if row.p >= SIGNIFICANT or includes_0:
        agree = "It cannot be said that workers agree better than chance"
    tested = f"{p_value(row.p)}, randomisation test"
    if row.p < SIGNIFICANT and includes_0:
        tested = f"0 is in the interval of alpha, though {tested}"
    return f"{scale}. {agree}{without} ({tested}).{anchors}"


def _table(data: StudyData, groups: Frame, counted: str) -> Table:
    anchors = ", with and without the anchors" if data.has_anchors else ""
    moved = "a unit, but for the anchors'," if data.has_anchors else "a worker on a topic"
    within = (
        "Within topics: the disagreement that chance gives is that of scores of the same topic. "
        "Pooled over topics, alpha exceeds 0 without any agreement where the scores of one topic "
        "are larger than those of another."
    )
    empty = (
        "No alpha: fewer than two documents have scores of two workers, or all scores are equal."
    )
    return groups.table(
        "alpha",
        f"Krippendorff's alpha for {_scale(data)}{anchors}",
        f"From {counted} of a document; a document with scores of one worker says "
        "nothing and is left out, and so are pairs of scores that one worker gave to the same "
        "document. Low, high: 95% interval, studentised bootstrap over documents; none below "
        f"{MIN_ITEMS} documents, within topics below "
        f"{MIN_ITEMS_OF_STRATUM} a topic, or where nearly all scores of a document "
        f"agree. p: of the test of no agreement, scores of {moved} change places among its "
        f"documents, {alphas.PERMUTATIONS} times; empty where none can.",
        within if (groups["topic"] == WITHIN).any() else "",
        empty if np.isnan(groups["alpha"]).any() else "",
        source="section 6.1.1",
    )
