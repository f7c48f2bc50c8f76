"""Kept analyses as pages show them."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from evaluation.store import files, marking
from evaluation.store.files import MOST
from judging.models import Study

LINE = 60  # letters
SYSTEM = "run"  # in addresses: the system that is to stand out
SORT = "sort"  # in addresses: sort=ANALYSIS-PART.COLUMN, with - before it for the largest first


@dataclass(frozen=True)
class Cell:
    text: str
    number: bool
    to: str = ""  # the address of what it names

    @property
    def long(self) -> bool:
        """Whether it takes more than a line."""
        return len(self.text) > LINE


@dataclass(frozen=True)
class Head:
    """A column's heading: where it sorts, and how it is sorted now."""

    text: str
    number: bool
    address: str
    sorted: str


@dataclass(frozen=True)
class Part:
    """A figure or table, ready to be shown."""

    of: dict[str, Any]
    id: str
    head: list[Head]
    rows: list[list[Cell]]
    svg: SafeString
    formats: tuple[str, ...]
    marked: frozenset[int] = frozenset()  # rows of the system that is to stand out

    @property
    def all(self) -> int:
        """How many rows there are."""
        return int(self.of.get("n", len(self.of["rows"])))

    @property
    def cut(self) -> bool:
        return len(self.rows) < self.all


def of(
    name: str, result: dict[str, Any] | None, asked: QueryDict, pages: "Pages"
) -> dict[str, Any] | None:
    """A kept result, its parts ready to be shown, sorted as an address asks for."""
    return result and result | {
        "parts": [_part(name, part, asked, pages) for part in result["parts"]]
    }


def sorts(name: str, asked: QueryDict) -> bool:
    """Whether an address asks for a table of this analysis in another order."""
    return asked.get(SORT, "").removeprefix("-").startswith(f"{name}-")


@dataclass(frozen=True)
class Pages:
    """Where more is to be read about what a cell names."""

    slug: str
    topics: frozenset[str]
    labels: str
    monitored: bool = True  # else workers and topics have no pages

    @classmethod
    def of_study(cls, study: Study, label_set: str) -> "Pages":
        topics = study.topics.values_list("topic__query_id", flat=True)
        return cls(study.slug, frozenset(topics), label_set, not study.is_imported)

    def of(self, part: dict[str, Any], column: str, row: dict[str, Any]) -> str:
        value = row[column]
        if column == "worker" and value and self.monitored:
            return reverse("monitor-worker", args=[self.slug, value])
        if column in ("query_id", "topic") and value in self.topics and self.monitored:
            return reverse("monitor-topic", args=[self.slug, value])
        if column == "doc_id" and part.get("page"):
            address = reverse(part["page"], args=[self.slug, row["query_id"], value])
            return f"{address}?labels={quote(self.labels)}"
        return ""


def _part(name: str, part: dict[str, Any], asked: QueryDict, pages: Pages) -> Part:
    number = files.numeric(part)
    place = f"{name}-{part['name']}"
    by = asked.get(SORT, "")
    rows = _sorted(part["rows"], by, place, len(number))
    system = asked.get(SYSTEM, "")
    return Part(
        part,
        place,
        [
            _head(column, files.heading(title), of, place, asked)
            for column, (title, of) in enumerate(zip(part["columns"], number, strict=True))
        ],
        [_cells(part, row, number, pages) for row in rows[:MOST]],
        mark_safe(marking.marked(part.get("svg", ""), system)),  # noqa: S308 - drawn here
        files.formats(part),
        marking.rows_of(rows[:MOST], part["columns"], system),
    )


def _cells(part: dict[str, Any], row: list[Any], number: list[bool], pages: Pages) -> list[Cell]:
    named = dict(zip(part["columns"], row, strict=True))
    return [
        Cell(files.cell(value), of, pages.of(part, column, named))
        for column, value, of in zip(part["columns"], row, number, strict=True)
    ]


def _sorted(rows: list[Any], by: str, place: str, columns: int) -> list[Any]:
    """Rows as asked for, if it is this part that is to be sorted; empty cells come last."""
    start, _, column = by.removeprefix("-").rpartition(".")
    if start != place or not column.isdecimal() or int(column) >= columns:
        return rows
    key, down = int(column), by.startswith("-")
    there = [row for row in rows if row[key] is not None]
    there.sort(key=lambda row: _order(row[key]), reverse=down)
    return there + [row for row in rows if row[key] is None]


def _order(value: Any) -> tuple[bool, Any]:
    """Numbers before texts, each among themselves."""
    text = not isinstance(value, int | float)
    return text, str(value) if text else value


def _head(column: int, title: str, number: bool, place: str, asked: QueryDict) -> Head:
    """Numbers are sorted largest first, and the other way round when asked again."""
    up = f"{place}.{column}"
    now = asked.get(SORT, "")
    address = asked.copy()
    address[SORT] = f"-{up}" if (number and now != f"-{up}") or now == up else up
    state = {up: "ascending", f"-{up}": "descending"}.get(now, "")
    return Head(title, number, f"?{address.urlencode()}#{place}", state)
