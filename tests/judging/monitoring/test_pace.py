"""How fast a study goes, when it ends, and who is at work, counted by hand."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from scipy import stats

from judging import flow
from judging.models import Assignment, Study
from judging.monitoring import live, pace, progress, words
from judging.monitoring.figures import bins
from judging.monitoring.status.flow import Flow, Status, flow_of
from judging.monitoring.watch import Watch
from judging.states import State
from judging.studies.conduct.closing import close_study
from tests.cast import Person
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete
from tests.factory.crowds import crowded_study

HOUR = timedelta(hours=1)


def test_the_interval_of_a_rate_is_garwoods():
    for units in (0, 1, 10, 100):
        low, high = pace.interval_of_rate(units, 2)
        assert low == pytest.approx(stats.chi2.ppf(0.025, 2 * units) / 4 if units else 0)
        assert high == pytest.approx(stats.chi2.ppf(0.975, 2 * units + 2) / 4)


@pytest.mark.parametrize(("rate", "remaining"), [(20, 3), (40, 40), (40, 1000)])
def test_the_end_lies_in_its_interval_as_often_as_it_says(rate, remaining):
    rng = np.random.default_rng(3)
    seen = rng.poisson(rate, 4000)
    seen = seen[seen >= pace.MIN_UNITS]
    took = rng.gamma(remaining, 1 / rate, len(seen))
    ends = {n: pace.hours_left(remaining, int(n), 1.0) for n in set(seen.tolist())}
    inside = [ends[n][0] <= t <= ends[n][1] for n, t in zip(seen.tolist(), took, strict=True)]
    assert 0.94 <= np.mean(inside) <= 0.98


def course(study: Study, now: datetime, *, is_flowing: bool = True) -> pace.Course:
    study = Study.objects.get(pk=study.pk)
    flow = flow_of(study, progress(study), now)
    if not flow.is_at_rest:
        flow = Flow(Status.FLOWING if is_flowing else Status.STOPPED)
    return pace.course(study, progress(study), flow, now)


def hourly(study: Study, units: int, workers: int = 20) -> datetime:
    """A unit an hour, each from its beginning to its end in 160 seconds; when the last is done."""
    for number in range(units):
        complete(study, f"worker-{number % workers}", at=NOON + number * HOUR)
    return NOON + (units - 1) * HOUR + timedelta(seconds=160)


def test_the_forecast_of_the_end(study):
    assert course(study, later(60)).status == "unknown"
    end = hourly(study, 11)
    assert course(study, end).last_at == end, "the unit completed last counts at once"
    # What is done before twice a unit's time has passed does not count: the first unit of all.
    assert course(study, end - HOUR).status == "unknown"
    assert course(study, end + timedelta(seconds=1)).status == "paced"
    assert course(study, end + timedelta(seconds=1), is_flowing=False).status == "silent"
    assert course(study, NOON + timedelta(days=8)).status == "unknown"
    close_study(study.slug)
    assert course(study, end + HOUR).status == "closed"


def test_nothing_is_forecast_from_one_worker(db):
    study = make_study(topics=16)
    end = hourly(study, 12, workers=1)
    assert course(study, end + HOUR).status == "unknown"


def test_the_page_forecasts_only_while_forms_come_in(study):
    end = hourly(study, 11)
    watched = Study.objects.get(pk=study.pk)
    assert Watch(watched, end + HOUR).course.status == "silent"
    Person(study, "worker-9", now=end).come_to_documents()
    assert Watch(watched, end + HOUR / 4).course.status == "paced"


def test_the_filling_of_a_study_is_no_part_of_its_rate(db):
    """Twenty people begin at once, and go on evenly: the forecasts of all moments agree."""
    study = make_study(topics=5, redundancy=30)
    for number in range(60):
        complete(study, f"worker-{number % 20}", at=later(160 * (number // 20) + 8 * (number % 20)))
    seen = [course(study, later(at)) for at in (330, 390, 420, 460, 480, 560)]
    assert [found.status for found in seen[:2]] == ["unknown"] * 2
    rates = [(found.pace.slowest, found.pace.fastest) for found in seen if found.pace]
    assert len(rates) >= 3
    assert max(low for low, _ in rates) < 450 < min(high for _, high in rates)


def test_the_end_follows_from_the_rate(study):
    end = hourly(study, 13)
    found = course(study, NOON + 13 * HOUR)
    # Twelve units since twice a unit's time after the first began; three are left.
    since = 13 * HOUR - timedelta(seconds=320)
    assert (found.pace.units, found.pace.window) == (12, since)
    assert found.pace.per_hour == pytest.approx(12 / (since / HOUR))
    assert found.pace.expected == NOON + 13 * HOUR + 3 * since / 12
    assert found.pace.slowest < 1 < found.pace.fastest
    assert end < found.pace.earliest < found.pace.expected < found.pace.latest
    assert found.ends == "today about 04:10 UTC"
    assert found.pace.window_words == "12 h 54 min"


def test_the_last_unit_may_be_completed_while_one_asks(db):
    study = make_study(topics=3)  # twelve units
    before = progress(study)
    hourly(study, 12)
    forecast = pace.course(study, before, Flow(Status.FLOWING), NOON + 12 * HOUR)
    assert forecast.pace.earliest > NOON + 12 * HOUR


def test_the_window_is_the_shortest_that_holds_enough(db):
    study = crowded_study(NOON, topics=3, documents=32, crowd=200)
    found = course(study, NOON)
    recent = Assignment.objects.filter(study=study, state=State.COMPLETED)
    within = [recent.filter(finished_at__gte=NOON - window).count() for window in pace.WINDOWS]
    first = next(n for n in within if n >= pace.ENOUGH_UNITS)
    assert found.pace.units == first
    assert found.pace.window == pace.WINDOWS[within.index(first)]


def test_a_finished_study_says_when_the_last_unit_was_completed(db, desk):
    study = make_study(topics=1)  # four units
    last = [complete(study, f"worker-{number}", at=later(number)) for number in range(4)][-1].now
    after = NOON + timedelta(days=90)
    found = course(study, after)
    assert (found.status, found.pace, found.last_at) == ("done", None, last)
    assert Watch(study, after).bins.until == last + bins.MICROSECOND  # and not three empty months
    text = desk.page(f"/studies/{study.slug}/monitor/?open=at-work")
    assert "All 4 units are done" in text
    assert "There are no units left to do." in text


def test_who_is_at_work(study):
    Person(study, "new").begin()
    halfway = Person(study, "halfway", now=later(60)).come_to_documents().judge_up_to(3)
    Person(study, "carl", now=later(120)).come_to_the_end(1).finish()
    found = live.live(study, later(3000))
    counts = {"practice": 1, "instructions": 0, "topic": 0, "documents": 1, "revising": 1}
    assert dict(found.steps) == counts
    rows = {row.assignment.worker.pseudonym: row for row in found.rows}
    assert {name: row.page for name, row in rows.items()} == {
        "new": "practice",
        "halfway": "document 3 of 8",
        "carl": "told to revise",
    }
    assert [*rows] == ["new", "halfway", "carl"]  # the longest idle first
    assert (rows["new"].idle, rows["new"].left, rows["new"].near) == ("50 min", "now", True)
    idle = (later(3000) - halfway.now).total_seconds()
    assert rows["halfway"].idle == words.duration(idle)
    assert found.near == 3
    # Until practice is passed a unit is held for 10 minutes only.
    assert [live.live(study, later(after)).near for after in (440, 460, 1000)] == [0, 1, 1]
    ada = Person(study, "ada")
    ada.begin()
    flow.start_practice(ada.unit.token, NOON)
    assert "practice, line 1 of 3" in [row.page for row in live.live(study, NOON).rows]
