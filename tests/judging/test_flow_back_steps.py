"""Opening an earlier page, by Back, by URL or by the browser's history, is one back step."""

import pytest

from judging import flow
from judging.models import Study
from tests.cast import ada


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    return Study.objects.get(pk=study_for_all.pk)


def steps(person) -> tuple[int, int]:
    assignment = person.assignment
    return assignment.back_steps, assignment.revise_steps


@pytest.fixture
def at_5(judging):
    judging.judge_up_to(5)
    return judging


def test_going_forward_is_none(at_5):
    assert steps(at_5) == (0, 0)


def test_back_is_one(at_5):
    at_5.back(5)
    at_5.open(4)
    assert steps(at_5) == (1, 0)
    at_5.back(4)
    at_5.open(3)
    assert steps(at_5) == (2, 0)


def test_an_address_is_one_however_far_back(at_5):
    at_5.open(1)
    assert steps(at_5) == (1, 0)
    at_5.open(4)  # forward again
    at_5.open(5)
    assert steps(at_5) == (1, 0)
    at_5.open(2)
    assert steps(at_5) == (2, 0)


def test_a_reload_is_none(at_5):
    at_5.back(5)
    for _ in range(4):
        at_5.open(4)
    assert steps(at_5) == (1, 0)


def test_an_identical_repeated_back_is_none(at_5):
    at_5.back(5)
    at_5.back(5)
    at_5.open(4)
    at_5.back(5)
    assert steps(at_5) == (1, 0)


def test_an_identical_repeated_next_is_none(at_5):
    at_5.next(5)
    at_5.next(5)
    at_5.open(6)
    at_5.next(5)
    assert steps(at_5) == (0, 0)


def test_a_page_shown_from_the_browsers_memory_counts_when_its_form_comes(at_5):
    """The server never saw page 2 opened; its form shows that it was."""
    assert at_5.next(2).position == 3
    at_5.open(3)
    assert steps(at_5) == (1, 0)


def test_a_refused_form_is_none(at_5):
    at_5.next(5, "")
    at_5.open(5)
    assert steps(at_5) == (0, 0)


def test_a_page_out_of_reach_is_none(at_5):
    at_5.open(7)
    at_5.open(0)
    assert steps(at_5) == (0, 0)


def test_being_led_to_an_incomplete_page_is_none(judging):
    """Finish led there, not the worker."""
    judging.judge_up_to(8)
    judging.open(3)
    judging.back(3, "", "")
    judging.open(2)
    judging.open(8)
    before = steps(judging)
    assert judging.wait(20).finish().position == 3
    judging.open(3)
    assert steps(judging) == before == (2, 0)


# --- before and after the first Finish ----------------------------------------------------------
@pytest.fixture
def failed(study):
    """Ada, whose first Finish has failed, after one back step."""
    person = ada(study).come_to_the_end(seconds=1)
    person.back(8)
    person.open(7)
    person.next(7)
    person.open(8)
    person.finish()
    assert steps(person) == (1, 0)
    return person


def test_steps_after_the_first_finish_count_apart(failed):
    failed.resume()
    failed.open(8)
    assert steps(failed) == (1, 1)
    failed.back(8)
    failed.open(7)
    failed.open(2)
    assert steps(failed) == (1, 3)


def test_from_the_message_to_a_page_by_its_address(failed):
    failed.open(6)
    assert steps(failed) == (1, 1)


def test_back_from_the_message_twice_is_one(failed):
    failed.resume()
    failed.resume()
    failed.open(8)
    failed.open(8)
    assert steps(failed) == (1, 1)


def test_a_second_failed_finish_adds_none(failed):
    failed.resume()
    failed.open(8)
    failed.finish()
    assert failed.assignment.failed_finishes == 2
    assert steps(failed) == (1, 1)


def test_counts_stay_when_the_unit_is_completed(failed):
    failed.resume()
    for position in range(8, 0, -1):
        failed.open(position)
        failed.wait(20).back(position)
    failed.finish()
    assert failed.assignment.state == "completed"
    assert steps(failed) == (1, 8)


@pytest.mark.parametrize("end", ["leave", "expire"])
def test_counts_stay_when_it_ends_otherwise(failed, end):
    failed.resume()
    if end == "leave":
        failed.leave()
    else:
        flow.expire_overdue(failed.wait(3601).now)
    assert failed.assignment.finished_at
    assert steps(failed) == (1, 1)
