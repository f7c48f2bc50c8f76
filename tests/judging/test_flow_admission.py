"""Who may begin a unit, and which."""

from collections import Counter
from datetime import timedelta

import pytest

from judging import flow
from judging.flow.admission import LINE_LENGTHS, RESUME_ALPHABET, Arrival, NoWork, admit
from judging.models import Assignment, Participant, PlatformAccount, Study, Unit, Worker
from judging.studies.conduct.opening import close_study
from tests.cast import Person, crowd, dora
from tests.factory import NOON, later, make_study


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    return Study.objects.get(pk=study_for_all.pk)


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


def test_the_version_of_consent_changes_with_what_is_agreed_to(db):
    versions = set()
    for settings in (
        {},
        {"consent": "text"},
        {"contact": "text"},
        {"ethics_approval": "text"},
        {"retention_days": 30},
    ):
        person = Person(make_study(**settings))
        person.begin()
        versions.add(person.worker.consent_version)
    assert len(versions) == 5


def test_what_is_drawn_is_the_units_own(study, worker):
    worker.begin()
    assignment = worker.assignment
    documents = assignment.unit.documents.values_list("pk", flat=True)
    assert sorted(assignment.order) == sorted(documents)
    assert sorted(assignment.option_order) == [0, 1, 2, 3]
    assert [
        low <= n <= high
        for n, (low, high) in zip(sorted(assignment.lines), LINE_LENGTHS, strict=True)
    ]


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


def test_agreeing_again_keeps_the_unit(study, worker):
    worker.begin()
    first = worker.assignment
    worker.wait(60).begin()
    assert worker.assignment == first
    assert free(study) == 3


def test_a_topics_chance_is_proportional_to_its_free_units(db):
    study = make_study(topics=2, documents=14, redundancy=6)  # 12 units each
    few = study.topics.order_by("topic__query_id").first()
    Unit.objects.filter(study_topic=few, number__gt=4).update(free=False)
    drawn = Counter()
    for person in crowd(study, 100):
        person.begin()
        drawn[person.assignment.study_topic_id] += 1
        person.leave()
    # 4 of 16: 25 expected, standard deviation 4.3; a uniform draw of topics would give 50.
    assert 5 < drawn[few.pk] < 45


def test_all_units_go_before_anybody_is_turned_away(study):
    people = crowd(study, 6)
    assert [p.begin() for p in people] == [None] * 4 + [NoWork.LATER] * 2
    assert free(study) == 0
    held = Assignment.objects.filter(study=study).values_list("unit", flat=True)
    assert len(set(held)) == 4


def test_nobody_is_made_a_worker_where_there_is_no_work(study):
    for person in crowd(study, 5):
        person.begin()
    assert Worker.objects.filter(study=study).count() == 4


def test_a_unit_that_returns_is_offered_again(study):
    first, *others, last = crowd(study, 5)
    for person in (first, *others):
        person.begin()
    assert last.begin() == NoWork.LATER
    unit = first.assignment.unit
    first.leave()
    assert last.begin() is None
    assert last.assignment.unit == unit


def test_after_a_failed_practice_another_unit_even_on_the_same_topic(study, worker):
    had = set()
    for _ in range(4):
        assert worker.begin() is None
        had.add(worker.assignment.unit_id)
        worker.practise(1, 1, 1)
    assert len(had) == 4
    assert worker.begin() == NoWork.FINAL  # free units there are, but they had them all


@pytest.mark.parametrize("how", ["fails the question", "leaves a document", "completes"])
def test_a_topic_is_barred(study, worker, how):
    if how == "fails the question":
        worker.begin()
        worker.practise()
        worker.read()
        worker.answer("a wrong one")
        assert worker.assignment.state == "failed"
    elif how == "leaves a document":
        worker.come_to_documents().leave()
    else:
        worker.complete()
    assert free(study) >= 3
    assert worker.begin() == NoWork.FINAL


@pytest.mark.parametrize("until", ["practice", "instructions", "topic"])
def test_a_topic_left_before_its_question_was_answered_is_not_barred(study, worker, until):
    worker.begin()
    if until != "practice":
        worker.practise()
    if until == "topic":
        worker.read()
    had = worker.assignment.unit
    worker.leave()
    assert worker.begin() is None
    assert worker.assignment.unit != had


def test_the_next_unit_is_on_another_topic(db):
    study = make_study(topics=3)
    worker = Person(study)
    topics = []
    for _ in range(3):
        worker.complete()
        topics.append(worker.assignment.study_topic_id)
    assert len(set(topics)) == 3
    assert worker.begin() == NoWork.FINAL


def test_no_more_units_than_the_setting_allows(db):
    study = make_study(topics=3, max_units_per_worker=2)
    worker = Person(study)
    codes = [worker.complete(), worker.complete()]
    assert len(set(codes)) == 2
    assert worker.begin() == NoWork.FINAL
    # A withdrawn unit was paid, and counts.
    flow.withdraw(codes[0], worker.now)
    assert worker.begin() == NoWork.FINAL
    assert Person(study, "ben").begin() is None


