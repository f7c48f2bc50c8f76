"""How fast a study goes, when it ends, and who is at work, counted by hand."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from scipy import stats

from judging import flow
from judging.models import Assignment, Study
from judging.monitoring import live, pace, progress, words
from judging.monitoring.figures import bins
from judging.monitoring.watch import Watch
from judging.states import State
from judging.studies.underway.opening import close_study
from tests.cast import Person
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete
from tests.factory.crowds import crowded_study
from tests.judging.monitoring.helpers import page

HOUR = timedelta(hours=1)


def test_the_interval_of_a_rate_is_garwoods():
    for units in (0, 1, 10, 100):
        low, high = pace.interval_of_rate(units, 2)
        assert low == pytest.approx(stats.chi2.ppf(0.025, 2 * units) / 4 if units else 0)
        assert high == pytest.approx(stats.chi2.ppf(0.975, 2 * units + 2) / 4)


@pytest.mark.parametrize(("rate", "remaining"), [(8, 3), (40, 40), (40, 1000)])
def test_the_end_lies_in_its_interval_as_often_as_it_says(rate, remaining):
    rng = np.random.default_rng(3)
    seen = rng.poisson(rate, 4000)
    seen = seen[seen >= pace.LEAST]
    took = rng.gamma(remaining, 1 / rate, len(seen))
    ends = {n: pace.hours_left(remaining, int(n), 1.0) for n in set(seen.tolist())}
    inside = [ends[n][0] <= t <= ends[n][1] for n, t in zip(seen.tolist(), took, strict=True)]
    assert 0.94 <= np.mean(inside) <= 0.98


def course(study: Study, now: datetime) -> pace.Course:
    return Watch(Study.objects.get(pk=study.pk), now).course


def test_what_can_be_said_of_the_end(study):
    assert course(study, later(60)).status == "unknown"
    for number in range(4):
        complete(study, f"worker-{number}", at=NOON + number * HOUR)
    assert course(study, NOON + 4 * HOUR).status == "unknown"
    complete(study, "worker-4", at=NOON + 4 * HOUR)
    assert course(study, NOON + 5 * HOUR).status == "paced"
    assert course(study, NOON + timedelta(days=8)).status == "stalled"
    close_study(study.slug)
    assert course(study, NOON + 5 * HOUR).status == "closed"


def test_the_end_follows_from_the_rate(study):
    for number in range(6):
        complete(study, f"worker-{number}", at=NOON + number * HOUR)
    found = course(study, NOON + 6 * HOUR)
    # Six units in the six hours since the first began; ten are left.
    assert (found.pace.units, found.pace.window) == (6, 6 * HOUR)
    assert found.pace.per_hour == 1
    assert found.pace.expected == NOON + 16 * HOUR
    assert found.pace.slowest < 1 < found.pace.fastest
    assert NOON + 6 * HOUR < found.pace.earliest < found.pace.expected < found.pace.latest
    assert found.ends == "tomorrow about 04:00"
    assert found.pace.window_words == "6 hours"


def test_the_last_unit_may_be_completed_while_one_asks(db):
    study = make_study(topics=2)  # eight units
    before = progress(study)
    for number in range(8):
        complete(study, f"worker-{number}")
    found = pace.course(study, before, NOON + HOUR)
    assert found.pace.earliest > NOON + HOUR


def test_the_window_is_the_shortest_that_holds_enough(db):
    study = crowded_study(NOON, topics=3, documents=32, crowd=200)
    found = course(study, NOON)
    recent = Assignment.objects.filter(study=study, state=State.COMPLETED)
    within = [recent.filter(finished_at__gte=NOON - window).count() for window in pace.WINDOWS]
    first = next(n for n in within if n >= pace.ENOUGH)
    assert found.pace.units == first
    assert found.pace.window == pace.WINDOWS[within.index(first)]


def test_the_unit_completed_last_counts_at_once(db):
    study = make_study(topics=1, redundancy=10)
    people = [complete(study, f"worker-{number}", at=later(number)) for number in range(3)]
    before_the_last = course(study, people[-1].now)
    assert before_the_last.last_at == people[-1].now


def test_a_finished_study_says_when_the_last_unit_was_completed(db, desk):
    study = make_study(topics=1)  # four units
    people = [complete(study, f"worker-{number}", at=later(number)) for number in range(4)]
    found = course(study, NOON + timedelta(days=90))
    assert (found.status, found.pace) == ("done", None)
    assert found.last_at == people[-1].now
    made = Watch(study, NOON + timedelta(days=90))
    assert made.bins.until == people[-1].now + bins.A_LITTLE  # and not three empty months
    text = page(desk, f"/studies/{study.slug}/monitor/")
    assert "All 4 units are done" in text
    assert "There is no unit to be done." in text


def test_who_is_at_work(study):
    Person(study, "new").begin()
    halfway = Person(study, "halfway", now=later(60)).come_to_documents().judge_up_to(3)
    carl = Person(study, "carl", now=later(120)).come_to_the_end(1)
    carl.finish()
    found = live.live(study, later(3000))
    assert dict(found.steps) == {
        "practice": 1,
        "instructions": 0,
        "topic": 0,
        "documents": 1,
        "revising": 1,
    }
    rows = {row.assignment.worker.pseudonym: row for row in found.rows}
    assert [*rows] == ["new", "halfway", "carl"]  # the longest idle first
    assert {name: row.page for name, row in rows.items()} == {
        "new": "practice",
        "halfway": "document 3 of 8",
        "carl": "told to revise",
    }
    assert (rows["new"].idle, rows["new"].left, rows["new"].near) == ("50 min", "now", True)
    idle = (later(3000) - halfway.now).total_seconds()
    assert rows["halfway"].idle == words.duration(idle)
    assert found.near == 3
    # Until practice is passed a unit is held for 10 minutes only.
    assert [live.live(study, later(after)).near for after in (440, 460, 1000)] == [0, 1, 1]


def test_a_practice_line_is_named(study):
    person = Person(study, "ada")
    person.begin()
    flow.start_practice(person.unit.token, NOON)
    assert live.live(study, NOON).rows[0].page == "practice, line 1 of 3"
