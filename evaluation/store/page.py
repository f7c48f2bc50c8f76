"""What a page shows of kept analyses: tables sorted, cells with links, one system marked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote

from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from evaluation.store import part_files
from evaluation.store.keeping import MOST_ROWS
from judging.models import Study

LINE = 60  # letters
LINKED = frozenset(("worker", "query_id", "topic", "doc_id"))  # columns that may name a page
SYSTEM = "run"  # in addresses: the system that is to stand out
SORT = "sort"  # in addresses: sort=ANALYSIS-PART.COLUMN, with - before it for the largest first
LARGER = 2  # times, that the dots of the system are
MARK = re.compile(
    r'<path (?P<before>aria-label="(?P<label>[^"]*)"[^>]*?)'
    r'(?:transform="(?P<where>[^"]*)"(?P<after>[^>]*))?>(?P<title>.*?)</path>'
)


@dataclass(frozen=True)
class Cell:
    text: str
    number: bool
    link: str = ""  # the address of what it names

    @property
    def html(self) -> str:
        text = escape(self.text)
        kind = "number" if self.number else "why" if len(self.text) > LINE else ""
        return (
            (f'<td class="{kind}">' if kind else "<td>")
            + (f'<a href="{escape(self.link)}">{text}</a>' if self.link else text)
            + "</td>"
        )


@dataclass(frozen=True)
class Head:
    """A column's heading: where it sorts, and how it is sorted now."""

    text: str
    number: bool
    address: str
    sorted: str


@dataclass(frozen=True)
class Part:
    """A figure or table, ready to be shown; content: as it is kept."""

    content: dict[str, Any]
    id: str
    head: list[Head]
    rows: list[list[Cell]]
    svg: SafeString
    formats: tuple[str, ...]
    marked: frozenset[int] = frozenset()  # rows of the system that is to stand out

    @property
    def all(self) -> int:
        """How many rows there are."""
        return int(self.content.get("n", len(self.content["rows"])))

    @property
    def body(self) -> SafeString:
        """The rows as HTML: a template takes five times as long for ten thousand cells."""
        current = ("", ' aria-current="true"')
        rows = (
            f"<tr{current[place in self.marked]}>{''.join(cell.html for cell in row)}</tr>"
            for place, row in enumerate(self.rows)
        )
        return mark_safe("\n".join(rows))  # noqa: S308 - each cell is escaped

    @property
    def cut(self) -> bool:
        return len(self.rows) < self.all


@dataclass(frozen=True)
class Links:
    """Where more is to be read about what a cell names."""

    slug: str
    topics: frozenset[str]
    labels: str
    monitored: bool = True  # else workers and topics have no pages

    @classmethod
    def of_study(cls, study: Study, label_set: str) -> "Links":
        topics = study.topics.values_list("topic__query_id", flat=True)
        return cls(study.slug, frozenset(topics), label_set, not study.is_imported)

    def address(self, part: dict[str, Any], column: str, row: dict[str, Any]) -> str:
        """That of what a cell of a row names; empty where there is none."""
        value = row[column]
        if column == "worker" and value and self.monitored:
            return reverse("monitor-worker", args=[self.slug, value])
        if column in ("query_id", "topic") and value in self.topics and self.monitored:
            return reverse("monitor-topic", args=[self.slug, value])
        if column == "doc_id" and part.get("page"):
            page = reverse(part["page"], args=[self.slug, row["query_id"], value])
            return f"{page}?labels={quote(self.labels)}"
        return ""


def prepared(
    name: str, result: dict[str, Any] | None, query: QueryDict, links: Links
) -> dict[str, Any] | None:
    """A kept result, its parts ready to be shown, sorted and marked as an address asks for."""
    return result and result | {
        "parts": [_part(name, part, query, links) for part in result["parts"]]
    }


def sorts(name: str, query: QueryDict) -> bool:
    """Whether an address asks for a table of this analysis in another order."""
    return query.get(SORT, "").removeprefix("-").startswith(f"{name}-")


