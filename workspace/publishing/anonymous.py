"""Judgments without anything that could identify workers.

Workers have numbers in a random order that is not stored, and times are days. Names of groups and
occasions, which come from elsewhere and may be those of tasks or sessions, are numbers, too. Rows
are sorted by topic and worker, so that their order does not reveal the time.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from evaluation.publishing import judgment_rows
from evaluation.publishing.exports import exports_of
from judging.models import Study

Row = Mapping[str, Any]
# Columns of the tables of judgments that are published, by their names there.
PUBLISHED = (
    *("worker", "unit", "query_id", "doc_id", "position", "score", "seconds", "normalised"),
    *("role", "visits", "visible_seconds", "first_score", "changed_after_failure"),
    *("submitted_at", "simulated", "batch", "excluded", "aspect", "group", "occasion"),
)
OPTIONAL = ("justification",)
WITHHELD = {
    "score_text": "how somebody writes a number",
    "hidden_seconds": "what somebody did beside the page",
    "pasted_characters": "how somebody enters text, which an assistive tool may do for them",
}
RENAMED = {"submitted_at": "submitted_on"}
NUMBERED = ("group", "occasion")  # named elsewhere, perhaps after tasks or sessions


class Anonymous:
    """The judgments of a study.

    others: judgments of a topic are left out unless so many others judged it beside each worker;
    `left_out` is how many were, once `judgments` has been read.
    """

    def __init__(self, study: Study, *, justifications: bool, others: int = 0) -> None:
        self.study, self.others, self.left_out = study, others, 0
        self.numbers = _numbers(study)
        self._numbered: dict[tuple[str, str], int] = {}
        published = PUBLISHED + (OPTIONAL if justifications else ())
        self._table = exports_of(study)["judgments"]
        self._names = [name for name in self._table.columns if name in published]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(RENAMED.get(name, name) for name in self._names)

    def judgments(self) -> Iterator[list[Any]]:
        """By topic, worker and document."""
        rows: Iterable[Row] = self._table.rows(self.study)
        if self.study.is_imported:  # they come in any order
            rows = sorted(rows, key=lambda row: row["query_id"].encode())
        for _, rows_of_topic in groupby(rows, lambda row: row["query_id"]):
            of_topic = sorted(rows_of_topic, key=self._sort_key)
            if self._is_crowded(of_topic):
                yield from map(self._cells, of_topic)
            else:
                self.left_out += len(of_topic)

    def crowdkit(self) -> Iterator[list[Any]]:
        """Task, worker and label of every score that counts, as crowd-kit reads them."""
        rows = judgment_rows.crowdkit(self.study)
        for _, rows_of_topic in groupby(rows, lambda row: row["task"].split(" ")[0]):
            of_topic = list(rows_of_topic)
            cells = [[row["task"], self.numbers[row["worker"]], row["label"]] for row in of_topic]
            yield from sorted(cells) if self._is_crowded(of_topic) else ()

    def _is_crowded(self, of_topic: Iterable[Row]) -> bool:
        return len({row["worker"] for row in of_topic}) > self.others

    def _sort_key(self, row: Row) -> tuple[Any, ...]:
        return self.numbers[row["worker"]], row.get("position", 0), row["doc_id"].encode()

    def _cells(self, row: Row) -> list[Any]:
        return [self._cell(name, row[name]) for name in self._names]

    def _cell(self, name: str, value: Any) -> Any:
        if name == "worker":
            return self.numbers[value]
        if name == "submitted_at":
            return value.date().isoformat()
        if name in NUMBERED and value:
            return self._numbered.setdefault((name, value), len(self._numbered) + 1)
        return value


def _numbers(study: Study) -> dict[str, str]:
    """A number for each worker, in an order that nobody can repeat."""
    pseudonyms = list(study.workers.values_list("pseudonym", flat=True))
    random.SystemRandom().shuffle(pseudonyms)
    width = len(str(len(pseudonyms)))
    return {name: f"w{number:0{width}}" for number, name in enumerate(pseudonyms, 1)}
