"""Small pictures in the rows of tables."""

import re

from hypothesis import given
from hypothesis import strategies as st

from web import sparklines
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
