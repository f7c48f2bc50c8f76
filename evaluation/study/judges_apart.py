"""How far the values of systems would lie apart by other judges, topic by topic."""

from collections.abc import Callable

import numpy as np

from evaluation.study import scoring
from evaluation.study.data import StudyData
from magnitudes.comparison.halves import Within, topic_squares, within_documents
from magnitudes.comparison.variance_components import Squares, checked
from magnitudes.measures.names import Measure

SPLITS = 20  # of each kind
MIN_FREEDOM = 30  # degrees of freedom of a variance within documents


def judges_of(data: StudyData) -> float:
    """How many scores a judged document has, at the median."""
    counts = data.documents.counts[data.documents.counts > 0]
    return float(np.median(counts)) if counts.size else 0.0


def within(data: StudyData) -> list[Within]:
    """How far scores of one document lie apart, pooled within each topic; magnitudes in logs."""
    return [
        within_documents(
            (topic.normalised if data.study.is_graded else np.log(topic.normalised)).ravel(),
            topic.places.ravel(),
        )
        for topic in data.topics
    ]


def pooled(spreads: list[Within]) -> Within:
    """The same over all topics."""
    return Within(sum(each.squares for each in spreads), sum(each.freedom for each in spreads))


def measured(data: StudyData, by: Measure, on_progress: Callable[[float], None]) -> Squares:
    """The values of all systems, and how far apart those by other judges would lie.

    A topic with fewer than `MIN_FREEDOM` degrees of freedom has the variance of all topics.
    """
    judges = np.split(data.judgments.workers, np.cumsum([t.places.size for t in data.topics])[:-1])
    spreads, streams = within(data), np.random.default_rng(data.seed).spawn(len(data.topics))
    every, rows = pooled(spreads), []
    for topic, who, spread, rng in zip(data.topics, judges, spreads, streams, strict=True):
        drawable = scoring.drawable(topic, topic.lists)
        known = spread if spread.freedom >= MIN_FREEDOM else every
        logs = not data.study.is_graded
        rows.append(
            topic_squares(drawable, who, by, known.variance, rng, splits=SPLITS, in_logs=logs)
        )
        on_progress(len(rows) / len(data.topics))
    return checked(Squares(*map(np.stack, zip(*rows, strict=True))))
