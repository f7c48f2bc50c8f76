"""Opening an earlier page, by Back, by URL or by the browser's history, is one back step."""

import pytest

from judging import flow
from tests.cast import Person, ada


def counts(person: Person) -> tuple[int, int]:
    """Steps back before, and after the first Finish."""
    assignment = person.assignment
    return assignment.back_steps, assignment.revise_steps


@pytest.mark.parametrize(
    ("steps", "back_steps"),
    [
        pytest.param("open 5", 0, id="going forward is none"),
        pytest.param("back 5, open 4", 1, id="Back is one"),
        pytest.param("back 5, open 4, back 4, open 3", 2, id="Back twice is two"),
        pytest.param("open 1", 1, id="an address is one however far back"),
        pytest.param("open 1, open 4, open 5", 1, id="forward again is none"),
        pytest.param("open 1, open 4, open 5, open 2", 2, id="and back by an address again is one"),
        pytest.param("back 5, open 4, open 4, open 4", 1, id="a reload is none"),
        pytest.param("back 5, back 5, open 4, back 5", 1, id="an identical repeated Back is none"),
        pytest.param("next 5, next 5, open 6, next 5", 0, id="an identical repeated Next is none"),
        # The server never saw page 2 opened; its form shows that it was.
        pytest.param("next 2, open 3", 1, id="a page from the browser's memory is one by its form"),
        pytest.param("next 5 -, open 5", 0, id="a refused form is none"),
        pytest.param("open 7, open 0", 0, id="a page out of reach is none"),
    ],
)
def test_each_step_to_an_earlier_page_counts_once(judging, steps, back_steps):
    judging.judge_up_to(5).do(steps)
    assert counts(judging) == (back_steps, 0)


def test_being_led_to_an_incomplete_page_is_none(judging):
    """Finish led there, not the worker."""
    judging.judge_up_to(8).do("open 3, back 3 -, open 2, open 8, wait 20")
    assert judging.finish().position == 3
    judging.open(3)
    assert counts(judging) == (2, 0)


# --- before and after the first Finish ----------------------------------------------------------
@pytest.fixture
def failed(study):
    """Ada, whose first Finish has failed, after one back step."""
    person = ada(study).come_to_the_end(seconds=1)
    person.do("back 8, open 7, next 7, open 8, finish")
    assert counts(person) == (1, 0)
    return person


@pytest.mark.parametrize(
    ("steps", "revise_steps"),
    [
        pytest.param("resume, open 8", 1, id="from the message by its button is one"),
        pytest.param("resume, open 8, back 8, open 7, open 2", 3, id="each is one"),
        pytest.param("open 6", 1, id="from the message by an address is one"),
        pytest.param("resume, resume, open 8, open 8", 1, id="twice from the message is one"),
        pytest.param("resume, open 8, finish", 1, id="a second failed Finish adds none"),
        pytest.param("resume, leave", 1, id="leaving keeps them"),
    ],
)
def test_steps_after_the_first_finish_count_apart(failed, steps, revise_steps):
    failed.do(steps)
    assert failed.assignment.failed_finishes == 1 + ("finish" in steps)
    assert bool(failed.assignment.finished_at) == ("leave" in steps)
    assert counts(failed) == (1, revise_steps)


def test_counts_stay_when_the_unit_is_completed(failed):
    failed.resume()
    for page in range(8, 0, -1):
        failed.do(f"open {page}, wait 20, back {page}")
    failed.finish()
    assert failed.assignment.state == "completed"
    assert counts(failed) == (1, 8)


def test_counts_stay_when_it_expires(failed):
    failed.resume()
    flow.expire_overdue(failed.wait(3601).now)
    assert failed.assignment.state == "expired"
    assert counts(failed) == (1, 1)
