"""Does work flow? What the light says of studies that go on, stop, rest or have not begun."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.models import Assignment, Study
from judging.monitoring import progress_of
from judging.monitoring.status import accepted
from judging.monitoring.status.accepted import Activity, Forms
from judging.monitoring.status.flow import (
    MIN_SILENCE,
    Flow,
    Status,
    at_work,
    flows,
    without_breaks,
)
from judging.monitoring.watch import lights
from judging.studies.conduct.closing import close_study
from tests.cast import Person
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete

ENOUGH = Activity(completed=5, workers=2)
QUIET = 12 * 3600.0


def forms(
    every: float = 2.0, n: int = 100, own: float = 20.0, in_progress: list[float] | None = None
) -> Forms:
    """The last of n forms, one `every` so many seconds, came at 0."""
    times = -every * np.arange(n, dtype=float)[::-1]
    of_one = np.tile([-own, 0.0], (50, 1))
    return Forms(times, of_one, np.array([0.0] if in_progress is None else in_progress))


def max_silence(came: Forms) -> float:
    return without_breaks(came).max_silence


@pytest.mark.parametrize(
    ("came", "limit"),
    [
        (forms(every=0.1, own=5), 60),  # never less
        (forms(every=4, own=5), 80),  # twenty mean gaps
        (forms(every=1, own=70), 140),  # twice what hardly anybody needs
        (forms(n=1, own=0), 60),
    ],
)
def test_it_has_stopped_after_the_longest_of_three_times(came, limit):
    assert max_silence(came) == pytest.approx(limit)
    assert at_work(ENOUGH, came, limit - 1, QUIET).status == Status.FLOWING
    assert at_work(ENOUGH, came, limit + 1, QUIET).status == Status.STOPPED


def test_the_99th_percentile_is_of_all_own_gaps():
    gaps = np.arange(1.0, 102.0)
    came = forms()._replace(own=np.column_stack([-gaps, 0 * gaps]))
    assert max_silence(came) == 2 * np.quantile(gaps, 0.99)


@pytest.mark.parametrize(
    ("activity", "status"),
    [
        (Activity(5, 2), Status.STOPPED),
        (Activity(4, 2), Status.TOO_EARLY),
        (Activity(5, 1), Status.TOO_EARLY),
    ],
)
def test_nothing_is_alarmed_from_one_worker_or_a_few_units(activity, status):
    assert at_work(activity, forms(), 3600, QUIET).status == status


def test_who_was_silent_before_the_last_form_is_not_waited_for():
    gone = forms(in_progress=[-500.0])  # the last form was of somebody who is through
    assert at_work(ENOUGH, gone, 3600, QUIET).status == Status.IDLE
    assert at_work(ENOUGH, gone, QUIET + 1, QUIET).status == Status.INACTIVE
    both = forms(in_progress=[-500.0, -10.0])
    stopped = at_work(ENOUGH, both, 3600, QUIET)
    assert (stopped.status, stopped.in_progress) == (Status.STOPPED, 2)


def test_one_person_alone_may_have_left_as_others_did():
    left_before = ENOUGH._replace(abandoned=1)
    alone = at_work(left_before, forms(), 3600, QUIET)
    assert (alone.status, alone.finding.colour) == (Status.SINGLE_WORKER, "grey")
    assert at_work(left_before, forms(in_progress=[-5.0, 0.0]), 3600, QUIET).is_stopped


def test_the_sentence_names_the_silence_the_usual_gap_and_who_is_at_work():
    stopped = Flow(Status.STOPPED, 19 * 60 + 5, 2.4, 197)
    assert stopped.sentence == ("Stopped: no form for 19 min (usual gap 2 s), 197 workers at work")
    assert Flow(Status.FLOWING, 3, 0.4, 1).sentence == (
        "A form came 3 s ago (usual gap less than 1 s), 1 worker at work"
    )


def test_a_page_opened_by_a_form_is_no_second_form():
    assert accepted.times(0, [60, 90], 90.3) == [0, 60, 90]
    combined = accepted.combine([[0, 60, 90], [5]], [90.0])
    assert combined.times.tolist() == [0, 5, 60, 90]
    assert combined.own.tolist() == [[60, 90]]  # practice is many forms, of which none is kept
    assert without_breaks(combined).usual == 30


def went_on(after: float, *, stopped: int) -> Forms:
    """Forty at work, a form each 20 s, who all went home, or stopped with a form half typed."""
    begun = np.arange(40) / 2
    times = [list(begin + 20 * np.arange(8.0)) for begin in begun]
    later = [[at + 160 + after for at in own] for own in times]
    whole = [[*before, *since] for before, since in zip(times, later, strict=True)]
    return accepted.combine([*whole[:stopped], *times[stopped:], *later[stopped:]], [0.0])


@pytest.mark.parametrize("stopped", [0, 1, 40])
@pytest.mark.parametrize("after", [1140.0, 8 * 3600.0])
def test_a_break_or_a_stop_makes_the_light_no_slower(after, stopped):
    came = went_on(after, stopped=stopped)
    gaps = without_breaks(came)
    assert gaps.usual == pytest.approx(0.5, abs=0.1)
    assert gaps.max_silence == MIN_SILENCE
    first_forms = came._replace(times=came.times[:325])  # five have come again
    assert max_silence(first_forms) == MIN_SILENCE


def test_a_silence_that_the_other_gaps_allow_counts():
    came = forms(every=30, own=20)
    late = came._replace(times=np.append(came.times, 590.0))
    assert without_breaks(late).usual == pytest.approx((98 * 30 + 590) / 99)
    later_still = came._replace(times=np.append(came.times, 610.0))
    assert without_breaks(later_still).usual == 30


def flow_at(study: Study, now: datetime) -> Flow:
    study = Study.objects.get(pk=study.pk)
    closely = lights(study, now).watch.flow
    at_a_glance = flows([study], progress_of([study]), now)[study.pk]
    assert (at_a_glance.status, at_a_glance.in_progress) == (closely.status, closely.in_progress)
    return closely


@pytest.fixture
def at_work_for_a_while(db) -> Study:
    """Five units are done, twenty seconds a page; one person has two of them, and one is at it."""
    study = make_study(topics=4)
    for number in range(5):
        complete(study, f"worker-{number % 4}", at=later(200 * number))
    eve = Person(study, "eve", now=later(900)).come_to_documents().judge_up_to(3)
    assert eve.now <= later(1000)
    return study


def test_every_step_leaves_the_time_of_its_form(db):
    study = make_study()
    person, gail = Person(study, "ada"), Person(study, "gail", now=later(3000))

    def last() -> datetime | None:
        activity = accepted.activity_of([study.pk])[study.pk]
        times = accepted.forms_of([study.pk])[study.pk].times
        assert activity.last is not None
        assert abs(times[-1] - activity.last.timestamp()) <= accepted.SAME_FORM_SECONDS
        return activity.last

    for who, step in (
        *((person, step) for step in (Person.begin, Person.practise, Person.read, Person.answer)),
        (person, lambda ada: ada.judge_up_to(8)),
        (person, lambda ada: ada.do("wait 20, finish")),
        (gail, lambda gail: gail.fail("lines")),
    ):
        step(who.wait(30))
        assert last() == who.now
    assert person.assignment.state == "completed"


def test_a_study_stops_while_somebody_has_a_unit_in_progress(at_work_for_a_while):
    study = at_work_for_a_while
    last = Assignment.objects.get(worker__pseudonym="eve").active_at
    assert flow_at(study, last + timedelta(seconds=MIN_SILENCE - 1)).status == Status.FLOWING
    stopped = flow_at(study, last + timedelta(minutes=19))
    assert (stopped.status, stopped.in_progress) == (Status.STOPPED, 1)
    assert stopped.finding.colour == "red"
    assert next(iter(lights(study, last + timedelta(minutes=19)))).colour == "red"


def test_it_stands_in_heading_title_and_the_list_of_studies(at_work_for_a_while, desk):
    study = at_work_for_a_while
    years_later = later(10**9)  # by the real clock
    Assignment.objects.filter(worker__pseudonym="eve").update(deadline_at=years_later)
    monitor, says = f"/studies/{study.slug}/monitor/", "Stopped: no form for"
    text = desk.page(monitor)
    for tag in ("title", "h1"):
        assert says in text[text.index(f"<{tag}") : text.index(f"</{tag}>")]
    assert says in desk.page("/studies/")
    close_study(study.slug)
    for address in (monitor, "/studies/"):
        assert says not in desk.page(address)


def test_at_rest_is_grey(at_work_for_a_while):
    study = at_work_for_a_while
    Study.objects.filter(pk=study.pk).update(stage=Study.Stage.PAUSED)
    assert flow_at(study, later(9000)).status == Status.PAUSED
    Study.objects.filter(pk=study.pk).update(stage=Study.Stage.OPEN)
    Study.objects.filter(pk=study.pk).update(demo=True, crowd="both", payment=0)
    assert flow_at(study, later(9000)).status == Status.DEMO_IDLE
    Study.objects.filter(pk=study.pk).update(demo=False, crowd="people")
    Assignment.objects.filter(worker__pseudonym="eve").delete()
    study.units.filter(assignments=None).delete()
    done = flow_at(study, later(9000))
    assert (done.status, done.finding.colour) == (Status.DONE, "grey")


def test_nobody_is_here_after_the_hours_that_the_study_sets(db):
    study = make_study(quiet_hours=3)
    opened = Study.objects.get(pk=study.pk).opened_at
    assert flow_at(study, opened + timedelta(hours=2)).status == Status.IDLE
    assert flow_at(study, opened + timedelta(hours=4)).finding.colour == "amber"
    complete(study, "ada", at=NOON)
    assert flow_at(study, NOON + timedelta(hours=2)).finding.colour == "grey"
    assert flow_at(study, NOON + timedelta(hours=4)).finding.colour == "amber"
    assert flow_at(make_study(opened=False), NOON).status == Status.DRAFT


def test_many_studies_cost_no_more_questions_than_one(db):
    studies = [make_study(topics=2) for _ in range(3)]
    for study in studies:
        for number in range(5):
            complete(study, f"worker-{number}", at=later(200 * number))
        Person(study, "eve", now=later(900)).come_to_documents()
    counted = []
    for some in (studies[:1], studies):
        progress = progress_of(some)
        with CaptureQueriesContext(connection) as queries:
            found = flows(some, progress, later(9000))
        assert {flow.status for flow in found.values()} == {Status.STOPPED}
        counted.append(len(queries))
    assert counted[0] == counted[1]
