"""What a page shows of kept analyses: tables fifty rows at a time, cells with links, one system
marked.

In addresses the options of a table begin with its place, ANALYSIS-PART, and a full stop: `sort`,
the number of a column with - before it for the largest first, `page`, and `with`, a text in rows.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any
from urllib.parse import quote

from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from evaluation.cache import part_files
from evaluation.presentation import cells
from evaluation.presentation.column_labels import head_of
from judging import completed
from judging.models import Study
from web.drawing.texts import escape as drawn_text
from web.long_lists import Column, Listed, listed
from web.text import natural

LINE = 60  # letters
MOST_CELLS = 60  # of a table that stands open
NAMES_SYSTEM = frozenset(("system", "run", "better", "worse"))  # columns that hold names of runs
LINKED = NAMES_SYSTEM | {"worker", "query_id", "topic", "doc_id"}  # columns that may name a page
SYSTEM = "run"  # in addresses: the system that is to stand out
WITH = "with"  # in addresses: a text that rows have
MARK = re.compile(r"<(circle|path) ([^>]*)(><title>([^<]*)</title></\1>)")


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
class Part:
    """A figure or table, ready to be shown; content: as it is kept.

    of: how many rows there are. wanted: the text that rows are to have; others: the options of the
    address besides, by name. is_asked: whether the address asks for something of this part.
    """

    content: dict[str, Any]
    id: str
    listed: Listed[list[Any]]
    rows: list[list[Cell]]
    svg: SafeString
    formats: tuple[str, ...]
    marked: frozenset[int] = frozenset()  # rows of the system that is to stand out
    of: int = 0
    wanted: str = ""
    others: tuple[tuple[str, str], ...] = ()
    is_asked: bool = False

    @property
    def is_folded(self) -> bool:
        """A long table is opened when somebody wants it; one that leads on is what one came for."""
        is_long = self.of * len(self.content["columns"]) > MOST_CELLS
        leads_on = bool(self.content.get("page"))
        return (bool(self.content.get("folded")) or is_long) and not (leads_on or self.is_asked)

    @property
    def body(self) -> SafeString:
        """The rows as HTML: a template takes five times as long for ten thousand cells."""
        current = ("", ' aria-current="true"')
        rows = (
            f"<tr{current[place in self.marked]}>{''.join(cell.html for cell in row)}</tr>"
            for place, row in enumerate(self.rows)
        )
        return mark_safe("\n".join(rows))  # noqa: S308 - each cell is escaped


@dataclass(frozen=True)
class Links:
    """Where more is to be read about what a cell names."""

    slug: str
    topics: frozenset[str]
    labels: str
    monitored: bool = True  # else workers have no pages
    systems: frozenset[str] = frozenset()

    @classmethod
    def of_study(cls, study: Study, label_set: str) -> "Links":
        topics = study.topics.values_list("topic__query_id", flat=True)
        runs = frozenset(completed.runs(study)[1])
        return cls(study.slug, frozenset(topics), label_set, not study.is_imported, runs)

    def address(self, part: dict[str, Any], column: str, row: dict[str, Any]) -> str:
        """That of what a cell of a row names; empty where there is none."""
        value = row[column]
        if column == "worker" and value and self.monitored:
            return reverse("monitor-worker", args=[self.slug, value])
        if column in ("query_id", "topic") and value in self.topics:
            return self._with_labels("topic", value)
        if column in NAMES_SYSTEM and value in self.systems:
            return self._with_labels("system", value)
        if column == "doc_id" and value and row.get("query_id") in self.topics:
            return self._with_labels(part.get("page") or "judged-document", row["query_id"], value)
        return ""

    def _with_labels(self, page: str, *names: str) -> str:
        return f"{reverse(page, args=[self.slug, *names])}?labels={quote(self.labels)}"


def prepared(
    name: str, result: dict[str, Any] | None, query: QueryDict, links: Links
) -> dict[str, Any] | None:
    """A kept result, its parts ready to be shown, sorted and marked as an address asks for."""
    return result and result | {
        "parts": [_part(name, part, query, links) for part in result["parts"]]
    }


def sorts(name: str, query: QueryDict) -> bool:
    """Whether an address asks for a part of this analysis in a way that needs all its rows."""
    return any(option.startswith(f"{name}-") for option in query)


def _part(name: str, part: dict[str, Any], query: QueryDict, links: Links) -> Part:
    place = f"{name}-{part['name']}"
    prefix = f"{place}."
    numeric, decimals = cells.numeric(part), cells.decimals(part)
    columns = [
        Column(str(key), head_of(part, title), _by(key), number)
        for key, (title, number) in enumerate(zip(part["columns"], numeric, strict=True))
    ]
    wanted = query.get(prefix + WITH, "").strip()
    found = _having(wanted, part, decimals) if wanted else part["rows"]
    shown = listed(found, query, columns, place, prefix)
    is_asked = any(option.startswith(prefix) for option in query)
    of = len(part["rows"]) if is_asked else part.get("n", len(part["rows"]))
    system, own = query.get(SYSTEM, ""), (prefix + WITH, f"{prefix}page")
    others = ((option, value) for option, value in query.items() if option not in own)
    return Part(
        *(part, place, shown if is_asked else replace(shown, all=of)),
        [_cells(part, row, numeric, decimals, links) for row in shown.rows],
        mark_safe(marked(part.get("svg", ""), system)),  # noqa: S308 - drawn here
        part_files.formats(part),
        rows_of(shown.rows, part["columns"], system),
        of,
        wanted,
        tuple((option, value) for option, value in others if isinstance(value, str)),
        is_asked,
    )


def _by(key: int) -> Callable[[list[Any]], Any]:
    """What rows are sorted by: numbers before texts, each among themselves."""

    def order(row: list[Any]) -> Any:
        value = row[key]
        if value is None or isinstance(value, int | float):
            return value if value is None else (False, value)
        return True, natural(str(value))

    return order


def _having(wanted: str, part: dict[str, Any], decimals: list[int]) -> list[list[Any]]:
    """The rows in one of whose cells a text is read, in whatever case."""
    return [
        row
        for row in part["rows"]
        if any(wanted.casefold() in text.casefold() for text in cells.texts(row, part, decimals))
    ]


def _cells(
    part: dict[str, Any], row: list[Any], numeric: list[bool], decimals: list[int], links: Links
) -> list[Cell]:
    named = dict(zip(part["columns"], row, strict=True))
    texts = cells.texts(row, part, decimals)
    return [
        Cell(text, number, links.address(part, column, named) if column in LINKED else "")
        for column, text, number in zip(part["columns"], texts, numeric, strict=True)
    ]


def rows_of(rows: Sequence[Sequence[Any]], columns: Sequence[str], system: str) -> frozenset[int]:
    """The places of the rows that are of this system."""
    if not system or "system" not in columns:
        return frozenset()
    column = columns.index("system")
    return frozenset(place for place, row in enumerate(rows) if row[column] == system)


def marked(svg: str, name: str) -> str:
    """A figure with the dots and lines whose name begins with `name` and a colon above others.

    Dots are larger, too.

    >>> svg = '<g><path d="M0 0 1 1 0 1Z"><title>b: 2</title></path></g>'
    >>> marked(svg, "b").count('class="one"'), marked(svg, "c").count('class="one"')
    (1, 0)
    """
    if not name:
        return svg
    start = f"{drawn_text(name)}: "
    layers = svg.split("</g>")  # a layer's marks stand together, and the last is on top
    return "</g>".join(_raised(layer, start) for layer in layers)


def _raised(layer: str, start: str) -> str:
    """A layer whose marks with labels that start so are moved to its end."""
    raised: list[str] = []

    def take(mark: re.Match[str]) -> str:
        tag, attributes, title, label = mark.groups()
        if not label.startswith(start):
            return mark[0]
        kind = "one-line" if tag == "path" and 'Z"' not in attributes else "one"
        raised.append(f'<{tag} class="{kind}" {attributes}{title}')
        return ""

    return MARK.sub(take, layer) + "".join(raised) if start in layer else layer
