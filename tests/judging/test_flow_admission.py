"""Who may begin a unit, and which."""

from collections import Counter
from datetime import timedelta

import pytest

from judging import flow
from judging.flow.admission import LINE_LENGTHS, RESUME_ALPHABET, Arrival, NoWork, admit
from judging.models import Assignment, Participant, PlatformAccount, Study, Unit, Worker
from judging.studies.conduct.closing import close_study
from tests.cast import Person, ben, crowd, dora
from tests.factory import NOON, later, make_study

CODE = {"platform": "prolific", "completion_code": "C1DONE"}
BONUS = {**CODE, "further_units": "bonus", "submission_minutes": 60}


def free(study: Study) -> int:
    return Unit.objects.filter(study=study, free=True).count()


def test_agreeing_reserves_a_unit_and_records_consent(study, worker):
    assert worker.begin() is None
    assignment = worker.assignment
    assert (assignment.state, assignment.position, assignment.furthest) == ("practice", 0, 0)
    assert (assignment.started_at, assignment.deadline_at) == (NOON, later(600))
    assert not assignment.unit.free
    assert assignment.payment == study.payment
    assert worker.worker.consented_at == NOON
    assert len(worker.worker.consent_version) == 16
    documents = assignment.unit.documents.values_list("pk", flat=True)
    assert sorted(assignment.order) == sorted(documents)
    assert sorted(assignment.option_order) == [0, 1, 2, 3]
    for line, (low, high) in zip(sorted(assignment.lines), LINE_LENGTHS, strict=True):
        assert low <= line <= high
    assert not PlatformAccount.objects.exists()
    worker.wait(60).begin()
    assert worker.assignment == assignment, "agreeing again keeps the unit"
    assert free(study) == 3


def test_orders_differ_from_worker_to_worker(db):
    study = make_study(documents=8, redundancy=40)
    for person in crowd(study, 40):
        person.begin()
    drawn = Assignment.objects.filter(study=study)
    assert len({tuple(a.order) for a in drawn}) > 35
    assert len({tuple(a.option_order) for a in drawn}) > 10
    shapes = {tuple(sorted(range(3), key=a.lines.__getitem__)) for a in drawn}
    assert len(shapes) >= 4  # of 6
    firsts = Counter(a.order[0] for a in drawn)
    assert max(firsts.values()) < 20  # no document is always first


def test_a_topics_chance_is_proportional_to_its_free_units(db):
    study = make_study(topics=2, documents=14, redundancy=6)  # 12 units each
    few = study.topics.order_by("topic__query_id").first()
    Unit.objects.filter(study_topic=few, number__gt=4).update(free=False)
    drawn = Counter()
    for person in crowd(study, 60):
        person.begin()
        drawn[person.assignment.study_topic_id] += 1
        person.leave()
    # 4 of 16: 15 expected, standard deviation 3.4; a uniform draw of topics would give 30.
    assert 1 < drawn[few.pk] < 28


def test_all_units_go_before_anybody_is_turned_away_and_what_returns_is_offered_again(study):
    *people, late = crowd(study, 5)
    assert [p.begin() for p in (*people, late)] == [None] * 4 + [NoWork.LATER]
    assert free(study) == 0
    assert len({p.assignment.unit_id for p in people}) == 4
    assert Worker.objects.filter(study=study).count() == 4, "who has no work is made no worker"
    people[0].leave()
    assert late.begin() is None
    assert late.assignment.unit == people[0].assignment.unit


def test_after_a_failed_practice_another_unit_even_on_the_same_topic(worker):
    had = {worker.fail("lines").assignment.unit_id for _ in range(4)}
    assert len(had) == 4
    assert worker.begin() == NoWork.FINAL  # free units there are, but they had them all


@pytest.mark.parametrize(
    "has_seen",
    [
        lambda worker: worker.fail("question"),
        lambda worker: worker.come_to_documents().leave(),
        Person.complete,
    ],
    ids=["fails the question", "leaves a document", "completes"],
)
def test_a_topic_is_barred(study, worker, has_seen):
    has_seen(worker)
    assert free(study) >= 3
    assert worker.begin() == NoWork.FINAL


@pytest.mark.parametrize("until", ["practice", "instructions", "topic"])
def test_a_topic_left_before_its_question_was_answered_is_not_barred(worker, until):
    worker.come_to(until).leave()
    had = worker.assignment.unit
    assert worker.begin() is None
    assert worker.assignment.unit != had


