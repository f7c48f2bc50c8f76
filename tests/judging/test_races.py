"""Many at once, in threads with connections of their own: after each race all must be well."""

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Barrier, Event

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from judging import completed, flow
from judging.flow import admission
from judging.flow.admission import Arrival, NoWork
from judging.models import (
    Assignment,
    CheckFailure,
    Judgment,
    Participant,
    PlatformAccount,
    Study,
    StudyTopic,
    Tick,
    Unit,
    Visit,
    Worker,
)
from judging.studies.underway import running
from judging.studies.underway.batches import add_batch
from judging.studies.underway.exclusion import exclude
from judging.studies.underway.opening import close_study
from judging.studies.underway.running import CannotRun
from tests.cast import Person, ada, carl, crowd, dora
from tests.factory import NOON, SCALES, later, make_study
from tests.judging.invariants import broken

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 6
FEW = 3  # rounds, where almost every one shows it if rows are not locked


def at_once(*actions: Callable) -> list:
    """What each action returned, all having begun at the same moment."""
    start = Barrier(len(actions))

    def run(action: Callable):
        try:
            connection.ensure_connection()
            start.wait(30)
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as threads:
        return list(threads.map(run, actions))


@pytest.fixture(autouse=True)
def _all_is_well_in_the_end(transactional_db):
    yield
    assert broken() == []


@pytest.fixture
def study(transactional_db) -> Study:
    return make_study()


# --- people or artificial workers, whoever comes first ------------------------------------------
def test_people_and_artificial_workers_come_at_once(transactional_db):
    for _ in range(FEW):
        study = make_study(redundancy=4)
        arrivals = [Arrival(f"{n}", simulated=bool(n % 2)) for n in range(6)]

        def come(arrival: Arrival, study: Study = study):
            return flow.admit(Study.objects.get(pk=study.pk), arrival, NOON)[1]

        said = at_once(*(partial(come, arrival) for arrival in arrivals))
        taken = {a.simulated for a, no_work in zip(arrivals, said, strict=True) if not no_work}
        assert len(taken) == 1
        assert Counter(said) == {None: 3, NoWork.OTHERS: 3}


# --- many workers, few units --------------------------------------------------------------------
def test_sixty_four_workers_after_eight_units(transactional_db):
    study = make_study(redundancy=4)
    assert Unit.objects.count() == 8
    people = crowd(study, 64)
    said = Counter(at_once(*(p.begin for p in people)))
    assert said == {None: 8, NoWork.LATER: 56}
    held = Assignment.objects.filter(state="practice").values_list("unit", flat=True)
    assert len(set(held)) == 8
    assert not Unit.objects.filter(free=True).exists()


def test_the_last_unit_is_wanted_by_all(transactional_db):
    for _ in range(ROUNDS):
        study = make_study(documents=8, redundancy=1)
        said = Counter(at_once(*(p.begin for p in crowd(study, 12))))
        assert said == {None: 1, NoWork.LATER: 11}


def test_units_that_return_go_to_others_at_once(transactional_db):
    """Eight leave while eight come: nobody who comes takes a unit that is still held."""
    study = make_study(redundancy=4)
    people = crowd(study, 16)
    for person in people[:8]:
        person.begin()
    tokens = [p.assignment.token for p in people[:8]]
    at_once(
        *(lambda token=token: flow.leave(token, NOON) for token in tokens),
        *(p.begin for p in people[8:]),
    )
    assert broken() == []
    for person in people[8:]:
        assert person.begin() is None
    assert not Unit.objects.filter(free=True).exists()


@pytest.mark.parametrize("scale", SCALES)
def test_many_workers_go_the_whole_way_at_once(transactional_db, scale):
    study = make_study(redundancy=4, minimum_seconds=0, **scale)
    people = crowd(study, 8)
    codes = at_once(*(p.complete for p in people))
    assert len(set(codes)) == 8
    assert StudyTopic.objects.get().revision == 8
    assert ada(study).begin() == NoWork.FINAL


# --- visitors and those who are known -------------------------------------------------------------
def list_participants(study: Study, ids: list[str]) -> list[Person]:
    """People whose ids are on the study's list; what vouches for them is that alone."""
    Participant.objects.bulk_create(Participant(study=study, external_id=i) for i in ids)
    return [Person(study, f"device of {i}", platform="sona", external_id=i) for i in ids]


