"""Two hundred people come from Prolific at once; a tenth return there, or run out of time."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.db import close_old_connections, connection

from accounts.models import User
from judging.models import Assignment, Unit
from judging.states import State
from tests.cast import Person
from tests.doubles.prolific import Prolific
from tests.factory import make_study
from tests.judging.invariants import broken
from tests.workspace.recruiting.conftest import comes, listen, publish, send
from web import clock
from workspace.models import ProlificEvent, ProlificStudy, ProlificSubmission
from workspace.recruiting.sync import sync_due_studies

PEOPLE, GO, AT_ONCE = 200, 20, 16
TICK = 2.0  # seconds


@pytest.fixture
def many(there, transactional_db):
    """A study with 240 units and as many places, with events."""
    rosa = User.objects.create_user("rosa")
    there = {"platform": "prolific", "completion_code": "CDONE"}
    study = make_study(topics=12, documents=62, payment=Decimal("2.00"), currency="GBP", **there)
    study.memberships.create(user=rosa, role="owner")
    recruiting = publish(study, rosa, limit=1000, places=PEOPLE)
    listen(recruiting, rosa)
    return recruiting


def in_a_thread(do, *given):
    """Do something on a connection of its own."""
    try:
        return do(*given)
    finally:
        close_old_connections()
        connection.close()


class Ticks:
    """The tick, every two seconds, until the block ends."""

    def __enter__(self) -> None:
        self.over = threading.Event()
        self.thread = threading.Thread(target=in_a_thread, args=(self._tick,))
        self.thread.start()

    def _tick(self) -> None:
        while not self.over.wait(TICK):
            sync_due_studies(clock.now())

    def __exit__(self, *fault: object) -> None:
        self.over.set()
        self.thread.join()


@pytest.mark.whole
def test_places_are_free_within_seconds_and_nothing_is_lost_or_doubled(there, many):
    draw = random.Random(11)
    people = [comes(there, many, f"p{number:03}") for number in range(PEOPLE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda person: in_a_thread(person.come_to_documents), people))
        assert Assignment.objects.live().count() == PEOPLE
        goes, stays = people[:GO], people[GO:]
        with Ticks():
            told = events(there, goes, stays, draw)
            watching = pool.submit(in_a_thread, until_free, goes)
            list(pool.map(lambda event: in_a_thread(send, many, *event), told))
            free_at = watching.result()
    ends = ProlificEvent.objects.filter(event_id__endswith="-end")
    came_at = {
        name.removesuffix("-end"): at for name, at in ends.values_list("event_id", "came_at")
    }
    waited = [(free_at[key] - moment).total_seconds() for key, moment in came_at.items()]
    print(f"places free {max(waited):.1f} s after their event at the latest")  # noqa: T201
    assert len(waited) == GO
    assert max(waited) < 5
    check(goes, stays)
    by_reading_alone(there, many, stays[:GO], stays[GO:])


def events(there: Prolific, goes: list[Person], stays: list[Person], draw: random.Random) -> list:
    """Each event three times, with one that is old news, in any order."""
    told = []
    for number, person in enumerate(goes):
        session = person.ids["SESSION_ID"]
        there.goes_to(session, ("RETURNED", "TIMED-OUT")[number % 2])
        told += 3 * [there.event(session, number=f"{session}-end")]
        told += 2 * [there.event(session, "ACTIVE", f"{session}-begin")]
    for person in stays[:GO]:
        session = person.ids["SESSION_ID"]
        told += 2 * [there.event(session, "RETURNED", f"{session}-old")]
    draw.shuffle(told)
    return told


def until_free(goes: list[Person]) -> dict[str, datetime]:
    """The moments at which the units of all who go were seen to be free, by submission."""
    units = {person.assignment.unit_id: person.ids["SESSION_ID"] for person in goes}
    free_at: dict[str, datetime] = {}
    while len(free_at) < len(units):
        free = Unit.objects.filter(pk__in=units, free=True).values_list("pk", flat=True)
        for unit in list(free):
            free_at.setdefault(units[unit], clock.now())
        time.sleep(0.05)
    return free_at


def check(goes: list[Person], stays: list[Person]) -> None:
    """Who went has been ended once, who stays is at work, and every rule holds."""
    ended = Assignment.objects.filter(state=State.RETURNED).order_by("worker")
    assert {each.worker_id for each in ended} >= {person.worker.pk for person in goes}
    assert ended.values("worker").distinct().count() == ended.count()
    assert Assignment.objects.live().count() == len(stays)
    assert ProlificSubmission.objects.count() == PEOPLE
    assert not broken()


def by_reading_alone(
    there: Prolific, many: ProlificStudy, goes: list[Person], stays: list[Person]
) -> None:
    """Without events the places are free within 65 s, by one request a minute."""
    sync_due_studies(start := clock.now() + timedelta(minutes=2))
    requests = there.requests["GET submissions/"]
    for person in goes:
        there.goes_to(person.ids["SESSION_ID"], "RETURNED")
    units = [person.assignment.unit_id for person in goes]
    seconds = 0.0
    while Unit.objects.filter(pk__in=units, free=True).count() < len(units):
        seconds += TICK
        sync_due_studies(start + timedelta(seconds=seconds))
    print(f"by reading alone {seconds:.0f} s")  # noqa: T201
    assert seconds < 65
    assert there.requests["GET submissions/"] - requests == 1
    check(goes, stays)