def test_the_next_unit_is_on_another_topic(db):
    worker = Person(make_study(topics=3))
    topics = set()
    for _ in range(3):
        topics.add(worker.come_to_documents().assignment.study_topic_id)
        worker.leave()
    assert len(topics) == 3
    assert worker.begin() == NoWork.FINAL


def test_no_more_units_than_the_setting_allows(db):
    study = make_study(topics=3, max_units_per_worker=2)
    worker = Person(study).fail("lines")  # failures do not count
    codes = [worker.complete(), worker.complete()]
    assert len(set(codes)) == 2
    assert worker.begin() == NoWork.FINAL
    # A withdrawn unit was paid, and counts.
    flow.withdraw(codes[0], worker.now)
    assert worker.begin() == NoWork.FINAL
    assert ben(study).begin() is None


def test_one_submission_pays_one_unit_and_a_bonus_is_begun_until_it_is_over(db):
    worker = dora(make_study(topics=2, **CODE))
    worker.complete()
    assert worker.begin() == NoWork.FINAL
    worker = dora(make_study(topics=2, **BONUS))
    code = worker.complete()
    worker.now = later(60 * 60 - 1)
    assert worker.begin() is None
    worker.leave()
    worker.now = later(60 * 60)
    assert worker.begin() == NoWork.FINAL
    worker.now = later(60 * 60 - 1)
    assert worker.complete() != code


def test_attempts_are_used_up_by_failures_alone(db):
    worker = Person(make_study(topics=3, attempts=2)).fail("lines")
    worker.begin()
    worker.leave()
    worker.fail("question")  # after one failure
    assert (worker.begin(), worker.current_page.no_work) == (NoWork.ATTEMPTS, NoWork.ATTEMPTS)
    assert ben(worker.study).begin() is None


def test_final_when_all_is_done_later_when_all_is_taken(db):
    study = make_study(documents=8, redundancy=1)  # one unit, which a visitor may hold
    first, second = Person(study), Person(study, "ben")
    first.come_to_the_end()
    assert second.begin() == NoWork.LATER
    first.finish()
    assert second.begin() == NoWork.FINAL
    flow.withdraw(first.assignment.completion_code, first.now)
    assert second.begin() is None


@pytest.mark.parametrize("practice", ["every unit", "once per worker"])
def test_later_although_one_open_topic_is_barred(db, practice):
    """What others hold on another topic may become free: this is no final answer."""
    study = make_study(topics=2, documents=8, redundancy=1, practice=practice)
    first, second = Person(study), Person(study, "ben", verified=True)
    first.complete()
    second.begin()  # the other topic's only unit
    assert first.begin() == NoWork.LATER
    second.leave()
    assert first.begin() is None, "who was paid, or need not practise, is not held up"


def test_a_draft_study_and_a_closed_one_admit_nobody(study, worker):
    assert Person(make_study(opened=False)).begin() == NoWork.CLOSED
    another = ben(study).come_to_the_end()
    close_study(study.slug)  # `study`, as a request had read it before, is open still
    assert study.stage == "open"
    assert worker.begin() == NoWork.CLOSED
    assert Person(Study.objects.get(pk=study.pk)).begin() == NoWork.CLOSED
    assert Worker.objects.filter(study=study).count() == 1
    another.finish()
    assert another.assignment.state == "completed", "who is in finishes"
    assert another.current_page.no_work == NoWork.CLOSED


# --- people or artificial workers -----------------------------------------------------------------
ROBOT = Arrival("robot", simulated=True)


def test_a_study_that_people_judge_takes_no_artificial_workers(study, worker):
    worker.begin()
    assert admit(study, ROBOT, NOON) == (None, NoWork.OTHERS)
    study.refresh_from_db()
    assert (study.crowd, study.mark) == ("people", "")


def test_a_study_that_artificial_workers_judge_takes_no_people(study, worker):
    robot, no_work = admit(study, ROBOT, NOON)
    assert (robot.simulated, no_work) == (True, None)
    assert worker.begin() == NoWork.OTHERS
    assert worker.current_page.step == "closed"
    study.refresh_from_db()
    assert (study.crowd, study.mark) == ("artificial", "simulated")


def test_only_a_demonstration_takes_both(db):
    study = make_study(demo=True, payment=0)
    assert Person(study).begin() is None
    assert admit(study, ROBOT, NOON)[1] is None
    study.refresh_from_db()
    assert (study.crowd, study.mark) == ("both", "demo")


# --- practice, every unit or once ---------------------------------------------------------------
def complete(worker: Person) -> None:
    worker.complete()


