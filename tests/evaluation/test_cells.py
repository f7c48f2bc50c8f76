"""How numbers of tables are written, and how large panels are."""

import re

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from evaluation.cache.page import Links, prepared
from evaluation.presentation import cells, plots
from evaluation.presentation.column_labels import is_p_value
from evaluation.presentation.parts import PANEL_WIDTH, Result, Table, ends
from evaluation.report.tables import shown
from web.drawing.charts import pictures

NUMBERS = st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=20)


@given(NUMBERS)
def test_points_of_a_column_stand_in_a_line(values: list[float]) -> None:
    part = Table("t", "Things", ("value",), [(value,) for value in values]).to_json()
    decimals = cells.decimals(part)
    read = [cells.texts(row, part, decimals)[0] for row in part["rows"]]
    # Where nothing would be left of a small one, it has decimals of its own.
    plain = [text for text, value in zip(read, values, strict=True) if round(value, decimals[0])]
    assert len({len(text.partition(".")[2]) for text in plain}) <= 1
    assert all(float(text.replace(",", "")) for text in read)


@pytest.mark.parametrize("column", ["p", "p_of_logs", "tukey_p"])
def test_a_small_p_is_never_0(column: str) -> None:
    rows = [(0.0, 0.0), (8e-6, 0.5), (0.0123, 0.25)]
    part = Table("together", "Tests", (column, "slope"), rows).to_json()
    read = [cells.texts(row, part, [3, 3]) for row in part["rows"]]
    assert read == [["< 0.001", "0.000"], ["< 0.001", "0.500"], ["0.012", "0.250"]]


def test_a_chance_of_nothing_is_0() -> None:
    """p(T|i) is no p of a test: where nobody says T, that is what was seen."""
    rows = [("Non", 0.0), ("HRel", 0.25)]
    part = Table("levels", "Chances", ("level", "p"), rows, heads={"p": "chance"}).to_json()
    assert [cells.texts(row, part, [0, 2])[1] for row in part["rows"]] == ["0.00", "0.25"]
    assert not is_p_value(part, "p")
    assert shown(part).columns[1].texts == ["0.000", "0.250"]


@given(st.floats(-10, 10), st.floats(-10, 10))
def test_ends_of_a_range_have_as_many_decimals(low: float, high: float) -> None:
    first, last = ends(low, high)
    if "e" not in first + last and min(abs(low), abs(high)) > 0.05:
        decimals = [len(text.partition(".")[2]) for text in (first, last)]
        assert decimals[0] == decimals[1] or low == high or not low % 1 or not high % 1


def test_rows_are_filtered_over_all_and_paged() -> None:
    table = Table("t", "Things", ("name", "value"), [(f"run-{n}", n / 7) for n in range(130)])
    result = Result(["Said."], [table]).to_json()
    links = Links("study", frozenset(), "")

    def rows(query: str) -> list[str]:
        found = prepared("numbers", result, QueryDict(query), links)
        assert found
        return [row[0].text for row in found["parts"][0].rows]

    assert rows("") == [f"run-{n}" for n in range(20)]
    assert rows("numbers-t.page=7") == [f"run-{n}" for n in range(120, 130)]
    assert rows("numbers-t.with=RUN-12&numbers-t.sort=-1") == [
        *(f"run-{n}" for n in range(129, 119, -1)),
        "run-12",
    ]
    assert rows("other-t.with=12") == rows("")


@pytest.mark.parametrize(("n", "columns"), [(1, 1), (2, 2), (3, 2), (8, 2), (9, 4), (24, 4)])
def test_panels_are_large_enough_and_fill_what_there_is(n: int, columns: int) -> None:
    dots = plots.points("data", plots.axis("a", "a"), plots.axis("b", "b"))
    drawn = plots.panels(dots, "topic", [str(topic) for topic in range(n)])
    assert drawn.columns == columns
    assert columns * drawn.plot.width <= 4 * plots.SMALL
    alone = pictures(drawn, "", {}, PANEL_WIDTH)
    assert len(alone) == n
    assert min(int(re.findall(r'width="(\d+)"', one)[0]) for one in alone) > PANEL_WIDTH
