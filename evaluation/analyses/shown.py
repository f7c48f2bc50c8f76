"""Kept analyses as pages show them."""

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.safestring import SafeString, mark_safe

from evaluation.analyses import files, marking

LINE = 60  # letters
MOST = 200  # rows of a table on a page; its file has all
SYSTEM = "run"  # in addresses: the system that is to stand out
SORT = "sort"  # in addresses: sort=ANALYSIS-PART.COLUMN, with - before it for the largest first


@dataclass(frozen=True)
class Cell:
    text: str
    number: bool
    pair: tuple[str, str] | None = None  # the topic and document whose page it leads to

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
    def cut(self) -> bool:
        return len(self.rows) < len(self.of["rows"])


def of(name: str, result: dict[str, Any] | None, asked: QueryDict) -> dict[str, Any] | None:
    """A kept result, its parts ready to be shown, sorted as an address asks for."""
    return result and result | {"parts": [_part(name, part, asked) for part in result["parts"]]}


def _part(name: str, part: dict[str, Any], asked: QueryDict) -> Part:
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
        [_cells(part, row, number) for row in rows[:MOST]],
        mark_safe(marking.marked(part.get("svg", ""), system)),  # noqa: S308 - drawn here
        files.formats(part),
        marking.rows_of(rows[:MOST], part["columns"], system),
    )


def _cells(part: dict[str, Any], row: list[Any], number: list[bool]) -> list[Cell]:
    pair = None
    if part.get("page"):
        pair = tuple(row[part["columns"].index(name)] for name in ("query_id", "doc_id"))
    return [
        Cell(files.cell(value), of, pair if name == "doc_id" else None)
        for value, of, name in zip(row, number, part["columns"], strict=True)
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