def _part(name: str, part: dict[str, Any], query: QueryDict, links: Links) -> Part:
    numeric = part_files.numeric(part)
    place = f"{name}-{part['name']}"
    rows = _sorted(part["rows"], query.get(SORT, ""), place, len(numeric))[:MOST_ROWS]
    system = query.get(SYSTEM, "")
    columns = enumerate(zip(part["columns"], numeric, strict=True))
    return Part(
        part,
        place,
        [
            _head(column, part_files.heading(title), number, place, query)
            for column, (title, number) in columns
        ],
        [_cells(part, row, numeric, links) for row in rows],
        mark_safe(marked(part.get("svg", ""), system)),  # noqa: S308 - drawn here
        part_files.formats(part),
        rows_of(rows, part["columns"], system),
    )


def _cells(part: dict[str, Any], row: list[Any], numeric: list[bool], links: Links) -> list[Cell]:
    named = dict(zip(part["columns"], row, strict=True))
    return [
        Cell(
            part_files.cell(value),
            number,
            links.address(part, column, named) if column in LINKED else "",
        )
        for column, value, number in zip(part["columns"], row, numeric, strict=True)
    ]


def _sorted(rows: list[Any], by: str, place: str, columns: int) -> list[Any]:
    """Rows as asked for, if it is this part that is to be sorted; empty cells come last."""
    start, _, column = by.removeprefix("-").rpartition(".")
    if start != place or not column.isdecimal() or int(column) >= columns:
        return rows
    key, down = int(column), by.startswith("-")
    filled = [row for row in rows if row[key] is not None]
    filled.sort(key=lambda row: _order(row[key]), reverse=down)
    return filled + [row for row in rows if row[key] is None]


def _order(value: Any) -> tuple[bool, Any]:
    """Numbers before texts, each among themselves."""
    text = not isinstance(value, int | float)
    return text, str(value) if text else value


def _head(column: int, title: str, number: bool, place: str, query: QueryDict) -> Head:
    """Numbers are sorted largest first, and the other way round when asked again."""
    up = f"{place}.{column}"
    now = query.get(SORT, "")
    address = query.copy()
    address[SORT] = f"-{up}" if (number and now != f"-{up}") or now == up else up
    state = {up: "ascending", f"-{up}": "descending"}.get(now, "")
    return Head(title, number, f"?{address.urlencode()}#{place}", state)


def rows_of(rows: Sequence[Sequence[Any]], columns: Sequence[str], system: str) -> frozenset[int]:
    """The places of the rows that are of this system."""
    if not system or "system" not in columns:
        return frozenset()
    column = columns.index("system")
    return frozenset(place for place, row in enumerate(rows) if row[column] == system)


def marked(svg: str, name: str) -> str:
    """A figure with the dots and lines whose name begins with `name` and a colon above others.

    Dots are larger, too.

    >>> svg = '<g><path aria-label="b: 2" transform="translate(1,1)" d="M0,0"></path></g>'
    >>> marked(svg, "b").count("scale(2)"), marked(svg, "c").count("scale(2)")
    (1, 0)
    """
    if not name:
        return svg
    start = escape(name, quote=False).replace('"', "&quot;") + ": "  # as in the drawing
    layers = svg.split("</g>")  # a layer's marks stand together, and the last is on top
    return "</g>".join(_raised(layer, start) for layer in layers)


def _raised(layer: str, start: str) -> str:
    """A layer whose marks with labels that start so are moved to its end."""
    raised: list[str] = []

    def take(mark: re.Match[str]) -> str:
        if not mark["label"].startswith(start):
            return mark[0]
        kind, where = "one-line", ""
        if mark["where"]:
            kind, where = "one", f'transform="{mark["where"]} scale({LARGER})"{mark["after"]}'
        raised.append(f'<path class="{kind}" {mark["before"]}{where}>{mark["title"]}</path>')
        return ""

    return MARK.sub(take, layer) + "".join(raised) if start in layer else layer
