"""The log of a user study as arrays, for `calibration`."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.files.duplicates import Classes
from magnitudes.files.labels.qrels import Qrels
from magnitudes.files.session_logs import Session, View
from magnitudes.reading_time.line import repeated

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Activity(NamedTuple):
    """A log as arrays; flat ones name the session of each entry.

    Of sessions: participant (whole numbers), list_seconds, deepest (M, 0 without a click), clicks,
    last_click (seconds from the first view). Of summaries that were shown: shown_session,
    shown_rank, shown_relevant (1, 0, or NaN where not judged), shown_clicked. Of document views:
    view_session, view_relevant, view_saved, view_seconds (NaN where the end is not known),
    view_words (NaN where not known), view_again (seen before).
    """

    participant: Ints
    list_seconds: Floats
    deepest: Ints
    clicks: Ints
    last_click: Floats
    shown_session: Ints
    shown_rank: Ints
    shown_relevant: Floats
    shown_clicked: NDArray[np.bool_]
    view_session: Ints
    view_relevant: Floats
    view_saved: NDArray[np.bool_]
    view_seconds: Floats
    view_words: Floats
    view_again: NDArray[np.bool_]


class _Relevance:
    """What labels say of a document: 1, 0, or NaN where it has none."""

    def __init__(self, qrels: Qrels | None) -> None:
        rows = qrels.rows() if qrels else iter(())
        self._labels = {(query_id, doc_id): float(label > 0) for query_id, doc_id, label in rows}

    def __call__(self, query_id: str, doc_id: str) -> float:
        return self._labels.get((query_id, doc_id), math.nan)


def activity(
    sessions: Sequence[Session],
    qrels: Qrels | None = None,
    words: Mapping[str, int] | None = None,
    classes: Classes | None = None,
) -> Activity:
    """The log as arrays; relevance and lengths are not known where their files are not given.

    A document is seen again where the participant has seen it, or one of its class, before: in this
    session, or in one that begins above it in the log.
    """
    relevance, lengths = _Relevance(qrels), words or {}
    people = {name: n for n, name in enumerate(dict.fromkeys(s.participant for s in sessions))}
    shown = [
        (n, rank, relevance(session.query_id, doc_id), rank in session.clicked)
        for n, session in enumerate(sessions)
        for rank, doc_id in session.summaries.items()
    ]
    views = [(n, session, view) for n, session in enumerate(sessions) for view in session.views]
    viewers = [people[session.participant] for _, session, _ in views]
    documents = _document_numbers(views, classes or {})
    return Activity(
        np.array([people[session.participant] for session in sessions], dtype=np.int64),
        np.array([session.list_seconds for session in sessions], dtype=np.float64),
        np.array([session.deepest for session in sessions], dtype=np.int64),
        np.array([session.clicks for session in sessions], dtype=np.int64),
        np.array([session.last_click or 0.0 for session in sessions], dtype=np.float64),
        np.array([row[0] for row in shown], dtype=np.int64),
        np.array([row[1] for row in shown], dtype=np.int64),
        np.array([row[2] for row in shown], dtype=np.float64),
        np.array([row[3] for row in shown], dtype=bool),
        np.array([n for n, _, _ in views], dtype=np.int64),
        np.array([relevance(s.query_id, v.doc_id) for _, s, v in views], dtype=np.float64),
        np.array([view.saved for _, _, view in views], dtype=bool),
        np.array([_or_nan(view.seconds) for _, _, view in views], dtype=np.float64),
        np.array([_or_nan(lengths.get(v.doc_id)) for _, _, v in views], dtype=np.float64),
        repeated(viewers, documents),
    )


def _document_numbers(views: Sequence[tuple[int, Session, View]], classes: Classes) -> list[int]:
    """A number for each view's document, the same for near duplicates."""
    numbers: dict[tuple[str, ...], int] = {}
    documents = []
    for _, session, view in views:
        topic = "" if "" in classes else session.query_id
        name = classes.get(topic, {}).get(view.doc_id)
        key = (view.doc_id,) if name is None else (topic, name)
        documents.append(numbers.setdefault(key, len(numbers)))
    return documents


def _or_nan(number: float | None) -> float:
    return math.nan if number is None else number