def practise(worker: Person) -> None:
    worker.come_to("instructions").leave()


def leave(worker: Person) -> None:
    worker.begin()
    worker.leave()


def fail_practice(worker: Person) -> None:
    worker.fail("lines")


def fail_question(worker: Person) -> None:
    worker.fail("question")


def expire(worker: Person) -> None:
    worker.begin()
    for _ in range(12):  # a minute at a time, as ticks do
        flow.expire_overdue(worker.wait(59).now)


def exhaust(worker: Person) -> None:
    worker.come_to_the_end(seconds=1).finish()


@pytest.mark.parametrize(
    ("practice", "sets", "begins_at"),
    [
        ("once per worker", [complete], "topic"),
        ("once per worker", [complete, fail_question], "topic"),
        ("once per worker", [complete, leave], "topic"),
        ("once per worker", [fail_practice], "practice"),
        ("once per worker", [leave], "practice"),
        ("once per worker", [expire], "practice"),
        ("once per worker", [practise], "instructions"),
        ("once per worker", [fail_question], "instructions"),
        ("once per worker", [exhaust], "instructions"),
        ("every unit", [complete], "practice"),
        ("every unit", [fail_question], "practice"),
    ],
)
def test_where_a_further_set_begins(db, practice, sets, begins_at):
    """Who has passed a set comes to the next topic at once, if practice is once a worker."""
    study = make_study(topics=4, redundancy=2, practice=practice, most_failed_finishes=1)
    worker = Person(study)
    for end in sets:
        end(worker)
        assert not worker.assignment.is_live
    assert worker.begin() is None
    assert (worker.assignment.state, worker.assignment.practice_step) == (begins_at, 0)
    assert worker.complete()


# --- participant platforms ----------------------------------------------------------------------
def test_a_platforms_id_is_one_worker_on_two_devices_of_one_platform_in_one_study(study):
    telephone, laptop = dora(study, "telephone"), dora(study, "laptop")
    telephone.begin()
    laptop.begin()
    assert laptop.worker == telephone.worker
    assert laptop.assignment == telephone.assignment
    there = dora(make_study(), "telephone")
    there.begin()
    assert there.worker != telephone.worker
    for platform, external_id in (("sona", "5f1e"), ("prolific", "77aa")):
        Person(study, external_id, NOON, platform, external_id, verified=True).begin()
    assert Worker.objects.filter(study=study).count() == 3
    assert PlatformAccount.objects.filter(study=study).count() == 3


def test_platform_ids_are_kept_apart_and_once(study):
    arrival = Arrival("p", "prolific", "5f1e", {"STUDY_ID": "s", "SESSION_ID": "t"})
    worker, _ = admit(study, arrival, NOON)
    account = worker.account
    assert (account.platform, account.external_id) == ("prolific", "5f1e")
    assert account.ids == {"STUDY_ID": "s", "SESSION_ID": "t"}
    assert "5f1e" not in str(worker.__dict__)


def test_a_worker_whose_id_was_deleted_goes_on_under_the_pseudonym(study):
    worker = dora(study)
    worker.begin()
    PlatformAccount.objects.all().delete()
    again = dora(study)
    again.begin()
    assert again.worker == worker.worker
    assert not PlatformAccount.objects.exists()  # and it is not taken down anew


# --- who may hold how many units before practice ------------------------------------------------
def test_visitors_hold_half_of_the_open_units_until_their_first_document(db):
    study = make_study(redundancy=4)  # 8 units
    visitors = crowd(study, 7, verified=False)
    assert [v.begin() for v in visitors[:5]] == [None] * 4 + [NoWork.LATER]
    assert visitors[5].current_page.step == "no-work"
    for step in (Person.practise, Person.read, Person.answer, lambda v: v.open(1)):
        for visitor in visitors[:4]:
            step(visitor)
        assert visitors[5].begin() == NoWork.LATER  # however far they come without a judgment
    visitors[0].wait(20).next(1)
    assert visitors[5].begin() == NoWork.LATER  # 7 are open, 3 of them held
    visitors[1].wait(20).next(1)
    assert visitors[5].begin() is None  # 6 are open, 2 of them were held
    assert visitors[6].begin() == NoWork.LATER
    assert Person(study, "known", verified=True).begin() is None


@pytest.mark.parametrize("practice", ["every unit", "once per worker"])
def test_who_has_practised_and_left_is_a_visitor_still(db, practice):
    study = make_study(redundancy=4, practice=practice)
    visitors = crowd(study, 8, verified=False)
    for visitor in visitors:
        if visitor.begin() is None:
            visitor.practise()
            visitor.leave()
    again = [visitor.begin() for visitor in visitors]
    assert again == [None] * 4 + [NoWork.LATER] * 4


