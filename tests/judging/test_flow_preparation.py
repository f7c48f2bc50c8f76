"""Practice with check (a), the instructions, the question with check (b)."""

from itertools import permutations

import pytest

from judging import checks, flow
from judging.flow import NoWork
from judging.models import CheckFailure
from tests.cast import Person, ada
from tests.factory import NOON, OPTIONS, later, make_study


def failures(person: Person) -> list[tuple[str, int]]:
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
    ("seconds", "minimum", "verdict"),
    [
        ([20] * 8, 20, True),
        ([20] * 7 + [19.999], 20, False),
        ([0] + [60] * 7, 20, False),
        ([100] * 8, 20, True),
        ([0.0] * 8, 0, True),
    ],
)
def test_time_on_every_document(seconds, minimum, verdict):
    assert checks.time_on_every_document(seconds, minimum) is verdict


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
def test_check_a_fails(worker, scores):
    worker.begin()
    given = list(scores or [300 - length for length in worker.assignment.lines])
    worker.practise(*given)
    assignment = worker.assignment
    assert (assignment.state, assignment.line_scores) == ("failed", given)  # to be shown
    assert failures(worker) == [("lines", 1)]
    assert (assignment.barred, assignment.finished_at) == (False, NOON)
    assert assignment.unit.free


def test_lines_cannot_be_answered_before_the_text_was_read_nor_twice(worker):
    worker.begin()
    token = worker.assignment.token
    for line in (0, 1):
        flow.practise(token, line, 5, NOON)
    assert (worker.assignment.practice_step, worker.assignment.line_scores) == (0, [])
    for _ in range(2):
        flow.start_practice(token, NOON)
    for line in (1, 1, 1, 3):
        flow.practise(token, line, 7, NOON)
    flow.start_practice(token, NOON)
    assert (worker.assignment.practice_step, worker.assignment.line_scores) == (2, [7])


def test_no_step_is_taken_before_its_time_or_twice(worker):
    worker.begin()
    for move in (worker.read, worker.answer):
        move()
        assert worker.assignment.state == "practice"
    worker.practise()
    worker.answer()
    assert worker.assignment.state == "instructions"
    for _ in range(2):
        worker.read()
        assert worker.assignment.state == "topic"
    for option in (OPTIONS[0], "a wrong one"):
        worker.answer(option)
        assert worker.assignment.state == "judging"


# --- the question -------------------------------------------------------------------------------
def test_the_right_option_opens_the_first_document(worker):
    worker.come_to("topic").answer(OPTIONS[0])
    assignment = worker.assignment
    assert (assignment.state, assignment.position, assignment.furthest) == ("judging", 1, 1)
    assert assignment.barred
    assert failures(worker) == []


@pytest.mark.parametrize("option", [*OPTIONS[1:], "", "the right one "])
def test_check_b_fails(worker, option):
    worker.come_to("topic").answer(option)
    assignment = worker.assignment
    assert (assignment.state, assignment.barred, assignment.furthest) == ("failed", True, 0)
    assert failures(worker) == [("question", 1)]
    assert assignment.unit.free


@pytest.fixture
def asked_twice(db) -> Person:
    return ada(make_study(question_tries=2)).come_to("topic")


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
    for option, attempt in (("a wrong one", 1), ("a wrong one", 1), (None, 1), (None, 3)):
        asked_twice.answer(option, attempt)
    assert (asked_twice.assignment.state, failures(asked_twice)) == ("topic", [("question", 1)])


def test_nobody_gets_more_tries_by_leaving(asked_twice):
    asked_twice.answer("a wrong one")
    asked_twice.leave()
    assert asked_twice.begin() == NoWork.FINAL  # there is no other topic


def test_every_step_is_activity(worker):
    worker.begin()
    token, lines = worker.assignment.token, worker.assignment.lines

    def practise(line: int) -> None:
        flow.practise(token, line, lines[line - 1], worker.now)

    steps = [
        lambda: flow.start_practice(token, worker.now),
        *(lambda line=line: practise(line) for line in (1, 2, 3)),
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
