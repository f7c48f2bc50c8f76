"""Finish: checks (c) and (d), revising, completing."""

from itertools import product

import pytest

from judging import flow
from judging.flow import NoWork
from judging.models import (
    Assignment,
    CheckFailure,
    Judgment,
    Payment,
    Study,
    StudyTopic,
    Visit,
)
from judging.studies.table_one import pay, table1
from tests.cast import Person, ada
from tests.factory import make_study


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    return Study.objects.get(pk=study_for_all.pk)


def failures(person) -> list[tuple[int, str]]:
    found = CheckFailure.objects.filter(assignment=person.assignment)
    return list(found.order_by("attempt", "check_name").values_list("attempt", "check_name"))


def at_the_end(study, *, h_k="100", n_k="1", other="10", seconds=20.0) -> Person:
    """Ada on her last page, all judged by role."""
    person = ada(study).come_to_documents()
    given = {"h_k": h_k, "n_k": n_k, "other": other}
    scores = {n: given[person.unit.roles[n - 1]] for n in range(1, 9)}
    person.judge_up_to(8, seconds, scores).wait(seconds)
    person.last_score = scores[8]
    return person


def press(person: Person) -> None:
    person.finish(8, person.last_score)


def revision(person: Person) -> int:
    return StudyTopic.objects.get(pk=person.assignment.study_topic_id).revision


# --- passing ------------------------------------------------------------------------------------
def test_both_checks_pass(study):
    person = at_the_end(study)
    result = person.finish()
    assert (result.position, result.errors, result.finished) == (None, {}, True)
    assignment = person.assignment
    assert (assignment.state, assignment.finished_at) == ("completed", person.now)
    assert assignment.seconds == [20] * 8
    assert (assignment.failed_finishes, assignment.furthest) == (0, 8)
    assert len(assignment.completion_code) == 10
    assert failures(person) == []
    assert not assignment.unit.free


def test_what_a_completed_unit_keeps(study):
    person = at_the_end(study)
    press(person)
    assignment = person.assignment
    kept = Judgment.objects.filter(assignment=assignment).order_by("position")
    assert [j.position for j in kept] == list(range(1, 9))
    assert [j.document_id for j in kept] == assignment.order
    assert all(j.score and j.first_score == j.score and j.justification for j in kept)
    assert all(j.score_at_failure is None for j in kept)
    assert all(v.closed_at for v in Visit.objects.filter(assignment=assignment))


def test_exactly_the_minimum_is_enough(study):
    person = at_the_end(study, seconds=20)
    press(person)
    assert person.assignment.state == "completed"


def test_other_documents_may_have_any_scores(study):
    person = at_the_end(study, h_k="2", n_k="1.9999", other="1000000")
    press(person)
    assert person.assignment.state == "completed"


def test_codes_differ(db):
    study = make_study(documents=8, redundancy=12)
    codes = {Person(study, f"w{n}").complete() for n in range(12)}
    assert len(codes) == 12


def test_a_completed_unit_raises_its_topics_revision_alone(db):
    study = make_study(topics=2)
    person = ada(study)
    person.complete()
    topic = person.assignment.study_topic_id
    assert {t.pk: t.revision for t in study.topics.all()} == {
        t.pk: int(t.pk == topic) for t in study.topics.all()
    }


def test_a_failed_finish_raises_no_revision(study):
    person = at_the_end(study, seconds=1)
    press(person)
    assert revision(person) == 0


def test_pressed_again_after_it_passed_nothing_changes(study):
    person = at_the_end(study)
    token = person.assignment.token
    person.finish()
    code, count = person.assignment.completion_code, revision(person)
    again = person.wait(1).finish(token=token)
    assert (again.position, again.finished) == (None, False)
    assert (person.assignment.completion_code, revision(person)) == (code, count)


def test_a_minimum_of_zero(db):
    person = at_the_end(make_study(minimum_seconds=0), seconds=0)
    press(person)
    assert person.assignment.state == "completed"


# --- failing ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("h_k", "n_k"), [("1", "1"), ("0.5", "1/2"), ("1", "2")])
def test_check_c_fails(study, h_k, n_k):
    person = at_the_end(study, h_k=h_k, n_k=n_k)
    press(person)
    assert person.assignment.state == "revising"
    assert failures(person) == [(1, "anchors")]


@pytest.mark.parametrize("hurried", [1, 4, 8])
def test_check_d_fails_wherever(study, hurried):
    person = ada(study).come_to_documents()
    for position in range(1, 9):
        person.open(position)
        person.wait(19.9 if position == hurried else 20)
        person.finish() if position == 8 else person.next(position)
    assert person.assignment.state == "revising"
    assert failures(person) == [(1, "time")]


def test_both_are_computed_and_each_is_a_record(study):
    person = at_the_end(study, h_k="1", n_k="2", seconds=3)
    press(person)
    assert failures(person) == [(1, "anchors"), (1, "time")]
    record = CheckFailure.objects.filter(check_name="time").get()
    assert record.at == person.now
    assert record.assignment == person.assignment


