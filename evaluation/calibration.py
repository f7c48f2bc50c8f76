"""From the log of a user study to the parameters of time-biased gain, without a database."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.measures.names import READER, Measure, Value
from evaluation.scaling.reading_time import repeated
from evaluation.scaling.time_calibration import Activity, Calibration
from trec.duplicates import Classes
from trec.qrels import Qrels
from trec.session_logs import Session, View

DIGITS = 4  # of a parameter in a measure's name: its error is far larger


class Row(NamedTuple):
    """One number that was estimated. `entries`: sessions, or views for times of documents."""

    parameter: str
    value: float
    error: float
    entries: int
    participants: int
    reason: str  # why value or error is NaN, or the value is of no use to the measure


class Relevance:
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
    relevance, lengths = Relevance(qrels), words or {}
    people = {name: n for n, name in enumerate(dict.fromkeys(s.participant for s in sessions))}
    shown = [
        (n, rank, relevance(session.query_id, doc_id), rank in session.clicked)
        for n, session in enumerate(sessions)
        for rank, doc_id in session.summaries.items()
    ]
    views = [(n, session, view) for n, session in enumerate(sessions) for view in session.views]
    who = [people[session.participant] for _, session, _ in views]
    seen = _numbers(views, classes or {})
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
        repeated(who, seen),
    )


def _numbers(views: Sequence[tuple[int, Session, View]], classes: Classes) -> list[int]:
    """A number for each view's document, the same for near duplicates."""
    numbers: dict[tuple[str, ...], int] = {}
    found = []
    for _, session, view in views:
        topic = "" if "" in classes else session.query_id
        name = classes.get(topic, {}).get(view.doc_id)
        key = (view.doc_id,) if name is None else (topic, name)
        found.append(numbers.setdefault(key, len(numbers)))
    return found


def _or_nan(number: float | None) -> float:
    return math.nan if number is None else number


def rows(found: Calibration) -> list[Row]:
    """Every number of a calibration; those that the measure takes are named as its options."""
    line = found.line
    views, people, reason = int(line.views[0]), int(line.workers[0]), line.reasons[0]
    of_line = (views, people, reason)
    named = [
        Row(name, *getattr(found, name))
        for name in ("half_life", "summary", "click", "click_nonrel", "save", "save_nonrel")
    ]
    named[2:2] = [
        Row("slope", float(line.slope[0]), float(line.slope_error[0]), *of_line),
        Row("intercept", float(line.intercept[0]), float(line.intercept_error[0]), *of_line),
        Row("adjusted_r2", float(line.r2[0]), math.nan, views, people, reason),
        Row("seconds_of_first_views", float(line.mean[0]), float(line.mean_error[0]), *of_line),
        Row("seconds_of_later_views", *found.again),
    ]
    return [_usable(row) for row in named]


def _usable(row: Row) -> Row:
    """A row with the reason why the measure cannot have its value, if there is one."""
    if row.parameter in READER and not math.isnan(row.value):
        fault = READER[row.parameter].fault(row.value)
        return row._replace(reason=f"not for the measure: {fault}") if fault else row
    return row


def measure(found: Sequence[Row]) -> Measure:
    """TBG with what was estimated, to four digits; what was not stays the paper's."""
    options: dict[str, Value] = {
        row.parameter: float(f"{row.value:.{DIGITS}g}")
        for row in found
        if row.parameter in READER
        and not math.isnan(row.value)
        and READER[row.parameter].fault(row.value) is None
    }
    return Measure("TBG", {name: options[name] for name in READER if name in options})