def test_who_was_paid_is_no_visitor(db):
    study = make_study(topics=3, documents=8, redundancy=4)  # 12 units
    paid, *visitors = crowd(study, 7, verified=False)
    paid.complete()
    assert [visitor.begin() for visitor in visitors] == [None] * 5 + [NoWork.LATER]
    assert paid.begin() is None


@pytest.mark.parametrize(
    ("arrival", "is_verified"),
    [
        (Arrival("a", "sona", "1001"), True),  # on the list
        (Arrival("a", "prolific", "5f1e", verified=True), True),
        (Arrival("a", simulated=True), True),  # by a cookie that we signed
        (Arrival("a"), False),
        (Arrival("a", "sona", "1002"), False),
    ],
)
def test_who_is_verified(study, arrival, is_verified):
    Participant.objects.create(study=study, external_id="1001")
    worker, _ = admit(study, arrival, NOON)
    assert worker.verified is is_verified


def test_a_study_may_take_only_those_whom_a_platform_sends(db):
    study = make_study(entry="platforms")
    visitor = Person(study)
    assert visitor.begin() == NoWork.PLATFORM
    assert visitor.current_page.step == "closed"
    assert not Worker.objects.exists()
    sent = dora(study)
    assert sent.begin() is None
    PlatformAccount.objects.all().delete()  # on request: they may go on with their cookie
    sent.leave()
    assert Person(study, "dora").begin() is None


def test_resume_codes_differ_and_are_easy_to_read(study):
    codes = {admit(study, Arrival(f"{n}", verified=True), NOON)[0].resume_code for n in range(4)}
    assert len(codes) == 4
    assert all(len(code) == 10 and set(code) <= set(RESUME_ALPHABET) for code in codes)


# --- how long a unit is held ----------------------------------------------------------------------
def test_until_the_first_document_is_sent_a_unit_is_held_for_less_time(db):
    worker = Person(make_study(practice_minutes=5, expiry_minutes=30))
    worker.begin()
    for step in (Person.practise, Person.read, Person.answer, lambda w: w.open(1)):
        assert worker.assignment.deadline_at == later(300)
        step(worker)
    assert worker.assignment.deadline_at == later(300)
    worker.next(1)
    assert worker.assignment.deadline_at == later(1800)
    never_longer = Person(make_study(practice_minutes=50, expiry_minutes=30))
    never_longer.begin()
    assert never_longer.assignment.deadline_at == later(1800)


def keep(worker):
    return flow.renew_deadline(worker.unit.token, worker.now)


def reload(worker):
    worker.open(1)
    return worker.assignment.deadline_at


@pytest.mark.parametrize(
    ("until", "renew", "minutes"),
    [
        ("practice", keep, 5),
        ("instructions", keep, 5),
        ("topic", keep, 5),
        ("judging", keep, 5),
        ("judging", reload, 5),
        ("the end", keep, 30),
    ],
)
def test_without_progress_a_unit_is_not_kept_for_ever(db, until, renew, minutes):
    """WCAG 2.2.1: somebody who is slow can have the time renewed ten times."""
    worker = Person(make_study(practice_minutes=5, expiry_minutes=30))
    worker.come_to_the_end() if until == "the end" else worker.come_to(until)
    begin = worker.assignment.active_at
    for times in range(1, 14):
        worker.now = begin + times * timedelta(minutes=minutes - 1)
        until = renew(worker)
        assert until == begin + min(
            timedelta(minutes=times * (minutes - 1) + minutes), timedelta(minutes=11 * minutes)
        )


def test_progress_gives_all_of_the_time_anew(db):
    worker = Person(make_study(practice_minutes=5, expiry_minutes=30))
    worker.begin()
    for _ in range(12):
        keep(worker.wait(240))
    worker.practise()
    assert worker.assignment.deadline_at == later(12 * 240 + 300)
    assert keep(worker.wait(240)) == later(13 * 240 + 300)


def test_a_worker_may_ask_for_more_time(worker):
    worker.come_to_documents().judge_up_to(2, 0)
    token = worker.assignment.token
    assert flow.renew_deadline(token, later(400)) == later(400 + 3600)
    assert worker.assignment.deadline_at == later(400 + 3600)
    assert worker.assignment.active_at == later(400)
    worker.leave()
    assert flow.renew_deadline(token, later(500)) is None