def test_visitors_cannot_take_all_units_before_somebody_on_the_list_comes(transactional_db):
    study = make_study(redundancy=12)
    assert Unit.objects.filter(study=study).count() == 24
    visitors = crowd(study, 24, verified=False)
    assert Counter(at_once(*(v.begin for v in visitors))) == {None: 12, NoWork.LATER: 12}
    (listed,) = list_participants(study, ["1001"])
    assert listed.begin() is None


def test_all_units_go_to_those_on_the_list(transactional_db):
    study = make_study(redundancy=12)
    people = list_participants(study, [str(number) for number in range(24)])
    assert at_once(*(person.begin for person in people)) == [None] * 24


# --- limits on people -----------------------------------------------------------------------------
def test_many_workers_after_five_places(transactional_db):
    study = make_study(redundancy=12, most_workers=5, minimum_seconds=0)  # 24 units
    people = crowd(study, 24)
    assert Counter(at_once(*(p.begin for p in people))) == {None: 5, NoWork.LATER: 19}
    at_once(*(person.complete for person in people if person.worker))
    late = [person for person in people if not person.worker][:8]
    assert Counter(at_once(*(p.begin for p in late))) == {NoWork.FULL: 8}


@pytest.mark.parametrize("quota", ["newcomers_an_hour", "newcomers_a_day"])
def test_many_at_a_quota(transactional_db, quota):
    study = make_study(redundancy=12, **{quota: 4})
    people = crowd(study, 24)
    assert Counter(at_once(*(p.begin for p in people))) == {None: 4, NoWork.QUOTA: 20}


def test_places_that_come_back_are_given_once(transactional_db):
    """Four leave while twelve come, some of them those who leave."""
    for _ in range(FEW):
        study = make_study(topics=3, redundancy=12, most_workers=4)
        people = crowd(study, 12)
        for person in people[:4]:
            person.begin()
        at_once(*(p.leave for p in people[:4]), *(p.begin for p in people))
        assert broken() == []


def test_visitors_cannot_take_all_places_before_somebody_on_the_list_comes(transactional_db):
    study = make_study(redundancy=12, most_workers=8)
    visitors = crowd(study, 24, verified=False)
    assert Counter(at_once(*(v.begin for v in visitors))) == {None: 4, NoWork.LATER: 20}
    listed = list_participants(study, ["1001", "1002"])
    assert [person.begin() for person in listed] == [None, None]


# --- the same worker, twice ---------------------------------------------------------------------
def test_consent_in_many_tabs(study):
    tabs = [ada(study) for _ in range(8)]
    assert at_once(*(tab.begin for tab in tabs)) == [None] * 8
    assert (Worker.objects.count(), Assignment.objects.count()) == (1, 1)
    assert Unit.objects.filter(free=False).count() == 1


def test_consent_on_many_devices_with_one_platform_id(study):
    for number in range(ROUNDS):
        devices = [dora(study, f"device-{number}-{n}") for n in range(6)]
        for device in devices:
            device.external_id, device.verified = f"id-{number}", True
        said = at_once(*(device.begin for device in devices))
        assert len({device.worker for device in devices}) == 1
        assert len(set(said)) == 1
        assert Worker.objects.count() == PlatformAccount.objects.count()
    assert Assignment.objects.count() == 4  # as many as there are units: the others came too late


def test_starting_again_in_many_tabs(transactional_db):
    study = make_study(topics=4)
    ada(study).complete()
    tabs = [ada(study) for _ in range(8)]
    at_once(*(tab.begin for tab in tabs))
    assert Counter(Assignment.objects.values_list("state", flat=True)) == {
        "completed": 1,
        "practice": 1,
    }


def test_no_more_than_the_setting_allows_in_many_tabs(transactional_db):
    study = make_study(topics=4, max_units_per_worker=1)
    ada(study).complete()
    tabs = [ada(study) for _ in range(6)]
    assert at_once(*(tab.begin for tab in tabs)) == [NoWork.FINAL] * 6


