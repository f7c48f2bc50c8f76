"""Texts on pages: names in the order that people expect, moments in UTC and so marked."""

from datetime import UTC, datetime, timedelta, timezone

from django.template import Context, Template
from django.utils import timezone as now_in
from hypothesis import given
from hypothesis import strategies as st

from web.text import natural


def test_digits_count_as_numbers_wherever_they_stand():
    names = ["q10b2", "q2", "", "67", "219", "q10b10", "a", "23", "q10"]
    expected = ["", "23", "67", "219", "a", "q2", "q10", "q10b2", "q10b10"]
    assert sorted(names, key=natural) == expected


@given(st.lists(st.text("0019aé٣", max_size=6)))
def test_any_names_have_one_order(names):
    turned = names[::-1]
    assert sorted(names, key=natural) == sorted(turned, key=natural)


@given(st.lists(st.integers(0, 10**40)))
def test_numbers_stand_in_the_order_of_numbers(numbers):
    assert sorted(map(str, numbers), key=natural) == list(map(str, sorted(numbers)))


# --- moments on pages: in UTC and so marked, whatever zone they come in ---------------------------
MOMENT = datetime(2026, 3, 1, 0, 5, tzinfo=timezone(timedelta(hours=2)))


def shown(source: str, when: datetime) -> str:
    return Template(source).render(Context({"when": when, "text": "<b>"}))


def test_a_moment_is_in_utc_and_marked():
    expected = '<time datetime="2026-02-28T22:05:00+00:00" data-clock>28 Feb 2026, 22:05 UTC</time>'
    assert shown("{% moment when %}", MOMENT) == expected


def test_words_of_its_own_are_escaped_and_have_the_moment_beside_them():
    assert shown("{% moment when text %}", MOMENT) == (
        '<time datetime="2026-02-28T22:05:00+00:00" title="28 Feb 2026, 22:05 UTC">&lt;b&gt;</time>'
    )


def test_how_long_ago_it_was():
    when = now_in.now().astimezone(UTC) - timedelta(minutes=3)
    assert ">3\xa0minutes ago</time>" in shown("{% ago when %}", when)
