"""Lists that are sorted over all rows and shown fifty at a time."""

import math
from typing import NamedTuple

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from web.long_lists import ROWS, Column, Listed, listed
from web.text import natural


class Row(NamedTuple):
    name: str
    value: float | None


COLUMNS = [
    Column[Row]("name", "Name", lambda row: natural(row.name), number=False),
    Column[Row]("value", "Value", lambda row: row.value),
    Column[Row]("remark", "Remark"),
]
ROWS_OF_129 = [Row(f"run {n}", (n * 7) % 129) for n in range(129)]


def shown(query: str, rows: list[Row] = ROWS_OF_129, place: str = "") -> Listed[Row]:
    return listed(rows, QueryDict(query), COLUMNS, place)


def test_fifty_at_a_time_with_ways_to_those_beside():
    first = shown("measure=AP&other=a+b", place="list")
    assert (first.first, first.last, first.all, first.cut) == (1, 50, 129, True)
    assert (first.before, first.after) == ("", "?measure=AP&other=a+b&page=2#list")
    last = shown("page=3")
    assert (last.first, last.last, len(last.rows)) == (101, 129, 29)
    assert (last.before, last.after) == ("?page=2", "")


@pytest.mark.parametrize("query", ["page=99", "page=3"])
def test_beyond_the_last_page_stands_the_last(query):
    assert shown(query).last == 129


@pytest.mark.parametrize("query", ["page=x", "page=", "page=1", "sort=nothing", "sort=remark"])
def test_what_there_is_not_shows_the_first_page_as_it_comes(query):
    assert shown(query).rows == ROWS_OF_129[:ROWS]


def test_sorting_is_over_all_rows_and_begins_on_the_first_page():
    largest = shown("sort=-value&page=1")
    assert [row.value for row in largest.rows] == list(range(128, 78, -1))
    head = largest.heads[1]
    assert (head.sorted, head.address) == ("descending", "?sort=value")
    assert [h.address for h in largest.heads] == ["?sort=name", "?sort=value", ""]
    assert shown("page=2").heads[1].address == "?sort=-value"
    assert [row.name for row in shown("sort=name").rows[:3]] == ["run 0", "run 1", "run 2"]


VALUES = st.lists(st.one_of(st.none(), st.floats(), st.integers(0, 3).map(float)), max_size=200)


@given(VALUES, st.sampled_from(["value", "-value"]))
def test_every_row_is_there_once_and_missing_ones_last(values, query):
    rows = [Row(str(n), value) for n, value in enumerate(values)]
    pages = [shown(f"sort={query}&page={page}", rows).rows for page in range(1, 5)]
    together = [row for page in pages[: math.ceil(len(rows) / ROWS)] for row in page]
    assert sorted(map(id, together)) == sorted(map(id, rows))
    missing = [row.value is None or math.isnan(row.value) for row in together]
    assert missing == sorted(missing)
    known = [row.value for row in together if row.value is not None and row.value == row.value]
    assert known == sorted(known, reverse=query.startswith("-"))
