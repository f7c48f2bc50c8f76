"""Words and times of the monitoring pages."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.monitoring import words
from judging.monitoring.figures import bins
from tests.factory import NOON, later

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (-3, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h 00 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_lengths_of_time(length, expected):
    assert words.duration(length) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (timedelta(minutes=14), "today about 12:10 UTC"),
        (timedelta(hours=11), "today about 23:00 UTC"),
        (timedelta(hours=11, minutes=57), "tomorrow about 00:00 UTC"),
        (timedelta(hours=20), "tomorrow about 08:00 UTC"),
        (timedelta(days=3), "on Wednesday"),
        (timedelta(days=7), "on 8 March"),
        (timedelta(days=400), "on 5 April 2027"),
    ],
)
def test_days_to_come(after, expected):
    assert words.day(NOON + after, NOON) == expected


def test_ends_of_an_interval():
    assert words.moment(NOON + HOUR, NOON) == "13:00 UTC today"
    assert words.moment(NOON + 30 * HOUR, NOON) == "Monday 18:00 UTC"
    assert words.moment(NOON + timedelta(days=30), NOON) == "31 March"


@pytest.mark.parametrize(
    ("share", "expected"), [(0, "0%"), (0.001, "less than 1%"), (0.999, "99%"), (1, "100%")]
)
def test_what_is_done_is_never_rounded_up(share, expected):
    assert words.done(share) == expected


@pytest.mark.parametrize(
    ("chance", "expected"),
    [
        (0.00031, "1 in 3,000"),
        (2.6e-7, "1 in 4 million"),
        (0.0, "less than 1 in a billion"),
    ],
)
def test_chances(chance, expected):
    assert words.one_in(chance) == expected


moments = st.floats(-2e8, 2e8).map(later)


@given(moments, st.floats(1, 3e8), st.integers(8, bins.MAX_BINS))
def test_bins_cover_what_they_should(start, length, most):
    until = start + timedelta(seconds=length)
    made = bins.cover(start, until, most)
    assert made.start <= start < made.start + made.width
    assert made.edges[-2] < until <= made.edges[-1]
    assert made.count <= most
    assert (made.start - bins.MONDAY) % made.width == timedelta(0)


def test_bins_begin_at_round_times():
    made = bins.cover(NOON + timedelta(minutes=7), NOON + timedelta(hours=40))
    assert (made.start, made.width) == (NOON, HOUR)


def test_pictures_of_hours_show_what_was_before_the_last_half_minute():
    assert bins.as_of(later(29), HOUR) == NOON
    assert bins.as_of(later(30), HOUR) == later(30)


def test_pictures_of_days_show_what_was_before_the_last_minutes():
    assert bins.as_of(later(299), 40 * HOUR) == NOON
    assert bins.as_of(later(300), 40 * HOUR) == later(300)
    assert bins.as_of(later(599), 400 * HOUR) == NOON
