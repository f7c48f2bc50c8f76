"""Practice with check (a), the instructions, the question with check (b)."""

from itertools import permutations

import pytest

from judging import checks, flow
from judging.flow import NoWork
from judging.models import CheckFailure, Study
from tests.cast import ada
from tests.factory import NOON, OPTIONS, later, make_study


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    return Study.objects.get(pk=study_for_all.pk)


def failures(person) -> list[tuple[str, int]]:
    found = CheckFailure.objects.filter(assignment=person.assignment)
    return list(found.order_by("check_name").values_list("check_name", "attempt"))


# --- the checks, with plain values --------------------------------------------------------------
@pytest.mark.parametrize("lengths", list(permutations((40, 120, 240))))
def test_lines_in_order_whatever_order_they_were_shown_in(lengths):
    assert checks.lines_in_order(lengths, [length / 7 for length in lengths])
    assert not checks.lines_in_order(lengths, [-length for length in lengths])


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ((1, 2, 3), True),
        ((1, 2, 2), False),
        ((1, 1, 2), False),
        ((2, 2, 2), False),
        ((1, 3, 2), False),
        ((3, 2, 1), False),
        ((1e-300, 2e-300, 1e300), True),
        ((0.1 + 0.2, 0.3, 1), False),
    ],
)
def test_scores_rise_strictly_with_the_lines(scores, verdict):
    assert checks.lines_in_order((40, 120, 240), scores) is verdict


def test_one_score_for_each_line():
    with pytest.raises(ValueError, match="zip"):
        checks.lines_in_order((1, 2, 3), (1, 2))


@pytest.mark.parametrize(
    ("h_k", "n_k", "verdict"), [(2, 1, True), (1, 1, False), (1, 2, False), (1e-9, 1e-10, True)]
)
def test_anchors_in_order_strictly(h_k, n_k, verdict):
    assert checks.anchors_in_order(h_k, n_k) is verdict


@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [([20] * 8, True), ([20] * 7 + [19.999], False), ([0] + [60] * 7, False), ([100] * 8, True)],
)
def test_time_on_every_document(seconds, verdict):
    assert checks.time_on_every_document(seconds, 20) is verdict


def test_no_minimum_asks_for_no_time():
    assert checks.time_on_every_document([0.0] * 8, 0)


# --- practice -----------------------------------------------------------------------------------
def test_text_then_three_lines_then_the_instructions(worker):
    worker.begin()
    token = worker.assignment.token
    flow.start_practice(token, worker.wait(5).now)
    assert worker.assignment.practice_step == 1
    for line, length in enumerate(worker.assignment.lines, 1):
        assert worker.assignment.practice_step == line
        flow.practise(token, line, length, worker.wait(5).now)
    assert worker.assignment.state == "instructions"
    assert worker.assignment.line_scores == worker.assignment.lines  # to be shown there
    worker.read()
    assert (worker.assignment.state, worker.assignment.line_scores) == ("topic", [])
    assert failures(worker) == []


@pytest.mark.parametrize("scores", [(3, 3, 3), None])
def test_check_a_fails(study, worker, scores):
    worker.begin()
    lines = worker.assignment.lines
    worker.practise(*(scores or [300 - length for length in lines]))
    assignment = worker.assignment
    given = list(scores or [300 - length for length in lines])
    assert (assignment.state, assignment.line_scores) == ("failed", given)  # to be shown
    assert failures(worker) == [("lines", 1)]
    assert (assignment.barred, assignment.finished_at) == (False, NOON)
    assert assignment.unit.free


def test_lines_cannot_be_answered_before_the_text_was_read(worker):
    worker.begin()
    flow.practise(worker.assignment.token, 0, 5, NOON)
    flow.practise(worker.assignment.token, 1, 5, NOON)
    assert (worker.assignment.practice_step, worker.assignment.line_scores) == (0, [])


def test_a_repeated_line_changes_nothing(worker):
    worker.begin()
    token = worker.assignment.token
    flow.start_practice(token, NOON)
    flow.start_practice(token, NOON)
    for _ in range(3):
        flow.practise(token, 1, 7, NOON)
    flow.practise(token, 3, 7, NOON)
    flow.start_practice(token, NOON)
    assert (worker.assignment.practice_step, worker.assignment.line_scores) == (2, [7])


