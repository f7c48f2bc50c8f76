"""What a page shows of kept analyses: tables fifty rows at a time, cells and marks with links, one
thing of a kind marked in all of them.

In addresses the options of a table begin with its place, ANALYSIS-PART, and a full stop: `sort`,
the number of a column with - before it for the largest first, `page`, and `with`, a text in rows.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from typing import Any, NamedTuple
from urllib.parse import quote

from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from evaluation.cache import part_files
from evaluation.presentation import cells
from evaluation.presentation.column_labels import head_of
from judging import completed
from judging.models import Study
from web.long_lists import Column, Listed, listed
from web.text import natural

LINE = 60  # letters
MAX_OPEN_ROWS = 12  # rows of a table that stands open
FOLDED_ROWS = 20  # at once, of one that is longer and does not fill a page of its own
NAMES_SYSTEM = frozenset(("system", "run", "better", "worse"))  # columns that hold names of runs
LINKED = NAMES_SYSTEM | {"worker", "query_id", "topic", "doc_id"}  # columns that may name a page
SYSTEM = "run"  # in addresses: the system that is to stand out
CHOSEN = {"system": SYSTEM, "topic": "topic", "worker": "worker"}  # what can, and its option
WITH = "with"  # in addresses: a text that rows have
MARK = re.compile(
    r'<(?P<tag>circle|path|rect) (?P<attributes>[^>]*data-key="[^>]*)>'
    r"(?P<title><title>[^<]*</title></(?P=tag)>)"
)
KEY = re.compile(' data-key="[^"]*"')
ROLE = ' role="graphics-symbol"'
THING = re.compile(r'data-(system|topic|document|worker)="([^"]*)"')
COLUMNS = {"system": ("system", "run"), "topic": ("topic", "query_id"), "worker": ("worker",)}


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

    pictures: of a figure, one for each panel; legend: names of kinds of marks, each with a picture
    of one. things: what each row is of. of: how many rows there are. wanted: the text that rows are
    to have; others: the options of the address besides, by name. is_asked: whether the address asks
    for something of this part.
    """

    content: dict[str, Any]
    id: str
    listed: Listed[list[Any]]
    rows: list[list[Cell]]
    pictures: list[SafeString]
    legend: list[tuple[str, SafeString]]
    formats: tuple[str, ...]
    things: list[dict[str, str]]
    marked: frozenset[int] = frozenset()  # rows of what is to stand out
    of: int = 0
    wanted: str = ""
    others: tuple[tuple[str, str], ...] = ()
    is_asked: bool = False

    @property
    def is_folded(self) -> bool:
        """A long table is opened when somebody wants it; one that leads on is what one came for."""
        return self.of > MAX_OPEN_ROWS and not (self.content.get("page") or self.is_asked)

    def shows(self, thing: str) -> bool:
        """Whether marks or rows are of such things."""
        return any(f'data-{thing}="' in one for one in self.pictures) or any(
            thing in of for of in self.things
        )

    @property
    def body(self) -> SafeString:
        """The rows as HTML: a template takes five times as long for ten thousand cells."""
        current = ("", ' aria-current="true"')
        rows = (
            f"<tr{_attributes(of)}{current[place in self.marked]}>"
            f"{''.join(cell.html for cell in row)}</tr>"
            for place, (row, of) in enumerate(zip(self.rows, self.things, strict=True))
        )
        return mark_safe("\n".join(rows))  # noqa: S308 - each cell is escaped


def _attributes(things: Mapping[str, str]) -> str:
    return "".join(f' data-{thing}="{escape(name)}"' for thing, name in things.items())


@dataclass(frozen=True)
class Links:
    """Where more is to be read about what a cell names."""

    slug: str
    topics: frozenset[str]
    labels: str
    monitored: bool = True  # else workers have no pages
    systems: frozenset[str] = frozenset()
    is_usual: bool = False  # labels need not be said: marks are many

    @classmethod
    def of_study(cls, study: Study, label_set: str) -> "Links":
        topics = study.topics.values_list("topic__query_id", flat=True)
        runs = frozenset(completed.runs(study)[1])
        return cls(
            *(study.slug, frozenset(topics), label_set, not study.is_imported, runs),
            is_usual=label_set == study.labels,
        )

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

    def of_mark(self, things: Mapping[str, str]) -> str:
        """The address of what a mark of a figure is of, by kind; empty where there is none."""
        address = self._of_things(things)
        return address.partition("?")[0] if self.is_usual else address

    def _of_things(self, things: Mapping[str, str]) -> str:
        system, topic = things.get("system"), things.get("topic")
        on_topic = topic in self.topics
        if on_topic and "document" in things:
            return self._with_labels("judged-document", str(topic), things["document"])
        if "worker" in things and self.monitored:
            return reverse("monitor-worker", args=[self.slug, things["worker"]])
        if system in self.systems:
            if on_topic:
                return self._with_labels("system-on-topic", str(system), str(topic))
            return self._with_labels("system", str(system))
        return self._with_labels("topic", str(topic)) if on_topic else ""

    def _with_labels(self, page: str, *names: str) -> str:
        return f"{reverse(page, args=[self.slug, *names])}?labels={quote(self.labels)}"