# --- the same form, twice at once ---------------------------------------------------------------
def test_every_form_of_the_way_sent_five_times_at_once(study):
    person = ada(study)
    person.begin()
    token, lines = person.assignment.token, person.assignment.lines

    def five(action: Callable) -> None:
        at_once(*[action] * 5)
        assert broken() == []

    five(lambda: flow.start_practice(token, NOON))
    assert person.assignment.practice_step == 1
    for line, length in enumerate(lines[:2], 1):
        five(lambda line=line, length=length: flow.practise(token, line, length, NOON))
        assert person.assignment.line_scores == lines[:line]
    five(lambda: flow.practise(token, 3, lines[2], NOON))
    assert person.assignment.state == "instructions"
    five(lambda: flow.read_instructions(token, NOON))
    assert person.assignment.state == "topic"
    five(lambda: person.answer())
    assert (person.assignment.state, person.assignment.furthest) == ("judging", 1)
    for position in range(1, 8):
        five(lambda position=position: person.open(position))
        assert Visit.objects.filter(closed_at=None).count() == 1
        person.wait(1)
        five(lambda position=position: person.next(position))
        assert (person.assignment.position, person.assignment.furthest) == (position + 1,) * 2
    person.open(8)
    five(lambda: person.back(8, "7", "draft"))
    assert (person.assignment.position, person.assignment.back_steps) == (7, 1)
    person.open(8)
    person.wait(1)
    five(lambda: person.finish())
    assert (person.assignment.state, person.assignment.failed_finishes) == ("revising", 1)
    five(person.resume)
    assert (person.assignment.position, person.assignment.revise_steps) == (8, 1)
    for position in range(8, 0, -1):
        person.open(position)
        person.wait(20)
        five(lambda position=position: person.back(position))
    five(lambda: person.finish(1))
    assert person.assignment.state == "completed"
    assert StudyTopic.objects.get().revision == 1
    code = person.assignment.completion_code
    won = at_once(*[lambda: flow.withdraw(code, NOON)] * 5)
    assert sum(w is not None for w in won) == 1
    assert StudyTopic.objects.get().revision == 2


@pytest.mark.parametrize("scale", SCALES)
def test_a_finish_that_fails_pressed_many_times_at_once_is_one_try(transactional_db, scale):
    for _ in range(FEW):
        person = carl(make_study(**scale))
        token = person.assignment.token
        at_once(*[lambda token=token: person.finish(token=token)] * 5)  # noqa: B023
        assert person.assignment.failed_finishes == 1
        assert CheckFailure.objects.filter(assignment=person.assignment).count() == 1


def test_a_right_and_a_wrong_answer_at_once(transactional_db):
    for _ in range(ROUNDS):
        person = ada(make_study())
        person.begin()
        person.practise()
        person.read()
        at_once(person.answer, lambda: person.answer("a wrong one"))  # noqa: B023
        assert person.assignment.state in ("judging", "failed")
        assert broken() == []


def test_the_same_wrong_answer_twice_at_once(transactional_db):
    for _ in range(ROUNDS):
        person = ada(make_study(question_tries=2))
        person.begin()
        person.practise()
        person.read()
        at_once(*[lambda: person.answer("a wrong one", attempt=1)] * 2)  # noqa: B023
        assert (person.assignment.state, person.assignment.wrong_answers) == ("topic", 1)
        assert broken() == []


def test_two_tabs_on_different_pages(study):
    """Whatever the order, one visit is open, and nothing typed in either is lost."""
    person = ada(study).come_to_documents()
    person.judge_up_to(6)
    for _ in range(ROUNDS):
        number = str(random.randrange(10, 99))
        at_once(
            lambda: person.open(2),
            lambda number=number: person.next(4, number),
            lambda: person.open(5),
            lambda number=number: person.next(5, number),
            lambda number=number: person.back(3, number),
        )
        assert broken() == []
        assert Visit.objects.filter(closed_at=None).count() <= 1
        kept = Judgment.objects.filter(position__in=[3, 4, 5]).values_list("score_text", flat=True)
        assert set(kept) == {number}


# --- two that exclude each other ----------------------------------------------------------------
def overdue(person: Person) -> Callable:
    """A tick that finds them late."""
    moment = person.now + timedelta(hours=2)
    Tick.objects.update_or_create(
        name="expiry", defaults={"ran_at": moment - timedelta(seconds=settings.TICK_SECONDS)}
    )
    return lambda: flow.expire_overdue(moment)


def race(
    prepare: Callable,
    action: Callable,
    against: Callable,
    allowed: set[str],
    rounds: int = ROUNDS,
) -> None:
    """Both at once, in many rounds, and in both orders of starting."""
    for turn in range(rounds):
        person = prepare(make_study())
        other = against(person)
        both = [lambda: action(person), other]  # noqa: B023
        at_once(*(both if turn % 2 else reversed(both)))
        assert person.assignment.state in allowed
        assert broken() == []