@pytest.mark.parametrize(
    "settings",
    [
        {"h_k": "1", "n_k": "2"},
        {"seconds": 3},
        {"h_k": "1", "n_k": "2", "seconds": 3},
    ],
)
def test_the_answer_is_the_same_whichever_failed(study, settings):
    person = at_the_end(study, **settings)
    result = person.finish(8, person.last_score)
    assert (result.position, result.errors, result.finished) == (None, {}, True)
    assert person.current_page.step == "revise"
    assignment = person.assignment
    assert (assignment.position, assignment.furthest, assignment.failed_finishes) == (9, 8, 1)
    assert (assignment.seconds, assignment.finished_at, assignment.completion_code) == (None,) * 3


def test_nothing_is_lost_by_a_failed_finish(study):
    person = at_the_end(study, seconds=1)
    press(person)
    assert Judgment.objects.filter(assignment=person.assignment, score__gt=0).count() == 8
    assert Visit.objects.filter(assignment=person.assignment, closed_at=None).count() == 0


def test_the_same_finish_twice_is_one_try(study):
    """A double click: the second finds them at the message already."""
    person = at_the_end(study, seconds=1)
    for _ in range(3):
        press(person)
    assert person.assignment.failed_finishes == 1
    assert failures(person) == [(1, "time")]
    assert person.current_page.step == "revise"


def test_a_changed_form_from_the_browsers_memory_is_another_try(study):
    """They went back from the message without the server's knowing, and corrected the page."""
    person = at_the_end(study, h_k="1", n_k="2")
    press(person)
    person.finish(person.position_of("h_k"), "3")
    assert person.assignment.state == "completed"


def test_tries_are_counted(study):
    person = at_the_end(study, h_k="1", n_k="2", seconds=3)
    press(person)
    person.resume()
    person.open(8)
    press(person)
    person.resume()
    person.open(person.position_of("h_k"))
    person.wait(17).finish(person.position_of("h_k"), "9")
    assert person.assignment.failed_finishes == 3
    assert failures(person) == [
        *((1, "anchors"), (1, "time"), (2, "anchors"), (2, "time"), (3, "time")),
    ]


# --- revising -----------------------------------------------------------------------------------
def test_back_from_the_message_opens_the_last_page(study):
    person = at_the_end(study, seconds=1)
    press(person)
    person.wait(60).resume()
    assert (person.assignment.position, person.current_page.step) == (8, "document")
    assert person.assignment.active_at == person.now


def test_while_revising_every_page_has_finish(study):
    person = at_the_end(study, seconds=1)
    assert [person.open(n).can_finish for n in range(1, 9)] == [False] * 7 + [True]
    press(person)
    person.resume()
    assert all(person.open(n).can_finish for n in range(1, 9))


@pytest.mark.parametrize("position", range(1, 9))
def test_finish_from_any_page_while_revising(study, position):
    person = at_the_end(study, seconds=1)
    press(person)
    for page in range(1, 9):
        person.open(page)
        person.wait(19)
    person.open(position)
    assert person.finish(position).finished
    assert person.assignment.state == "completed"


def test_time_adds_up_over_revisions(study):
    person = at_the_end(study, seconds=12)
    press(person)
    for page in range(8, 0, -1):
        person.open(page)
        person.wait(8)
    person.finish(1)
    assert person.assignment.state == "completed"
    assert person.assignment.seconds == [20] * 8


def test_the_time_at_the_message_counts_for_no_page(study):
    person = at_the_end(study, seconds=19)
    press(person)
    person.wait(600).resume()
    person.open(8)
    person.wait(1).finish()
    assert person.assignment.state == "revising"
    assert sum((v.closed_at - v.opened_at).total_seconds() for v in Visit.objects.all()) == 153


def test_scores_at_the_first_failure_are_kept(study):
    person = at_the_end(study, h_k="1", n_k="2")
    press(person)
    position = person.position_of("h_k")
    person.open(position)
    person.next(position, "1.5")
    person.open(8)
    press(person) if position != 8 else person.finish(8, "1.5")
    person.open(position)
    person.finish(position, "30")
    judgment = Judgment.objects.get(assignment=person.assignment, position=position)
    assert person.assignment.state == "completed"
    assert (judgment.first_score, judgment.score_at_failure, judgment.score) == (1, 1, 30)
    others = Judgment.objects.exclude(pk=judgment.pk)
    assert all(j.score_at_failure == j.score == j.first_score for j in others)


# --- what is missing ----------------------------------------------------------------------------
@pytest.mark.parametrize(("score", "words"), [("", "because"), ("5", ""), ("x", "because")])
def test_finish_wants_its_own_page_complete(study, score, words):
    person = at_the_end(study)
    result = person.finish(8, score, words)
    assert result.position == 8
    assert result.errors
    assert (person.assignment.state, person.assignment.failed_finishes) == ("judging", 0)
    assert person.open(8).score_text == score