def prepared(
    name: str, result: dict[str, Any] | None, query: QueryDict, links: Links
) -> dict[str, Any] | None:
    """A kept result, its parts ready to be shown, sorted and marked as an address asks for."""
    if not result:
        return result
    figures = sum(part["kind"] == "figure" for part in result["parts"])
    parts = [_part(name, part, query, links) for part in result["parts"]]
    # Said here, as a page that is still coming does not know how many figures it will have.
    return result | {"parts": parts, "paired": figures > 0 and figures % 2 == 0}


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
    matches = _having(wanted, part, decimals) if wanted else part["rows"]
    size = 0 if part.get("page") else FOLDED_ROWS
    shown = listed(matches, query, columns, place, prefix, size)
    is_asked = any(option.startswith(prefix) for option in query)
    of = len(part["rows"]) if is_asked else part.get("n", len(part["rows"]))
    own = (prefix + WITH, f"{prefix}page")
    chosen = chosen_in(query)
    things = [_things(row, part["columns"]) for row in shown.rows]
    others = ((option, value) for option, value in query.items() if option not in own)
    return Part(
        *(part, place, shown if is_asked else replace(shown, all=of)),
        [_cells(part, row, numeric, decimals, links) for row in shown.rows],
        [answering(svg, chosen, links) for svg in part.get("pictures", ())],
        [(name, mark_safe(svg)) for name, svg in part.get("legend", ())],  # noqa: S308 - drawn here
        part_files.formats(part),
        things,
        frozenset(place for place, of in enumerate(things) if is_chosen(of, chosen)),
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


def _things(row: Sequence[Any], columns: Sequence[str]) -> dict[str, str]:
    """What a row is of: the first of the columns that say it."""
    named = dict(zip(columns, map(str, row), strict=True))
    by_thing = {
        thing: next((named[name] for name in names if name in named), "")
        for thing, names in COLUMNS.items()
    }
    return {thing: name for thing, name in by_thing.items() if name}


def chosen_in(query: QueryDict) -> dict[str, str]:
    """The system, topic and worker that an address wants to stand out."""
    given = {thing: str(query.get(option, "")) for thing, option in CHOSEN.items()}
    return {thing: name for thing, name in given.items() if name}


class Menu(NamedTuple):
    """What can be marked on a page, and the option of the address that does so."""

    thing: str
    option: str
    names: list[str]
    chosen: str


def menus(result: Mapping[str, Any] | None, links: Links, chosen: Mapping[str, str]) -> list[Menu]:
    """Of the things that pictures and tables of a page are of; workers are too many."""
    parts: list[Part] = list(result["parts"]) if result else []
    every = {"system": links.systems, "topic": links.topics}
    return [
        Menu(thing, CHOSEN[thing], sorted(names, key=natural), chosen.get(thing, ""))
        for thing, names in every.items()
        if names and any(part.shows(thing) for part in parts)
    ]


def is_chosen(things: Mapping[str, str], chosen: Mapping[str, str]) -> bool:
    return any(things.get(thing) == name for thing, name in chosen.items())


def answering(svg: str, chosen: Mapping[str, str], links: Links) -> SafeString:
    """A figure whose marks are links; those of what is chosen are larger, and above others.

    >>> svg = '<g><circle r="1" data-key="0" data-system="b"><title>b: 2</title></circle></g>'
    >>> answering(svg, {"system": "b"}, Links("demo", frozenset(), "")).count('class="one"')
    1
    """
    addresses: dict[str, str] = {}
    layers = svg.split("</g>")  # a layer's marks stand together, and the last is on top
    answers = (_answering(layer, chosen, links, addresses) for layer in layers)
    return mark_safe("</g>".join(answers))  # noqa: S308 - drawn here, and each address is escaped


def _answering(
    layer: str, chosen: Mapping[str, str], links: Links, addresses: dict[str, str]
) -> str:
    raised: list[str] = []

    def take(mark: re.Match[str]) -> str:
        # Pictures are hidden from screen readers, which have the table.
        tag, title = mark["tag"], mark["title"]
        attributes = KEY.sub("", mark["attributes"].replace(ROLE, ""))
        things = {thing: unescape(name) for thing, name in THING.findall(attributes)}
        stands_out = is_chosen(things, chosen)
        kind = "one-line" if tag == "path" and 'Z"' not in attributes else "one"
        drawn = f'<{tag} class="{kind}" ' if stands_out else f"<{tag} "
        key = str(things)
        if key not in addresses:
            addresses[key] = escape(links.of_mark(things))
        if address := addresses[key]:  # marks are many, and each is found by its link
            drawn = f'<a href="{address}" tabindex="-1">{drawn}{attributes}>{title}</a>'
        else:
            drawn += f"{attributes} data-key>{title}"
        if stands_out:
            raised.append(drawn)
            return ""
        return drawn

    return MARK.sub(take, layer) + "".join(raised)
