"""A chart at the width of a card: what is drawn stays, what has no room goes."""

import re

import pytest

from evaluation.presentation import plots
from web.drawing.charts import Chart
from web.drawing.thumbnails import MAX_LINES, WIDE, thumbnail

X, Y = plots.axis("x", "seconds"), plots.axis("y", "score", **plots.decades(0.01, 100))
ROWS = [{"x": n, "y": 0.01 * 2**n, "name": f"dot {n}", "panel": str(n % 6)} for n in range(13)]
DOTS = plots.points("rows", X, Y)


@pytest.mark.parametrize(
    "chart",
    [
        DOTS,
        plots.sized(DOTS, 900, 900),
        plots.panels(DOTS, "panel", list("012345")),
        plots.intervals("rows", "mean", {"y": plots.names("name", [of["name"] for of in ROWS])}),
    ],
    ids=["plot", "large", "panels", "names"],
)
def test_it_is_as_wide_as_a_card_and_has_no_names(chart: Chart) -> None:
    drawn = thumbnail(chart, "A chart", {"rows": ROWS})
    wide, high = (int(size) for size in re.findall(r'(?:width|height)="(\d+)"', drawn)[:2])
    assert WIDE - 8 <= wide <= WIDE
    assert high <= 300
    assert "<title>" not in drawn


def test_dots_and_labels_are_as_in_the_chart() -> None:
    drawn = thumbnail(DOTS, "A chart", {"rows": ROWS})
    assert ">0.01<" in drawn
    assert drawn.count("h0") == len(ROWS)


def test_of_many_lines_some_are_drawn_and_of_few_all() -> None:
    for lines in (10, 200):
        rows = [{"x": x, "y": 1 + y / lines, "of": y} for y in range(lines) for x in (0, 1)]
        drawn = thumbnail(plots.thin_lines("rows", X, Y), "Lines", {"rows": rows})
        found = re.search(r"<g [^>]*stroke-opacity=\"0.2\"[^>]*>(.*?)</g>", drawn)
        assert found
        assert found[1].count("<path") == min(lines, MAX_LINES)


def test_what_a_paper_found_is_told_apart_by_its_class() -> None:
    chart = plots.layer(DOTS, plots.paper(X, Y))
    its = {"x": 3, "y": 1, "name": "its"}
    drawn = thumbnail(chart, "A chart", {"rows": ROWS, "of_paper": [its]})
    assert drawn.count('class="of-paper"') == 1
    assert 'class="of-paper"' not in thumbnail(chart, "A chart", {"rows": ROWS, "of_paper": []})
