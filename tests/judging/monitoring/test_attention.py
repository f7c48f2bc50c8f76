"""The first screen of the monitor: lights, the machine, and what needs attention."""

from datetime import timedelta

import pytest
from django.conf import settings

from accounts.models import User
from evaluation.tasks import bring_up_to_date
from judging.models import Assignment, Membership, Role, Study, Tick
from judging.monitoring import attention
from judging.monitoring.status import machine, people
from judging.monitoring.tries import CheckTotals, Rate, Tally
from judging.monitoring.watch import Lights, Watch
from tests.cast import Person
from tests.factory import NOON, later
from web.queues import queue_lengths


def test_the_clock_is_good_as_long_as_it_ticks():
    assert machine.clock(2).colour == "green"
    assert machine.clock(machine.LATE_SECONDS + 1).colour == "red"
    assert machine.clock(None).colour == "grey"


@pytest.mark.parametrize(
    ("age", "tasks", "colour"),
    [
        (2, 0, "green"),
        (None, 0, "grey"),
        (120, 3, "amber"),  # busy with something long
        (2, 500, "amber"),
        (3600, 500, "red"),
        (2, None, "red"),
    ],
)
def test_the_background_worker(age, tasks, colour):
    assert machine.background(age, tasks).colour == colour


def test_the_machine_is_asked(db):
    Tick.objects.create(name=Tick.EXPIRY, ran_at=NOON)
    bring_up_to_date()
    assert Tick.objects.get(name=Tick.RANKINGS).ran_at
    Tick.objects.filter(name=Tick.RANKINGS).update(ran_at=NOON)
    assert queue_lengths().keys() == settings.TASKS_OF_QUEUES.keys()
    seen = {light.name: light.colour for light in machine.findings(later(3))}
    assert [*seen] == ["Web", "Background worker", "Clock", "Rankings"]
    assert (seen["Clock"], seen["Rankings"]) == ("green", "green")
    late = {light.name: light.colour for light in machine.findings(later(3600))}
    assert (late["Clock"], late["Rankings"]) == ("red", "amber")


def of_workers(failures: int, tries: int, workers: int) -> tuple[list[CheckTotals], list[Tally]]:
    """One check, which so many workers tried, all together so often."""
    check = CheckTotals("question", "(b)", Rate(failures, tries), "answers", workers, 1)
    return [check], [Tally(n, str(n), rates=(Rate(0, 1),)) for n in range(workers)]


@pytest.mark.parametrize(
    ("failures", "tries", "workers", "colour"),
    [
        (0, 40, 20, "green"),
        (10, 100, 20, "green"),
        (90, 100, 20, "amber"),
        (90, 100, 9, "grey"),  # too few, however often they tried
        (8, 20, 20, "grey"),  # by chance perhaps
        (45, 90, 90, "amber"),  # as often as people fail (c) who guess
    ],
)
def test_the_colour_of_a_check_that_many_fail(failures, tries, workers, colour):
    assert people.checks(*of_workers(failures, tries, workers)).colour == colour


def test_a_quiet_study_wants_nothing(study, desk):
    text = desk.page(f"/studies/{study.slug}/monitor/")
    assert "Nothing needs attention" in text
    assert text.index('id="now"') < text.index('id="attention"') < text.index('id="course"')


def test_a_unit_about_to_expire_can_be_taken_back_from_here(study):
    Person(study, "eve", now=NOON).come_to_documents()
    unit = Assignment.objects.get()
    name = f"{unit.study_topic.topic.query_id}-{unit.unit.number}"
    watch = Watch(Study.objects.get(), unit.active_at + timedelta(minutes=50))
    found = attention.matters(watch, Lights(watch), [], 3)
    assert [matter.release for matter in found] == [name, ""]
    assert f"unit {name} has been silent longest, for 50 min" in found[0].sentence
    assert "3 notes" in found[1].sentence


def test_only_editors_have_buttons(study, desk):
    for name, role, has_buttons in (("rosa", Role.EDITOR, True), ("vera", Role.VIEWER, False)):
        user = User.objects.create_user(name)
        Membership.objects.create(study=study, user=user, role=role)
        desk.force_login(user)
        text = desk.page(f"/studies/{study.slug}/monitor/")
        assert ('value="pause"' in text) is has_buttons
        assert ('value="close"' in text) is has_buttons
