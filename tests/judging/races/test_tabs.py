"""One worker in many tabs, and one form sent many times at once."""

import random
from collections.abc import Callable

import pytest
from django.test import Client

from judging import flow
from judging.flow.admission import NoWork
from judging.models import (
    Assignment,
    CheckFailure,
    Judgment,
    PlatformAccount,
    StudyTopic,
    Unit,
    Visit,
    Worker,
)
from tests.cast import ada, carl, dora
from tests.database import at_once
from tests.factory import NOON, SCALES, make_study
from tests.judging.invariants import broken
from tests.judging.races.racing import FEW, ROUNDS, rounds_of

pytestmark = pytest.mark.django_db(transaction=True)


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


@pytest.mark.parametrize("most", [None, 1])
def test_starting_again_in_many_tabs(most):
    study = make_study(topics=4, max_units_per_worker=most)
    ada(study).complete()
    tabs = [ada(study) for _ in range(8)]
    assert at_once(*(tab.begin for tab in tabs)) == [NoWork.FINAL if most else None] * 8
    states = Assignment.objects.values_list("state", flat=True).order_by("pk")
    assert [*states] == ["completed", "practice"][: 1 if most else 2]


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
def test_a_finish_that_fails_pressed_many_times_at_once_is_one_try(scale):
    person = carl(make_study(**scale))
    token = person.assignment.token
    for _ in rounds_of(FEW):
        at_once(*[lambda: person.finish(token=token)] * 5)
        assert person.assignment.failed_finishes == 1
        assert CheckFailure.objects.filter(assignment=person.assignment).count() == 1


def test_a_right_and_a_wrong_answer_at_once():
    person = ada(make_study()).come_to("topic")
    for _ in rounds_of(ROUNDS):
        at_once(person.answer, lambda: person.answer("a wrong one"))
        assert person.assignment.state in ("judging", "failed")
        assert broken() == []


def test_the_same_wrong_answer_twice_at_once():
    person = ada(make_study(question_tries=2)).come_to("topic")
    for _ in rounds_of(ROUNDS):
        at_once(*[lambda: person.answer("a wrong one", attempt=1)] * 2)
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


def test_two_tabs_with_one_cookie():
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
