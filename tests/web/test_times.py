"""Moments on pages: in UTC and so marked, whatever zone they come in."""

from datetime import UTC, datetime, timedelta, timezone

from django.template import Context, Template
from django.utils import timezone as now_in

MOMENT = datetime(2026, 3, 1, 0, 5, tzinfo=timezone(timedelta(hours=2)))


def shown(source: str, when: datetime) -> str:
    return Template(source).render(Context({"when": when, "text": "<b>"}))


def test_a_moment_is_in_utc_and_marked() -> None:
    expected = '<time datetime="2026-02-28T22:05:00+00:00" data-clock>28 Feb 2026, 22:05 UTC</time>'
    assert shown("{% moment when %}", MOMENT) == expected


def test_words_of_its_own_are_escaped_and_have_the_moment_beside_them() -> None:
    assert shown("{% moment when text %}", MOMENT) == (
        '<time datetime="2026-02-28T22:05:00+00:00" title="28 Feb 2026, 22:05 UTC">&lt;b&gt;</time>'
    )


def test_how_long_ago_it_was() -> None:
    when = now_in.now().astimezone(UTC) - timedelta(minutes=3)
    assert ">3\xa0minutes ago</time>" in shown("{% ago when %}", when)
