"""The tables that leave a study: columns, and rows as dictionaries in that order."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from evaluation import pipeline, results
from evaluation.comparison.ranks import competition_ranks
from evaluation.measures.names import parse
from evaluation.models import TopicEvaluation
from evaluation.named_gains import NoSuchGains
from judging import report
from judging.models import Study
from judging.states import State

Row = Mapping[str, Any]


class CannotExport(ValueError):
    """There is no such table or format."""


@dataclass(frozen=True)
class Export:
    """One table: its columns, what makes its rows, and the formats it can be written in."""

    columns: tuple[str, ...]
    rows: Callable[..., Iterator[Row]]
    formats: tuple[str, ...] = ("csv", "jsonl")


def qrels(
    study: Study,
    normalisation: str | None = None,
    aggregation: str | None = None,
    gains: str | None = None,
) -> Iterator[Row]:
    """Real-valued gains of all judged pairs. Nobody reads the iteration: it tells who judged.

    Raises:
        CannotExport: the study's scores cannot be scaled so, or have no such gains.
    """
    try:
        found = results.gains(study, normalisation, aggregation, gains)
    except results.NoSuchScheme as fault:
        raise CannotExport(f"{fault.option} {fault}") from fault
    except NoSuchGains as fault:
        raise CannotExport(str(fault)) from fault
    return _qrels(study, found)


def _qrels(study: Study, gains: Iterable[results.Gain]) -> Iterator[Row]:
    for gain in gains:
        yield {
            "query_id": gain.query_id,
            "iteration": study.mark or 0,
            "doc_id": gain.doc_id,
            "relevance": gain.gain,
        }


# Every judgment with all that it belongs to.
_JUDGED = """
    FROM judging_assignment a
    JOIN judging_worker w ON w.id = a.worker_id
    JOIN judging_unit u ON u.id = a.unit_id
    JOIN judging_studytopic st ON st.id = a.study_topic_id
    JOIN judging_topic t ON t.id = st.topic_id
    JOIN judging_judgment j ON j.assignment_id = a.id
    JOIN judging_pooleddocument p ON p.id = j.document_id
"""

# What is the same for every judgment of a unit comes from its assignment; visits are summed.
JUDGMENTS = f"""
    SELECT a.id, w.pseudonym, t.query_id || '-' || u.number, t.query_id, p.doc_id, j.position,
           j.score, j.score_text, j.justification, a.seconds[j.position], p.role, v.visits,
           v.visible_seconds, j.first_score,
           j.score_at_failure IS NOT NULL AND j.score_at_failure <> j.score,
           j.submitted_at, w.simulated
    {_JUDGED}
    JOIN LATERAL (
        SELECT count(*) AS visits, sum(visible_seconds) AS visible_seconds
        FROM judging_visit WHERE assignment_id = a.id AND position = j.position
    ) v ON true
    WHERE a.state = 'completed' AND
"""
JUDGMENT_COLUMNS = (
    *("worker", "unit", "query_id", "doc_id", "position", "score", "score_text", "justification"),
    *("seconds", "normalised", "role", "visits", "visible_seconds", "first_score"),
    *("changed_after_failure", "submitted_at", "simulated"),
)
STORED_COLUMNS = tuple(name for name in JUDGMENT_COLUMNS if name != "normalised")


def judgments(study: Study) -> Iterator[Row]:
    """Every judgment of every completed unit, topic by topic, in the order of completion.

    `normalised` is null for a unit completed after the last evaluation.
    """
    for topic in study.topics.order_by("topic__query_id").values_list("pk", flat=True):
        which = "st.id = %s ORDER BY a.finished_at, a.id, j.position"
        with connection.chunked_cursor() as cursor:
            cursor.execute(JUDGMENTS + which, [topic])
            yield from _with_normalised(cursor, _normalised_of(topic))


def judgments_by_key(keys: list[int]) -> list[Row]:
    """The same rows for some judgments of completed units, in the order of their keys."""
    with connection.cursor() as cursor:
        cursor.execute(NORMALISED, [keys])
        normalised = dict(cursor.fetchall())
        cursor.execute(JUDGMENTS + "j.id = ANY(%s) ORDER BY j.id", [keys])
        return list(_with_normalised(cursor, normalised))


def _with_normalised(rows: Iterable[Any], normalised: Mapping[int, list[float]]) -> Iterator[Row]:
    """Rows as they are told: after the key of the assignment, all but the normalised score."""
    for assignment, *values in rows:
        row = dict(zip(STORED_COLUMNS, values, strict=True))
        moved = normalised.get(assignment)
        row["normalised"] = moved[row["position"] - 1] if moved else None
        yield row


def _normalised_of(topic: int) -> dict[int, list[float]]:
    """Published normalised scores of a topic: by assignment, then by page."""
    stored = TopicEvaluation.objects.filter(study_topic=topic)
    found = {}
    for assignments, normalised in stored.values_list("assignments", "normalised"):
        size = len(normalised) // max(len(assignments), 1)
        for place, key in enumerate(assignments):
            found[key] = normalised[place * size : (place + 1) * size]
    return found


# The same for the units of some judgments, without the rest of their topics.
NORMALISED = """
    SELECT a.id, t.normalised[(place - 1) * size + 1 : place * size]
    FROM judging_assignment a
    JOIN evaluation_topicevaluation t ON t.study_topic_id = a.study_topic_id
    CROSS JOIN LATERAL (
        SELECT array_position(t.assignments, a.id) AS place,
               t.judgments / nullif(t.units, 0) AS size
    ) p
    WHERE place IS NOT NULL
      AND a.id IN (SELECT assignment_id FROM judging_judgment WHERE id = ANY(%s))
