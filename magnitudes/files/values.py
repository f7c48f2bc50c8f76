"""Tables of values: what each measure gave each run on each topic, as `evaluate` prints them."""

from collections.abc import Iterable
from dataclasses import dataclass

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place, shown
from magnitudes.files.parsing.fields import identifier, real
from magnitudes.files.parsing.tables import Column, read_rows
from magnitudes.files.parsing.text import read_lines

OVERALL = "all"  # in the place of a topic, the mean over topics
_COLUMNS = (
    Column("run", ("system", "tag")),
    Column("topic", ("query_id", "qid")),
    Column("measure"),
    Column("value", ("score",)),
)


@dataclass(frozen=True)
class Values:
    """One measure: `rows[topic][run]`; all topics have the same runs."""

    measure: str
    runs: list[str]
    query_ids: list[str]
    rows: list[list[float]]  # by topic, then run


def read_values(members: Iterable[Member]) -> list[Values]:
    """The values of each measure, measures, runs and topics in the order of their first rows.

    TSV, CSV or JSONL with run, topic, measure and value; TSV may lack the header. Means over topics
    (topic `all`) are skipped.

    Raises BadFile for a row that cannot be read, a value given twice, and a run without a value on
    a topic that others have.
    """
    measures: dict[str, dict[str, dict[str, float]]] = {}
    name = ""
    for member in members:
        name = name or member.name
        lines = read_lines(member)
        for number, row in read_rows(member.name, lines, _COLUMNS, tuple(c.name for c in _COLUMNS)):
            place = Place(member.name, number)
            query_id = identifier(row["topic"], "topic", place)
            if query_id != OVERALL:
                run = identifier(row["run"], "run", place)
                of_topic = measures.setdefault(row["measure"].strip(), {}).setdefault(query_id, {})
                if run in of_topic:
                    raise place.bad(
                        f"run {shown(run)} has a second value on topic {shown(query_id)}",
                        "one value for each measure, run and topic",
                    )
                of_topic[run] = real(row["value"], "value", place)
    if not measures:
        raise BadFile(name, "no value of a run on a topic", "what `evaluate --per-topic` prints")
    return [_values(name, measure, topics) for measure, topics in measures.items()]


def _values(file: str, measure: str, topics: dict[str, dict[str, float]]) -> Values:
    runs = list(dict.fromkeys(run for of_topic in topics.values() for run in of_topic))
    for query_id, of_topic in topics.items():
        for run in runs:
            if run not in of_topic:
                problem = f"{measure}: run {shown(run)} has no value on topic {shown(query_id)}"
                raise BadFile(file, problem, "every run on every topic")
    rows = [[of_topic[run] for run in runs] for of_topic in topics.values()]
    return Values(measure, runs, list(topics), rows)