def finished(study: Study) -> Person:
    """Somebody who only has to press Finish."""
    return ada(study).come_to_the_end()


def test_finish_against_the_tick(transactional_db):
    race(finished, Person.finish, overdue, {"completed", "expired"}, FEW)


def test_a_failing_finish_against_the_tick(transactional_db):
    race(carl, Person.finish, overdue, {"revising", "expired"}, FEW)


def test_finish_against_leaving(transactional_db):
    race(finished, Person.finish, lambda p: p.leave, {"completed", "left"}, FEW)


def test_a_judgment_against_the_tick(transactional_db):
    """Acknowledged, it is there; expired, nothing is."""
    for turn in range(ROUNDS):
        person = finished(make_study())
        token = person.assignment.token
        both = [lambda: person.next(2, "77", token=token), overdue(person)]  # noqa: B023
        said = at_once(*(both if turn % 2 else reversed(both)))
        acknowledged = said[0 if turn % 2 else 1].position is not None
        kept = Judgment.objects.filter(assignment=person.assignment, score=77).exists()
        assert kept == (person.assignment.state == "judging")
        assert acknowledged or not kept
        assert broken() == []


def test_opening_a_page_against_leaving(transactional_db):
    race(finished, lambda p: p.open(3), lambda p: p.leave, {"left"}, FEW)


def test_leaving_against_the_tick(transactional_db):
    race(finished, Person.leave, overdue, {"left", "expired"})


def test_the_answer_against_the_tick(transactional_db):
    def asked(study: Study) -> Person:
        person = ada(study)
        person.begin()
        person.practise()
        person.read()
        return person

    race(asked, Person.answer, overdue, {"judging", "expired"})


def test_withdrawing_against_admission(transactional_db):
    for _ in range(ROUNDS):
        study = make_study(documents=8, redundancy=1)
        done = ada(study)
        code = done.complete()
        at_once(lambda: flow.withdraw(code, NOON), Person(study, "ben").begin)  # noqa: B023
        assert done.assignment.state == "withdrawn"
        assert broken() == []


# --- the tick -----------------------------------------------------------------------------------
def test_many_ticks_at_once_expire_each_once(transactional_db):
    study = make_study(redundancy=4)
    people = crowd(study, 8)
    for person in people:
        person.begin()
    tick = overdue(people[0])
    assert sum(at_once(*[tick] * 6)) == 8
    assert Assignment.objects.filter(state="expired").count() == 8


def test_many_ticks_after_an_outage_move_deadlines_once(study):
    person = ada(study)
    person.begin()
    flow.expire_overdue(later(0))
    at_once(*[lambda: flow.expire_overdue(later(7200))] * 6)
    assert person.assignment.state == "practice"
    assert person.assignment.deadline_at == later(600 + 7200)


def test_the_first_ticks_ever_at_once(study):
    for _ in range(ROUNDS):
        Tick.objects.all().delete()
        assert at_once(*[lambda: flow.expire_overdue(NOON)] * 4) == [0] * 4
        assert Tick.objects.count() == 1


def test_the_tick_passes_over_who_is_being_served(study, monkeypatch):
    """It does not wait for a worker's form, and the form counts."""
    person = finished(study)
    tick, inside, go_on = overdue(person), Event(), Event()
    decide = flow.finishing._decide

    def slowly(*args):
        inside.set()
        assert go_on.wait(30)
        decide(*args)

    monkeypatch.setattr("judging.flow.finishing._decide", slowly)

    def tick_meanwhile():
        assert inside.wait(30)
        try:
            return tick()
        finally:
            go_on.set()

    _, expired = at_once(person.finish, tick_meanwhile)
    assert expired == 0
    assert person.assignment.state == "completed"


# --- closing ------------------------------------------------------------------------------------
def test_closing_waits_for_an_admission_and_then_nobody_comes_in(study, monkeypatch):
    inside, go_on, closed = Event(), Event(), Event()
    claim = admission.claim

    def slowly(*args):
        inside.set()
        assert go_on.wait(30)
        return claim(*args)

    monkeypatch.setattr("judging.flow.admission.claim", slowly)

    def close():
        assert inside.wait(30)
        close_study(study.slug)
        closed.set()

    def watch():
        assert inside.wait(30)
        too_early = closed.wait(0.3)
        go_on.set()
        assert closed.wait(30)
        return too_early

    no_work, _, too_early = at_once(ada(study).begin, close, watch)
    assert (no_work, too_early) == (None, False)
    assert Person(study, "ben").begin() == NoWork.CLOSED  # `study` is as it was read before


