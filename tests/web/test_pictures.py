"""Small pictures in the rows of tables, and those that Vega draws."""

import re
from xml.etree import ElementTree

import altair as alt
from hypothesis import given
from hypothesis import strategies as st

from web import charts, sparklines
from web.sparklines import EDGE, MAX_TICKS, WIDTH, Axis

POSITIVE = st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=60)


@given(POSITIVE, st.booleans())
def test_every_value_has_its_place_in_order(values, log):
    axis = Axis.of(values, log=log)
    places = [axis.x(value) for value in sorted(values)]
    assert places == sorted(places)
    assert places[0] >= EDGE
    assert places[-1] <= WIDTH - EDGE


@given(POSITIVE, st.booleans())
def test_ticks_are_few_and_on_the_axis(values, log):
    axis = Axis.of(values, log=log)
    ticks = axis.ticks
    assert len(ticks) <= MAX_TICKS + 1
    assert all(EDGE - 1 <= axis.x(tick) <= WIDTH - EDGE + 1 for tick in ticks)


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=1, max_size=60))
def test_a_dot_a_score_though_many_are_equal(levels):
    drawn = sparklines.dots(Axis(0, 2, whole=True), levels, "levels", 1.0)
    places = re.findall(r"M([-\d.]+) 10h0", drawn)
    assert len(places) == len(set(places)) == len(levels)


def test_levels_have_ticks_at_whole_numbers_alone():
    assert Axis(0, 2, whole=True).ticks == [0, 1, 2]
    assert Axis(0, 2).ticks == [0, 0.5, 1, 1.5, 2]


def test_what_names_a_picture_is_escaped():
    drawn = sparklines.bar(Axis(-1, 1), 0.5, '"><script>')
    assert "<script>" not in drawn
    assert "M120.0 10H176.0" in drawn


# --- pictures of Vega: the same one is the same text, and two do not clip each other --------------
SVG = "{http://www.w3.org/2000/svg}"


def clipped(value: float) -> str:
    rows = {"rows": [{"x": 0.0, "y": value}, {"x": 1.0, "y": 2.0}]}
    chart = alt.Chart(alt.NamedData("rows")).mark_line(clip=True).encode(x="x:Q", y="y:Q")
    return charts.svg(chart, "A line", rows=rows)


def test_clips_have_names_of_their_own_picture():
    first, other, again = clipped(1), clipped(3), clipped(1)
    assert first == again
    ids = [set(re.findall(r'id="([^"]+)"', drawn)) for drawn in (first, other)]
    assert all(ids)
    assert not ids[0] & ids[1]
    for drawn, own in zip((first, other), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", drawn)) <= own


def test_shared_styles_are_hoisted_and_look_the_same():
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