def test_one_submission_pays_one_unit(db):
    codes = {"platform": "prolific", "completion_code": "C1DONE"}
    worker = dora(make_study(topics=2, **codes))
    worker.complete()
    assert worker.begin() == NoWork.FINAL
    bonus = {"further_units": "bonus", "submission_minutes": 60}
    worker = dora(make_study(topics=2, **codes, **bonus))
    assert worker.complete() != worker.complete()


def test_no_bonus_is_begun_when_the_submission_is_over(db):
    bonus = {"further_units": "bonus", "submission_minutes": 60}
    worker = dora(make_study(topics=2, **bonus))
    worker.complete()
    worker.now = later(60 * 60 - 1)
    assert worker.begin() is None
    worker.leave()
    worker.now = later(60 * 60)
    assert worker.begin() == NoWork.FINAL


def test_attempts_are_used_up_by_failures_alone(db):
    worker = Person(make_study(topics=3, attempts=2))
    worker.begin()
    worker.practise(1, 1, 1)
    worker.begin()
    worker.leave()
    assert worker.begin() is None  # after one failure
    worker.practise()
    worker.read()
    worker.answer("a wrong one")
    assert (worker.begin(), worker.current_page.no_work) == (NoWork.ATTEMPTS, NoWork.ATTEMPTS)
    assert Person(worker.study, "ben").begin() is None


def test_failures_do_not_count_as_units(db):
    worker = Person(make_study(topics=3, max_units_per_worker=1))
    worker.begin()
    worker.practise(1, 1, 1)
    worker.complete()
    assert worker.begin() == NoWork.FINAL


def test_final_when_all_is_done_later_when_all_is_taken(db):
    study = make_study(documents=8, redundancy=1)  # one unit
    first, second = crowd(study, 2)
    first.come_to_the_end()
    assert second.begin() == NoWork.LATER
    first.finish()
    assert second.begin() == NoWork.FINAL
    flow.withdraw(first.assignment.completion_code, first.now)
    assert second.begin() is None


def test_later_although_one_open_topic_is_barred(db):
    """What others hold on another topic may become free: this is no final answer."""
    study = make_study(topics=2, documents=8, redundancy=1)
    first, second = crowd(study, 2)
    first.complete()
    second.begin()  # the other topic's only unit
    assert first.begin() == NoWork.LATER
    second.leave()
    assert first.begin() is None


def test_a_draft_study_and_a_closed_one_admit_nobody(db):
    study = make_study(opened=False)
    assert Person(study).begin() == NoWork.CLOSED
    study = make_study()
    ada = Person(study)
    ada.begin()
    close_study(study.slug)
    assert Person(Study.objects.get(pk=study.pk), "ben").begin() == NoWork.CLOSED
    assert Worker.objects.filter(study=study).count() == 1


def test_closing_counts_for_a_request_that_began_before(study, worker):
    close_study(study.slug)  # `study`, as the request had read it, is open still
    assert study.stage == "open"
    assert worker.begin() == NoWork.CLOSED
    assert not Assignment.objects.filter(study=study).exists()


def test_live_assignments_of_a_closed_study_may_be_finished(study, worker):
    worker.come_to_the_end()
    close_study(study.slug)
    worker.finish()
    assert worker.assignment.state == "completed"
    assert worker.current_page.no_work == NoWork.CLOSED


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
def test_practice_once_a_worker(db):
    study = make_study(topics=3, practice="once per worker")
    worker = Person(study)
    worker.begin()
    assert worker.assignment.state == "practice"
    worker.practise()
    worker.leave()
    worker.begin()
    assert worker.assignment.state == "instructions"
    other = Person(study, "ben")
    other.begin()
    assert other.assignment.state == "practice"


def complete(worker: Person) -> None:
    if worker.assignment.state == "practice":
        worker.practise()
    worker.read()
    worker.answer()
    worker.judge_up_to(8).wait(20).finish()


def fail_practice(worker: Person) -> None:
    worker.practise(1, 1, 1)


def fail_question(worker: Person) -> None:
    if worker.assignment.state == "practice":
        worker.practise()
    worker.read()
    worker.answer("no")


def expire(worker: Person) -> None:
    for _ in range(12):  # a minute at a time, as ticks do
        flow.expire_overdue(worker.wait(59).now)


def exhaust(worker: Person) -> None:
    worker.practise()
    worker.read()
    worker.answer()
    worker.judge_up_to(8, seconds=1).finish()