@pytest.mark.parametrize("_", range(FEW))
def test_pausing_while_workers_come(study, _):
    """Whoever came before has a unit, and nobody begins one after."""
    people = crowd(study, 6)
    reasons = at_once(*(p.begin for p in people), lambda: running.pause(study, None) and None)
    assert set(reasons) <= {None, NoWork.PAUSED, NoWork.LATER}
    held = Assignment.objects.live().count()
    assert held == reasons[:-1].count(None)
    assert Person(study, "late").begin() == NoWork.PAUSED


@pytest.mark.parametrize("_", range(FEW))
def test_a_unit_is_finished_or_released(study, _):
    worker = ada(study).come_to_the_end()
    name = f"401-{worker.assignment.unit.number}"

    def release() -> bool:
        with suppress(CannotRun):
            return bool(flow.release_unit(study, name, None, worker.now))
        return False

    was_released = at_once(worker.finish, release)[1]
    assert worker.assignment.state == ("released" if was_released else "completed")


@pytest.mark.parametrize("_", range(FEW))
def test_a_unit_is_finished_or_its_submission_returned(study, _):
    worker = dora(study).come_to_the_end()
    account = PlatformAccount.objects.get(worker=worker.worker)
    over = {account.external_id: account.ids.get("SESSION_ID", "")}

    def give_back() -> bool:
        return bool(flow.end_submissions(study, account.platform, over, worker.now))

    ends = at_once(worker.finish, give_back, give_back)[1:]
    assert ends.count(True) <= 1
    assert worker.assignment.state == ("returned" if any(ends) else "completed")


@pytest.mark.parametrize("_", range(FEW))
def test_somebody_is_excluded_while_they_finish(study, _):
    """Whichever is first, their topic is evaluated anew, without them."""
    worker = ada(study).come_to_the_end()
    assert worker.worker
    at_once(worker.finish, lambda: exclude(worker.worker, "pasted", None))
    topic = study.topics.get()
    assert (worker.assignment.state, topic.revision) == ("completed", 2)
    assert not completed.judgments(topic.pk).assignments.size


@pytest.mark.parametrize("_", range(FEW))
def test_a_batch_is_added_twice_while_workers_come(transactional_db, _):
    study = make_study(redundancy=1)
    people = crowd(study, 5)

    def add():
        return add_batch(study, None, 1, None, number=1).pk

    *said, first, second = at_once(*(p.begin for p in people), add, add)
    assert first == second
    assert study.units.count() == 4
    assert set(said) <= {None, NoWork.LATER}
    assert sum(p.begin() is None for p in people) == 4  # who has a unit keeps it


# --- over the web -------------------------------------------------------------------------------
def test_two_tabs_with_one_cookie(transactional_db):
    study = make_study(minimum_seconds=0)
    address = f"/study/{study.slug}/"
    first = Client()
    first.get(address)

    def tab() -> Client:
        client = Client()
        client.cookies = first.cookies
        return client

    def press(action: str, path: str = address, **fields) -> None:
        def post() -> int:
            return tab().post(path, {"action": action, **fields}).status_code

        assert set(at_once(*[post] * 4)) == {302}
        assert broken() == []

    press("continue", page="welcome")
    assignment = Assignment.objects.get()
    press("continue", page=f"{assignment.token}:practice:0")
    for line, length in enumerate(assignment.lines, 1):
        press("next", page=f"{assignment.token}:practice:{line}", score=length)
    press("continue", page=f"{assignment.token}:instructions:3")
    assert Assignment.objects.get().state == "topic"
    answer = assignment.study_topic.options.index(assignment.study_topic.answer)
    shown = assignment.option_order.index(answer)
    press("continue", page=f"{assignment.token}:topic:0", answer=shown)
    person = ada(study)
    person.worker = Worker.objects.get()
    for position in range(1, 9):
        said = person.says(position)
        press(
            "next" if position < 8 else "finish",
            f"{address}{position}/",
            page=assignment.token,
            score=said.score_text,
            justification=said.justification,
        )
    assert Assignment.objects.get().state == "completed"