"""


# What was judged elsewhere.
_OPINIONS = """
    SELECT w.pseudonym, t.query_id, p.doc_id, o.level, s.levels[o.level + 1], o.aspect, o.occasion
    FROM judging_opinion o
    JOIN judging_worker w ON w.id = o.worker_id
    JOIN judging_pooleddocument p ON p.id = o.document_id
    JOIN judging_studytopic st ON st.id = o.study_topic_id
    JOIN judging_topic t ON t.id = st.topic_id
    JOIN judging_study s ON s.id = st.study_id
"""
OPINION_COLUMNS = ("worker", "query_id", "doc_id", "score", "score_text", "aspect", "occasion")


def opinions(study: Study) -> Iterator[Row]:
    """Every opinion, in the order in which they were imported; no score where there is no level."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(_OPINIONS + "WHERE st.study_id = %s ORDER BY o.id", [study.pk])
        yield from (dict(zip(OPINION_COLUMNS, values, strict=True)) for values in cursor)


def opinions_by_key(keys: list[int]) -> list[Row]:
    """The same rows for some opinions, in the order of their keys."""
    with connection.cursor() as cursor:
        cursor.execute(_OPINIONS + "WHERE o.id = ANY(%s) ORDER BY o.id", [keys])
        return [dict(zip(OPINION_COLUMNS, values, strict=True)) for values in cursor]


UNITS = f"""
    SELECT a.id, t.query_id || '-' || u.number, w.pseudonym, t.query_id,
           row_number() OVER (PARTITION BY w.id ORDER BY a.finished_at, a.id),
           a.started_at, a.finished_at, a.back_steps, a.revise_steps, a.failed_finishes,
           max(j.score) FILTER (WHERE p.role = 'h_k' AND NOT j.graded)
               / max(j.score) FILTER (WHERE p.role = 'n_k' AND NOT j.graded),
           w.simulated
    {_JUDGED}
    WHERE a.study_id = %s AND a.state = %s
    GROUP BY a.id, u.id, w.id, t.id
    ORDER BY t.query_id, a.finished_at, a.id
"""
UNIT_COLUMNS = (
    *("unit", "worker", "query_id", "worker_unit_index", "started_at", "finished_at", "back"),
    *("revise_steps", "failed_finishes", "gamma_u", "hk_nk_ratio", "simulated"),
)
STORED_UNIT_COLUMNS = tuple(name for name in UNIT_COLUMNS if name != "gamma_u")


def units(study: Study) -> Iterator[Row]:
    """Every completed unit. `gamma_u` is null for one completed after the last evaluation.

    `hk_nk_ratio` is null where scores are levels, which have no ratios.
    """
    gamma_u: dict[int, float] = {}
    topics = TopicEvaluation.objects.filter(evaluation__study=study)
    for assignments, found in topics.values_list("assignments", "gamma_u"):
        gamma_u |= zip(assignments, found, strict=True)
    with connection.chunked_cursor() as cursor:
        cursor.execute(UNITS, [study.pk, State.COMPLETED])
        for assignment, *values in cursor:
            row = dict(zip(STORED_UNIT_COLUMNS, values, strict=True))
            yield row | {"gamma_u": gamma_u.get(assignment)}


