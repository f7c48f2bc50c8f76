"""Finish: checks (c) and (d), revising, completing."""

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
from tests.cast import Person, ada, ben, carl
from tests.factory import make_study

MISORDERED = {"h_k": "1", "n_k": "2"}  # fails check (c)


def failures(person: Person) -> list[tuple[int, str]]:
    found = CheckFailure.objects.filter(assignment=person.assignment)
    return list(found.order_by("attempt", "check_name").values_list("attempt", "check_name"))


def at_the_end(study: Study, seconds: float = 20, **scores: str) -> Person:
    return ada(study, **scores).come_to_the_end(seconds)


def failed(study: Study, seconds: float = 20, **scores: str) -> Person:
    """Ada, whose first Finish has failed."""
    person = at_the_end(study, seconds, **scores)
    person.finish()
    assert person.assignment.state == "revising"
    return person


def revision(person: Person) -> int:
    return StudyTopic.objects.get(pk=person.assignment.study_topic_id).revision


# --- passing ------------------------------------------------------------------------------------
def test_both_checks_pass_at_exactly_the_minimum(study):
    person = at_the_end(study, seconds=20)
    token = person.assignment.token
    result = person.finish()
    assert (result.position, result.errors, result.finished) == (None, {}, True)
    assignment = person.assignment
    assert (assignment.state, assignment.finished_at) == ("completed", person.now)
    assert assignment.seconds == [20] * 8
    assert (assignment.failed_finishes, assignment.furthest) == (0, 8)
    assert len(assignment.completion_code) == 10
    assert failures(person) == []
    assert not assignment.unit.free
    kept = Judgment.objects.filter(assignment=assignment).order_by("position")
    assert [j.position for j in kept] == list(range(1, 9))
    assert [j.document_id for j in kept] == assignment.order
    assert all(j.score and j.first_score == j.score and j.justification for j in kept)
    assert all(j.score_at_failure is None for j in kept)
    assert all(v.closed_at for v in Visit.objects.filter(assignment=assignment))
    # Pressed again after it has passed nothing changes.
    count = revision(person)
    again = person.wait(1).finish(token=token)
    assert (again.position, again.finished) == (None, False)
    assert person.assignment.completion_code == assignment.completion_code
    assert revision(person) == count


def test_other_documents_may_have_any_scores_and_the_minimum_may_be_zero(db):
    person = at_the_end(make_study(minimum_seconds=0), 0, h_k="2", n_k="1.9999", other="1000000")
    person.finish()
    assert person.assignment.state == "completed"


def test_codes_differ(db):
    study = make_study(unit_size=4, documents=4, redundancy=12)
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


# --- failing ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("h_k", "n_k"), [("1", "1"), ("0.5", "1/2"), ("1", "2")])
def test_check_c_fails(study, h_k, n_k):
    assert failures(failed(study, h_k=h_k, n_k=n_k)) == [(1, "anchors")]


@pytest.mark.parametrize("hurried", [1, 4, 8])
def test_check_d_fails_wherever(study, hurried):
    person = ada(study).come_to_documents()
    for page in range(1, 9):
        seconds = 19.9 if page == hurried else 20
        person.do(f"open {page}, wait {seconds}, {'next' if page < 8 else 'finish'} {page}")
    assert person.assignment.state == "revising"
    assert failures(person) == [(1, "time")]


@pytest.mark.parametrize(
    ("scores", "seconds", "fails"),
    [
        (MISORDERED, 20, ["anchors"]),
        ({}, 3, ["time"]),
        (MISORDERED, 3, ["anchors", "time"]),
    ],
)
def test_each_check_is_a_record_and_the_answer_is_the_same_whichever_failed(
    study, scores, seconds, fails
):
    person = at_the_end(study, seconds, **scores)
    result = person.finish()
    assert (result.position, result.errors, result.finished) == (None, {}, True)
    assert person.current_page.step == "revise"
    assignment = person.assignment
    assert (assignment.position, assignment.furthest, assignment.failed_finishes) == (9, 8, 1)
    assert (assignment.seconds, assignment.finished_at, assignment.completion_code) == (None,) * 3
    assert failures(person) == [(1, name) for name in fails]
    assert set(CheckFailure.objects.values_list("at", "assignment")) == {
        (person.now, assignment.pk)
    }
    # Nothing is lost, and no topic is evaluated anew.
    assert Judgment.objects.filter(assignment=assignment, score__gt=0).count() == 8
    assert Visit.objects.filter(assignment=assignment, closed_at=None).count() == 0
    assert revision(person) == 0


def test_the_same_finish_twice_is_one_try(study):
    """A double click: the second finds them at the message already."""
    person = failed(study, seconds=1)
    person.do("finish, finish")
    assert person.assignment.failed_finishes == 1
    assert failures(person) == [(1, "time")]
    assert person.current_page.step == "revise"


def test_a_changed_form_from_the_browsers_memory_is_another_try(study):
    """They went back from the message without the server's knowing, and corrected the page."""
    person = failed(study, **MISORDERED)
    person.finish(person.position_of("h_k"), "3")
    assert person.assignment.state == "completed"


