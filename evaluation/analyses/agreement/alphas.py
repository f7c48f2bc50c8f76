"""Krippendorff's alpha of groups of judgments: of all topics and of each.

A part of the analysis `internal`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, tracked
from evaluation.presentation import dot_strips, plots, published
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, interval, number, span
from evaluation.study.data import Floats, Ints, Mask, StudyData
from magnitudes.agreement.alpha import MIN_ITEMS, bootstrap_alpha, krippendorff_alpha
from magnitudes.agreement.alpha_randomised import STAYS, randomisation_test
from magnitudes.files.words import count

RESAMPLES, PERMUTATIONS = 1000, 999
ALL, WITHIN = "all topics", "within topics"
WITH, WITHOUT, EVERYTHING = "with anchors", "without anchors", "all documents"
MAX_LINES = 40  # topics that are drawn below each other; more are a strip of dots
COLUMNS = "documents topic alpha low high p n_documents scores"


def level(data: StudyData) -> str:
    return "ordinal" if data.study.is_graded else "ratio"


def compute(data: StudyData, on_progress: OnProgress, first: int | None) -> tuple[Frame, str]:
    """Alpha of groups of judgments, and why that of all documents has no interval, else empty."""
    judgments, blocks_of, groups = data.judgments, blocks(data), [*_groups(data)]
    rows, reasons = [], []
    for documents, topic, of in tracked(groups, on_progress):
        values, items = judgments.normalised[of], judgments.items[of]
        of_group, reason = numbers(
            values,
            items,
            blocks_of[of],
            data.seed,
            level=level(data),
            first=first,
            judges=judgments.workers[of],
            strata=data.documents.topics[items] if topic == WITHIN else None,
        )
        rows.append((documents, topic, *of_group))
        reasons.append(reason)
    frame = Frame.of_rows(COLUMNS, rows)
    counted = Column(frame["n_documents"], head="documents")
    return frame.with_columns(n_documents=counted), reasons[0]


def numbers(
    values: Floats, items: Ints, blocks: Ints, seed: int, **shared: Any
) -> tuple[tuple[float, float, float, float, int, int], str]:
    """Alpha, its interval, p, of how many documents and values; and why there is no interval.

    shared: as `krippendorff_alpha` takes it.
    """
    alpha = krippendorff_alpha(values, items, **shared)
    ends = bootstrap_alpha(values, items, resamples=RESAMPLES, seed=seed, **shared)
    p = randomisation_test(values, items, blocks, permutations=PERMUTATIONS, seed=seed, **shared).p
    return (alpha.alpha, ends.low, ends.high, p, alpha.items, alpha.values), ends.reason


def blocks(data: StudyData) -> Ints:
    """What each judgment may change places within, had nobody agreed: -1 of anchors.

    The unit that it is of; where judged elsewhere, all that the worker judged of the topic.
    """
    judgments = data.judgments
    if not data.study.is_imported:
        return np.where(data.documents.is_anchor[judgments.items], STAYS, judgments.units)
    return data.documents.topics[judgments.items] * len(data.workers) + judgments.workers


def _groups(data: StudyData) -> Iterator[tuple[str, str, Mask]]:
    """All topics, pooled and within, then one after the other: with the anchors, and without."""
    kinds = {WITH if data.has_anchors else EVERYTHING: np.ones(len(data.judgments), dtype=bool)}
    if data.has_anchors:
        kinds[WITHOUT] = ~data.documents.is_anchor[data.judgments.items]
    several = len(data.topics) > 1
    for wide in (ALL, WITHIN) if several else (ALL,):
        yield from ((documents, wide, which) for documents, which in kinds.items())
    topics = data.documents.topics[data.judgments.items]
    for documents, which in kinds.items() if several else ():
        for place, topic in enumerate(data.topics):
            yield documents, topic.query_id, which & (topics == place)


def value(row: Any, called: str = "") -> str:
    """Alpha in a sentence, with its interval if it has one, which may be called something."""
    ends = "" if np.isnan(row.low) else f" ({called}{interval(row.low, row.high)})"
    return f"{number(row.alpha)}{ends}"


def by_topic(groups: Frame, beside_paper: bool) -> Iterator[Figure]:
    """Topics from the highest alpha on: a few below each other, many on a line; none of none."""
    pooled = np.isin(groups["topic"], (ALL, WITHIN)) | (groups["documents"] == WITHOUT)
    places = np.flatnonzero(~pooled & ~np.isnan(groups["alpha"]))
    if not places.size:
        return
    places = places[np.argsort(-groups["alpha"][places], kind="stable")]
    known, all_topics = groups.where(places), groups["alpha"][0]
    high, low = known["alpha"][[0, -1]].tolist()
    if len(known) <= MAX_LINES:
        drawn = groups.where([0, *places])
        order = plots.names("topic", drawn["topic"].tolist())
        chart = plots.intervals(ROWS, "alpha", {"y": order})
        marks = {ROWS: drawn.with_columns(mean=drawn["alpha"]).marks(_tooltip)}
        caption = "Alpha of each topic with its 95% interval, and above of all together."
        if np.isnan(known["low"]).all():
            caption = (
                "Alpha of each topic, which has too few documents for an interval, and above of "
                "all together, with its 95% interval."
            )
        if beside_paper:
            chart = plots.layer(chart, plots.paper(plots.axis("mean", "alpha"), order))
            name = published.quote("the paper, over its {topics} topics: {alpha}")
            marks[OF_PAPER] = [{"topic": ALL, "mean": published.value("alpha"), "name": name}]
        chart = plots.sized(chart, height=18 * len(drawn))
    else:
        dots = dot_strips.rows(known["alpha"], known["topic"].tolist(), [*map(_tooltip, known)])
        room = 0.05 * (high - low) or 0.05
        domain = (low - room, high + room)
        dashed = plots.rule_at("whole", x=plots.axis("value", "alpha", domain=domain))
        chart = plots.layer(
            dot_strips.strip(ROWS, "alpha", domain, dot_strips.height(dots)), dashed
        )
        marks = {ROWS: dots, "whole": [{"value": all_topics}]}
        caption = f"A dot for each of {count(len(known), 'topic')}; dashed: all topics together."
    shown = groups.where([0, *np.flatnonzero(~pooled)])
    of_topics = shown.of_columns("topic", "alpha", "low", "high", "p")
    yield of_topics.with_columns(documents=shown["n_documents"], scores=shown["scores"]).figure(
        "by-topic",
        f"On single topics alpha is {span(low, high)}",
        caption,
        chart,
        data=marks,
        reading="Look for topics with the least agreement: workers may have understood them in "
        f"different ways. Intervals are from {RESAMPLES:,} draws of documents; "
        f"topics with fewer than {MIN_ITEMS} documents have none.",
    )


def _tooltip(row: Any) -> str:
    return f"{row.topic}: {value(row)}, n = {row.n_documents}"
