import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import QueryDict

T = TypeVar("T")
ROWS = 50  # of a page
SORT, PAGE = "sort", "page"  # query parameters; sort=-NAME: descending


@dataclass(frozen=True)
class Column(Generic[T]):
    """A column by which rows can be sorted; `name` is its value of the query parameter.

    key: what a row is sorted by; None and NaN come last. Without a key it cannot be sorted.
    """

    name: str
    title: str
    key: Callable[[T], Any] | None = None
    number: bool = True  # descending at first
    hint: str = ""


@dataclass(frozen=True)
class Head:
    title: str
    number: bool
    address: str
    sorted: str
    hint: str


@dataclass(frozen=True)
class Listed(Generic[T]):
    """Rows `first` to `last` of `all`."""

    rows: list[T]
    heads: list[Head]
    first: int
    last: int
    all: int
    before: str
    after: str

    @property
    def cut(self) -> bool:
        return len(self.rows) < self.all


def listed(
    rows: Sequence[T] | QuerySet[Any, T],
    query: QueryDict,
    columns: Sequence[Column[T]],
    place: str = "",
    prefix: str = "",
    size: int = 0,
) -> Listed[T]:
    """The requested page of a list, in the requested order, by default that of the rows.

    Sorting is stable. A page beyond the last is the last; an unknown column does not sort.

    Parameters:
        place: the id of the list, to which its links lead.
        prefix: of the query parameters, where a page has several lists.
        size: rows of a page; 0 is ROWS.
    """
    sort, page_option = prefix + SORT, prefix + PAGE
    order = query.get(sort, "")
    by = next((c.key for c in columns if c.key and c.name == order.removeprefix("-")), None)
    in_order = _sorted(rows, by, down=order.startswith("-")) if by else rows
    page = Paginator(in_order, size or ROWS).get_page(query.get(page_option))
    end = f"#{place}" if place else ""

    def to(number: int) -> str:
        return _address(query, end, {page_option: str(number)})

    return Listed(
        list(page.object_list),
        [
            _head(
                column,
                order if by else "",
                lambda other: _address(query, end, {sort: other, page_option: ""}),
            )
            for column in columns
        ],
        page.start_index(),
        page.end_index(),
        page.paginator.count,
        to(page.previous_page_number()) if page.has_previous() else "",
        to(page.next_page_number()) if page.has_next() else "",
    )


def _sorted(rows: Iterable[T], by: Callable[[T], Any], *, down: bool) -> list[T]:
    keyed = [(by(row), row) for row in rows]
    filled = [pair for pair in keyed if not _is_missing(pair[0])]
    filled.sort(key=lambda pair: pair[0], reverse=down)
    return [row for _, row in filled] + [row for key, row in keyed if _is_missing(key)]


def _is_missing(key: Any) -> bool:
    return key is None or (isinstance(key, float) and math.isnan(key))


def _head(column: Column[Any], order: str, sorted_by: Callable[[str], str]) -> Head:
    up, down = column.name, f"-{column.name}"
    state = {up: "ascending", down: "descending"}.get(order, "")
    other = down if (column.number and order != down) or order == up else up
    address = sorted_by(other) if column.key else ""
    return Head(column.title, column.number, address, state, column.hint)


def _address(query: QueryDict, end: str, changed: Mapping[str, str]) -> str:
    options = query.copy()
    for name, value in changed.items():
        options.pop(name, None)
        if value:
            options[name] = value
    return f"?{options.urlencode()}{end}"
