"""Pictures: the same one is the same text, and two of them do not clip each other."""

import re
from xml.etree import ElementTree

import altair as alt

from web import charts

SVG = "{http://www.w3.org/2000/svg}"


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


def test_shared_styles_are_hoisted_and_look_the_same() -> None:
    rows = {"rows": [{"x": x, "y": 1.0, "kind": kind} for x, kind in enumerate("aba")]}
    dots = alt.Chart(alt.NamedData("rows")).mark_point(filled=True, shape="square", opacity=0.5)
    drawn = charts.svg(dots.encode(x="x:Q", y="y:Q", color="kind:N"), "Dots", rows=rows)
    found = ElementTree.fromstring(drawn)
    (group,) = found.iterfind(f".//{SVG}g[@class='mark-symbol role-mark marks']")
    marks = [one.attrib for one in group]
    assert len(marks) == 3
    assert len({mark["fill"] for mark in marks}) == 2  # not shared, so each says its own
    assert {mark["opacity"] for mark in marks} == {"0.5"}  # of a group it would be of all at once
    labels = [one for one in found.iter(f"{SVG}g") if "axis-label" in one.get("class", "")]
    assert labels
    for one in labels:
        assert one.get("fill") == "currentColor"
        assert all("fill" not in label.attrib for label in one)
