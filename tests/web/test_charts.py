"""Pictures: the same one is the same text, and two of them do not clip each other."""

import re

import altair as alt

from web import charts


def clipped(value: float) -> str:
    rows = {"rows": [{"x": 0.0, "y": value}, {"x": 1.0, "y": 2.0}]}
    chart = alt.Chart(alt.NamedData("rows")).mark_line(clip=True).encode(x="x:Q", y="y:Q")
    return charts.svg(chart, "A line", rows=rows)


def test_clips_have_names_of_their_own_picture() -> None:
    first, other, again = clipped(1), clipped(3), clipped(1)
    assert first == again
    ids = [set(re.findall(r'id="([^"]+)"', drawn)) for drawn in (first, other)]
    assert all(ids)
    assert not ids[0] & ids[1]
    for drawn, own in zip((first, other), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", drawn)) <= own