CROWD = "crowd"  # who judged: people, unless it says simulated, demo or imported
RANKING_COLUMNS = ("run", "measure", "query_id", "value", "rank", CROWD, "gains")


def rankings(
    study: Study, measures: tuple[str, ...] = pipeline.MEASURES, gains: str | None = None
) -> Iterator[Row]:
    """Every system's value and rank on every topic, and (`all`) in the mean.

    Raises:
        CannotExport: there are no such gains.
    """
    try:
        with results.one_moment():
            tables = [results.table(study, parse(name), gains) for name in measures]
    except NoSuchGains as fault:
        raise CannotExport(str(fault)) from fault
    return _rankings(tables, study.mark or "people")


def _rankings(tables: Iterable[results.Table], crowd: str) -> Iterator[Row]:
    for table in tables:
        if not table.query_ids:
            continue
        lines = [("all", table.values.mean(axis=0))]
        lines += zip(table.query_ids, table.values, strict=True)
        for query_id, values in lines:
            for run, value, rank in zip(
                table.runs, values.tolist(), competition_ranks(values).tolist(), strict=True
            ):
                row = (run, table.measure, query_id, value, rank, crowd, table.gains)
                yield dict(zip(RANKING_COLUMNS, row, strict=True))


def table1(study: Study) -> Iterator[Row]:
    """The paper's Table I of this study."""
    for row in report.table1(study):
        yield {name: row[name] for name in report.TABLE1} | {CROWD: study.mark or "people"}


EXPORTS = {
    "qrels": Export(
        ("query_id", "iteration", "doc_id", "relevance"), qrels, ("trec", "csv", "jsonl")
    ),
    "judgments": Export(JUDGMENT_COLUMNS, judgments),
    "units": Export(UNIT_COLUMNS, units),
    "rankings": Export(RANKING_COLUMNS, rankings),
    "table1": Export((*report.TABLE1, CROWD), table1),
}


OF_GAINS = ("qrels", "rankings")  # these have gains by name


# Of a study that was judged elsewhere: it has no units.
OF_IMPORTED = {
    "qrels": EXPORTS["qrels"],
    "judgments": Export(OPINION_COLUMNS, opinions),
    "rankings": EXPORTS["rankings"],
}


def exports_of(study: Study) -> dict[str, Export]:
    """The tables that a study has."""
    return OF_IMPORTED if study.is_imported else EXPORTS


def lines(study: Study, name: str, file_format: str, **options: Any) -> Iterator[str]:
    """A table as the lines of a file; numbers with full double precision.

    Raises:
        CannotExport: no such table, or not in this format.
    """
    there = exports_of(study)
    if name not in there:
        why = f", as {study} was judged elsewhere" if name in EXPORTS else ""
        raise CannotExport(f"There is no table {name}{why}; there are {', '.join(there)}.")
    export = there[name]
    if file_format not in export.formats:
        raise CannotExport(
            f"The table {name} is written as {' or '.join(export.formats)}, not as {file_format}."
        )
    return WRITERS[file_format](export.columns, _of_one_moment(export.rows(study, **options)))


def _of_one_moment(rows: Iterator[Row]) -> Iterator[Row]:
    with results.one_moment():
        yield from rows


def _trec(columns: tuple[str, ...], rows: Iterator[Row]) -> Iterator[str]:
    for row in rows:
        yield " ".join(str(_plain(row[name])) for name in columns) + "\n"


def _csv(columns: tuple[str, ...], rows: Iterator[Row]) -> Iterator[str]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_plain(row[name]) for name in columns])
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    yield out.getvalue()


# Line breaks to some readers of lines, and none to JSON.
BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def _jsonl(columns: tuple[str, ...], rows: Iterator[Row]) -> Iterator[str]:
    for row in rows:
        values = {name: _plain(row[name]) for name in columns}
        yield json.dumps(values, ensure_ascii=False, allow_nan=False).translate(BREAKS) + "\n"


def _plain(value: Any) -> Any:
    """A value as files hold it: times in ISO 8601, the rest as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else value


WRITERS = {"trec": _trec, "csv": _csv, "jsonl": _jsonl}
