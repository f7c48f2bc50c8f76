"""All times are the database's, however wrong the clock of a host is."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from judging import tasks
from judging.models import Assignment, Visit
from tests.cast import ada
from tests.factory import make_study
from tests.judging.browsing import Browser
from web import clock


@pytest.fixture
def host(monkeypatch):
    """Set the clock of the host that serves the next requests so many seconds ahead."""

    def ahead(seconds: float) -> None:
        wrong = timedelta(seconds=seconds)
        monkeypatch.setattr(timezone, "now", lambda: datetime.now(UTC) + wrong)

    return ahead


def test_seconds_on_a_document_do_not_depend_on_which_host_serves(db, host):
    browser = Browser(make_study(minimum_seconds=0))
    host(3600)
    browser.walk_to_documents()
    host(0)
    browser.judge()
    visit = Visit.objects.order_by("pk").first()
    assert visit.closed_at > visit.opened_at
    assert abs(Assignment.objects.get().started_at - clock.now()) < timedelta(minutes=10)


def test_a_tick_on_a_host_that_is_ahead_ends_nobody(db, host):
    person = ada(make_study())
    person.now = clock.now()
    person.begin()
    Assignment.objects.update(deadline_at=clock.now() + timedelta(seconds=20))
    tasks.tick()
    host(40)
    assert tasks.tick() == 0
    assert person.assignment.state == "practice"


def test_time_goes_on_within_a_transaction(db):
    times = [clock.now() for _ in range(100)]
    assert times == sorted(times)
    time.sleep(0.001)
    assert clock.now() > times[-1]


def test_the_time_is_the_databases_between_two_questions(db, monkeypatch):
    """PostgreSQL says it anew each time here, on a machine that may be busy."""
    monkeypatch.setattr(clock, "TRUSTED", 1)
    for _ in range(50):
        earliest = _database_time()
        said = clock.now()
        allowed = timedelta(seconds=clock.MAX_DELAY)
        assert earliest - allowed <= said <= _database_time()
        time.sleep(0.03)


def test_it_is_asked_once_a_second(db, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(clock, "TRUSTED", 1)
    monkeypatch.setattr(clock, "MAX_DELAY", 1)  # of a machine that is busy
    monkeypatch.setattr(clock, "_latest", None)
    with django_assert_num_queries(1):
        clock.now()
        clock.now()


def test_a_slow_answer_is_not_kept(db, monkeypatch):
    monkeypatch.setattr(clock, "_latest", None)
    monkeypatch.setattr(clock, "MAX_DELAY", 0)
    clock.now()
    assert clock._latest is None


def test_a_clock_that_was_set_back_is_followed_after_a_second(db, monkeypatch):
    monkeypatch.setattr(clock, "TRUSTED", 1)
    ahead = clock.Reading(_database_time() + timedelta(hours=1), time.monotonic() - 1)
    monkeypatch.setattr(clock, "_latest", ahead)
    assert abs(clock.now() - _database_time()) < timedelta(minutes=1)


def _database_time() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]