def test_finish_validates_all_pages_and_leads_to_the_first_that_is_incomplete(study):
    person = at_the_end(study)
    for position in (6, 3):
        person.open(position)
        person.back(position, "", "later")
    person.open(8)
    result = person.wait(20).finish()
    assert (result.position, result.finished) == (3, False)
    assert person.assignment.position == 3
    assert flow.page_errors(person.open(3)).keys() == {"score"}
    assert (person.assignment.failed_finishes, failures(person)) == (0, [])
    person.next(3)
    person.open(8)
    assert person.finish().position == 6
    person.open(6)
    person.next(6)
    person.open(8)
    person.finish()
    assert person.assignment.state == "completed"


def test_time_goes_on_at_the_page_they_are_led_to(study):
    person = at_the_end(study, seconds=10)
    person.open(3)
    person.back(3, "", "")
    person.open(8)
    person.wait(5).finish()
    person.open(3)
    person.wait(10).next(3)
    person.leave()
    assert person.assignment.seconds == [10, 10, 20, 10, 10, 10, 10, 15]


def test_a_revision_that_takes_a_score_away_must_be_completed(study):
    person = at_the_end(study, seconds=1)
    press(person)
    person.open(5)
    person.back(5, "", "")
    person.open(4)
    assert person.finish(4).position == 5
    assert person.assignment.failed_finishes == 1


# --- every combination, at once -----------------------------------------------------------------
@pytest.mark.parametrize(("fails_c", "fails_d"), list(product([False, True], repeat=2)))
def test_each_verdict_is_that_of_its_own_check(study, fails_c, fails_d):
    person = at_the_end(study, h_k="1" if fails_c else "3", n_k="2", seconds=1 if fails_d else 30)
    press(person)
    wanted = ["anchors"] * fails_c + ["time"] * fails_d
    assert [name for _, name in failures(person)] == wanted
    state = "revising" if wanted else "completed"
    assert Assignment.objects.get().state == state


# --- a limit of tries -----------------------------------------------------------------------------
@pytest.mark.parametrize("is_paid", [True, False])
def test_the_last_finish_allowed_ends_the_attempt(db, is_paid):
    study = make_study(most_failed_finishes=2, pay_after_limit=is_paid)
    person = at_the_end(study, h_k="1", n_k="2")
    press(person)
    assert person.assignment.state == "revising"
    person.resume()
    person.open(8)
    press(person)
    ended = person.assignment
    assert (ended.state, ended.failed_finishes, ended.finished_at) == ("exhausted", 2, person.now)
    assert failures(person) == [(1, "anchors"), (2, "anchors")]
    assert (ended.completion_code is not None) is is_paid
    assert ended.judgments.count() == len(ended.seconds) == 8
    assert (ended.unit.free, revision(person)) == (True, 0)
    assert person.current_page.step == "failed"
    assert person.begin() == NoWork.FINAL  # the topic was seen


def test_what_is_kept_of_an_exhausted_attempt_is_withdrawn_alone(db):
    study = make_study(documents=8, redundancy=1, most_failed_finishes=1)
    person = at_the_end(study, h_k="1", n_k="2")
    press(person)
    other = Person(study, "ben")
    other.begin()
    code = person.assignment.completion_code
    assert flow.withdraw(code, person.now) == person.assignment
    assert (person.assignment.state, person.assignment.judgments.count()) == ("exhausted", 0)
    assert flow.withdraw(code, person.now) is None
    assert not other.assignment.unit.free


@pytest.mark.parametrize("is_paid", [True, False])
def test_an_exhausted_attempt_is_in_the_payments_if_it_is_paid(db, is_paid):
    study = make_study(most_failed_finishes=1, pay_after_limit=is_paid, payment=3)
    press(at_the_end(study, h_k="1", n_k="2"))
    assert Assignment.objects.paid().count() == is_paid
    assert pay(study).total == (3 * 1.2 if is_paid else 0)


@pytest.mark.parametrize(
    ("platform", "ends", "draft", "is_paid"),
    [
        ("prolific", "leave", "", True),
        ("prolific", "limit", "", True),
        ("prolific", "leave", "none", False),
        ("", "leave", "", False),
    ],
)
def test_leaving_after_a_failed_finish_is_paid_on_a_platform(db, platform, ends, draft, is_paid):
    """As reaching the limit is; a draft that is newer leaves a page unanswered."""
    sends = {"platform": platform, "completion_code": "CODE1"} if platform else {}
    study = make_study(payment=3, most_failed_finishes=1 + (ends == "leave"), **sends)
    person = at_the_end(study, h_k="1", n_k="2")
    press(person)
    if draft:
        person.resume()
        person.open(8)
        person.next(8, draft)
    if ends == "leave":
        assert person.leave()
        assert not person.leave()
    ended = person.assignment
    assert ended.state == ("exhausted" if is_paid else "left")
    assert bool(ended.completion_code) is is_paid
    assert [payment.amount for payment in Payment.objects.all()] == [3] * is_paid
    assert (ended.unit.free, revision(person)) == (True, 0)
    assert ended.judgments.count() == len(ended.seconds) * is_paid
    (row,) = table1(study)
    assert (row["completed"], row["paid_not_counted"]) == (0, is_paid)
    assert person.current_page.step == ("failed" if is_paid else "left")