def test_tries_are_counted(study):
    person = failed(study, 3, **MISORDERED)
    h_k = person.position_of("h_k")
    person.do(f"resume, open 8, finish, resume, open {h_k}, wait 17, finish {h_k} 9")
    assert person.assignment.failed_finishes == 3
    assert failures(person) == [
        *((1, "anchors"), (1, "time"), (2, "anchors"), (2, "time"), (3, "time")),
    ]


# --- revising -----------------------------------------------------------------------------------
def test_back_from_the_message_opens_the_last_page_and_every_page_has_finish(study):
    person = at_the_end(study, seconds=1)
    assert [person.open(n).can_finish for n in range(1, 9)] == [False] * 7 + [True]
    person.do("finish, wait 60, resume")
    assert (person.assignment.position, person.current_page.step) == (8, "document")
    assert person.assignment.active_at == person.now
    assert all(person.open(n).can_finish for n in range(1, 9))


@pytest.mark.parametrize("position", [1, 5, 8])
def test_time_adds_up_over_revisions_and_finish_is_pressed_on_any_page(study, position):
    person = failed(study, seconds=12)
    for page in range(1, 9):
        person.do(f"open {page}, wait 8")
    person.open(position)
    assert person.finish(position).finished
    assert person.assignment.state == "completed"
    assert person.assignment.seconds == [20] * 8


def test_the_time_at_the_message_counts_for_no_page(study):
    person = failed(study, seconds=19)
    person.do("wait 600, resume, open 8, wait 1, finish")
    assert person.assignment.state == "revising"
    assert sum((v.closed_at - v.opened_at).total_seconds() for v in Visit.objects.all()) == 153


def test_scores_at_the_first_failure_are_kept(study):
    person = failed(study, **MISORDERED)
    position = person.position_of("h_k")
    person.scores["h_k"] = "1.5"
    person.do(f"open {position}, next {position}, open 8, finish, open {position}")
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
    result = person.do("open 8, wait 20, finish")
    assert (result.position, result.finished) == (3, False)
    assert person.assignment.position == 3
    assert flow.page_errors(person.open(3)).keys() == {"score"}
    assert (person.assignment.failed_finishes, failures(person)) == (0, [])
    assert person.do("next 3, open 8, finish").position == 6
    person.do("open 6, next 6, open 8, finish")
    assert person.assignment.state == "completed"


def test_time_goes_on_at_the_page_they_are_led_to(study):
    person = at_the_end(study, seconds=10)
    person.do("open 3, back 3 -, open 8, wait 5, finish, open 3, wait 10, next 3, leave")
    assert person.assignment.seconds == [10, 10, 20, 10, 10, 10, 10, 15]


def test_a_revision_that_takes_a_score_away_must_be_completed(study):
    person = failed(study, seconds=1)
    assert person.do("open 5, back 5 -, open 4, finish 4").position == 5
    assert person.assignment.failed_finishes == 1


# --- a limit of tries -----------------------------------------------------------------------------
@pytest.mark.parametrize("is_paid", [True, False])
def test_the_last_finish_allowed_ends_the_attempt(db, is_paid):
    study = make_study(most_failed_finishes=2, pay_after_limit=is_paid, payment=3)
    person = failed(study, **MISORDERED)
    person.do("resume, open 8, finish")
    ended = person.assignment
    assert (ended.state, ended.failed_finishes, ended.finished_at) == ("exhausted", 2, person.now)
    assert failures(person) == [(1, "anchors"), (2, "anchors")]
    assert (ended.completion_code is not None) is is_paid
    assert ended.judgments.count() == len(ended.seconds) == 8
    assert (ended.unit.free, revision(person)) == (True, 0)
    assert person.current_page.step == "failed"
    assert person.begin() == NoWork.FINAL  # the topic was seen
    assert Assignment.objects.paid().count() == is_paid
    assert pay(study).total == (3 * 1.2 if is_paid else 0)


@pytest.mark.parametrize(
    ("settings", "most"), [({}, 3), ({"most_failed_finishes": 5}, 5), ({"platform": ""}, None)]
)
def test_on_a_platform_presses_are_limited_and_the_last_is_paid(db, settings, most):
    sends = {"platform": "prolific", "completion_code": "CODE1", "pay_after_limit": True}
    person = carl(make_study(**(settings if "platform" in settings else sends | settings)))
    for _ in range(most or 6):
        person.do("finish, resume, open 8")
    assert (person.assignment.state == "exhausted") is (most is not None)
    assert bool(person.assignment.completion_code) is (most is not None)


def test_what_is_kept_of_an_exhausted_attempt_is_withdrawn_alone(db):
    study = make_study(documents=8, redundancy=1, most_failed_finishes=1)
    person, other = at_the_end(study, **MISORDERED), ben(study)
    person.finish()
    other.begin()
    code = person.assignment.completion_code
    assert flow.withdraw(code, person.now) == person.assignment
    assert (person.assignment.state, person.assignment.judgments.count()) == ("exhausted", 0)
    assert flow.withdraw(code, person.now) is None
    assert not other.assignment.unit.free


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
    person = at_the_end(study, **MISORDERED)
    person.finish()
    if draft:
        person.do(f"resume, open 8, next 8 {draft}")
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