def test_instructions_once(worker):
    worker.begin()
    flow.read_instructions(worker.assignment.token, NOON)
    assert worker.assignment.state == "practice"
    worker.practise()
    worker.read()
    worker.read()
    assert worker.assignment.state == "topic"


# --- the question -------------------------------------------------------------------------------
@pytest.fixture
def asked(worker):
    worker.begin()
    worker.practise()
    worker.read()
    return worker


def test_the_right_option_opens_the_first_document(asked):
    asked.answer(OPTIONS[0])
    assignment = asked.assignment
    assert (assignment.state, assignment.position, assignment.furthest) == ("judging", 1, 1)
    assert assignment.barred
    assert failures(asked) == []


@pytest.mark.parametrize("option", [*OPTIONS[1:], "", "the right one "])
def test_check_b_fails(asked, option):
    asked.answer(option)
    assignment = asked.assignment
    assert (assignment.state, assignment.barred, assignment.furthest) == ("failed", True, 0)
    assert failures(asked) == [("question", 1)]
    assert assignment.unit.free


def test_a_second_answer_changes_nothing(asked):
    asked.answer()
    asked.answer("a wrong one")
    assert asked.assignment.state == "judging"


@pytest.fixture
def asked_twice(db):
    person = ada(make_study(question_tries=2))
    person.begin()
    person.practise()
    person.read()
    return person


def test_a_wrong_answer_is_recorded_and_the_question_asked_again(asked_twice):
    before = asked_twice.assignment
    asked_twice.wait(600).answer("a wrong one")
    after = asked_twice.assignment
    assert (after.state, after.wrong_answers, after.barred) == ("topic", 1, True)
    assert after.option_order == before.option_order
    assert after.deadline_at == later(600 + 600)  # until the first document is sent
    assert failures(asked_twice) == [("question", 1)]
    asked_twice.answer()
    assert (asked_twice.assignment.state, asked_twice.assignment.furthest) == ("judging", 1)


def test_the_last_wrong_answer_ends_the_assignment(asked_twice):
    asked_twice.answer("a wrong one")
    asked_twice.answer("another wrong one")
    assert (asked_twice.assignment.state, asked_twice.assignment.wrong_answers) == ("failed", 2)
    assert failures(asked_twice) == [("question", 1), ("question", 2)]
    assert asked_twice.assignment.unit.free


def test_the_same_wrong_answer_sent_twice_is_one(asked_twice):
    asked_twice.answer("a wrong one", attempt=1)
    asked_twice.answer("a wrong one", attempt=1)
    asked_twice.answer(attempt=1)
    asked_twice.answer(attempt=3)
    assert (asked_twice.assignment.state, failures(asked_twice)) == ("topic", [("question", 1)])


def test_nobody_gets_more_tries_by_leaving(asked_twice):
    asked_twice.answer("a wrong one")
    asked_twice.leave()
    assert asked_twice.begin() == NoWork.FINAL  # there is no other topic


def test_nobody_answers_before_reading(worker):
    worker.begin()
    worker.answer()
    worker.practise()
    worker.answer()
    assert worker.assignment.state == "instructions"


def test_every_step_is_activity(worker):
    worker.begin()
    token = worker.assignment.token
    steps = [
        lambda: flow.start_practice(token, worker.now),
        *(
            lambda line=line: flow.practise(
                token, line, worker.assignment.lines[line - 1], worker.now
            )
            for line in (1, 2, 3)
        ),
        worker.read,
        worker.answer,
    ]
    for count, step in enumerate(steps, 1):
        worker.wait(600)
        step()
        assert worker.assignment.active_at == later(600 * count)
        assert worker.assignment.deadline_at == later(600 * count + 600)


def test_an_unknown_token_does_nothing(db):
    for verb in (flow.start_practice, flow.read_instructions, flow.resume_revision, flow.leave):
        assert not verb("no such token", NOON)
    flow.practise("no such token", 1, 1, NOON)
    flow.answer("no such token", OPTIONS[0], NOON)
