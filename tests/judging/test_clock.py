"""All times are the database's, however wrong the clock of a host is."""

from datetime import UTC, datetime, timedelta

import pytest
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
    assert clock.now() < clock.now()