@pytest.mark.parametrize(
    ("practice", "sets", "begins_at"),
    [
        ("once per worker", [complete], "topic"),
        ("once per worker", [complete, fail_question], "topic"),
        ("once per worker", [complete, Person.leave], "topic"),
        ("once per worker", [fail_practice], "practice"),
        ("once per worker", [Person.leave], "practice"),
        ("once per worker", [expire], "practice"),
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
        assert worker.begin() is None
        end(worker)
        assert not worker.assignment.is_live
    assert worker.begin() is None
    assert (worker.assignment.state, worker.assignment.practice_step) == (begins_at, 0)
    complete(worker)
    assert worker.assignment.state == "completed"


# --- participant platforms ----------------------------------------------------------------------
def test_a_platforms_id_is_one_worker_on_two_devices(study):
    telephone, laptop = dora(study, "telephone"), dora(study, "laptop")
    telephone.begin()
    laptop.begin()
    assert laptop.worker == telephone.worker
    assert laptop.assignment == telephone.assignment
    assert Worker.objects.filter(study=study).count() == 1


def test_the_same_id_on_another_platform_is_another_worker(study):
    dora(study).begin()
    Person(study, "x", platform="sona", external_id="5f1e").begin()
    assert Worker.objects.filter(study=study).count() == 2


def test_the_same_id_in_another_study_is_another_worker(db):
    here, there = dora(make_study()), dora(make_study())
    here.begin()
    there.begin()
    assert here.worker != there.worker


def test_another_id_in_the_same_browser_is_another_worker(study):
    dora(study, "one browser").begin()
    Person(study, "a new pseudonym", platform="prolific", external_id="77aa").begin()
    assert PlatformAccount.objects.filter(study=study).count() == 2


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


def test_without_a_platform_there_is_no_account(study, worker):
    worker.begin()
    assert not PlatformAccount.objects.exists()


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


def test_a_visitor_may_hold_the_only_unit(db):
    study = make_study(documents=8, redundancy=1)
    assert Person(study).begin() is None
    assert Person(study, "ben").begin() == NoWork.LATER


def test_who_need_not_practise_is_not_held_up(db):
    study = make_study(topics=2, documents=8, redundancy=1, practice="once per worker")
    worker = Person(study)
    worker.complete()
    assert worker.begin() is None


@pytest.mark.parametrize(
    "arrival",
    [
        Arrival("a", "sona", "1001"),  # on the list
        Arrival("a", "prolific", "5f1e", verified=True),
        Arrival("a", simulated=True),  # by a cookie that we signed
    ],
)
def test_who_is_verified(study, arrival):
    Participant.objects.create(study=study, external_id="1001")
    worker, _ = admit(study, arrival, NOON)
    assert worker.verified


@pytest.mark.parametrize("arrival", [Arrival("a"), Arrival("a", "sona", "1002")])
def test_who_is_not(study, arrival):
    Participant.objects.create(study=study, external_id="1001")
    worker, _ = admit(study, arrival, NOON)
    assert not worker.verified


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
    people = crowd(study, 4)
    for person in people:
        person.begin()
    codes = {person.worker.resume_code for person in people}
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


def keep(worker):
    return flow.renew_deadline(worker.unit.token, worker.now)


def reload(worker):
    worker.open(1)
    return worker.assignment.deadline_at


@pytest.mark.parametrize(
    ("steps", "renew", "minutes"),
    [
        ([], keep, 5),
        ([Person.practise], keep, 5),
        ([Person.practise, Person.read], keep, 5),
        ([Person.practise, Person.read, Person.answer], keep, 5),
        ([Person.practise, Person.read, Person.answer], reload, 5),
        ([Person.come_to_the_end], keep, 30),
    ],
)
def test_without_progress_a_unit_is_not_kept_for_ever(db, steps, renew, minutes):
    """WCAG 2.2.1: somebody who is slow can have the time renewed ten times."""
    worker = Person(make_study(practice_minutes=5, expiry_minutes=30))
    if steps != [Person.come_to_the_end]:
        worker.begin()
    for step in steps:
        step(worker)
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
        worker.wait(240)
        keep(worker)
    worker.practise()
    assert worker.assignment.deadline_at == later(12 * 240 + 300)
    assert keep(worker.wait(240)) == later(13 * 240 + 300)


def test_practice_is_never_held_longer_than_the_rest(db):
    worker = Person(make_study(practice_minutes=50, expiry_minutes=30))
    worker.begin()
    assert worker.assignment.deadline_at == later(1800)


@pytest.mark.parametrize(("until", "seconds"), [("practice", 600), ("documents", 3600)])
def test_a_worker_may_ask_for_more_time(study, worker, until, seconds):
    worker.come_to_documents().judge_up_to(2, 0) if until == "documents" else worker.begin()
    token = worker.assignment.token
    assert flow.renew_deadline(token, later(400)) == later(400 + seconds)
    assert worker.assignment.deadline_at == later(400 + seconds)
    assert worker.assignment.active_at == later(400)
    worker.leave()
    assert flow.renew_deadline(token, later(500)) is None
