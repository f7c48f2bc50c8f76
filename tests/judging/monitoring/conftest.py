"""A study in which everything has happened, made once for all tests of a module."""

from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from judging import flow
from judging.models import Assignment, Study
from judging.monitoring.watch import Watch
from judging.states import State
from tests.cast import Person
from tests.database import there_for_all
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete


@pytest.fixture
def study(db) -> Study:
    """Sixteen units on four topics."""
    return make_study(topics=4)


@pytest.fixture(scope="module")
def busy_for_all(django_db_setup, django_db_blocker) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        yield busy_study()


@pytest.fixture
def busy(busy_for_all, db) -> Study:
    """One of each fate. Ada completes. Ben fails (c) and (d), then completes. Carl fails the
    lines, Gail the question, Hugo leaves at his first document, Ivy expires, Eve is at work."""
    return Study.objects.get(pk=busy_for_all.pk)


def busy_study() -> Study:
    study = make_study(topics=4)
    complete(study, "ada")
    ben = Person(study, "ben").come_to_documents()
    h_k = ben.position_of("h_k")
    ben.judge_up_to(8, seconds=5, scores={h_k: "0.5"}).wait(5)
    ben.finish(8, *(["0.5"] if h_k == 8 else []))
    ben.resume()
    for position in range(8, 0, -1):
        ben.open(position)
        ben.wait(20)
        ben.back(position)
    ben.open(8)
    ben.finish(8)
    assert ben.assignment.state == State.COMPLETED
    carl, gail, hugo, ivy = (Person(study, name) for name in ("carl", "gail", "hugo", "ivy"))
    carl.begin()
    carl.practise(1, 1, 1)
    gail.begin()
    gail.practise()
    gail.read()
    gail.answer("a wrong one")
    hugo.come_to_documents().open(1)
    hugo.wait(30).leave()
    ivy.begin()
    flow.expire_overdue(NOON)
    Assignment.objects.filter(worker__pseudonym="ivy").update(deadline_at=later(-60))
    flow.expire_overdue(later(1))
    Person(study, "eve", now=later(600)).come_to_documents()
    return study


@pytest.fixture
def watch(busy) -> Watch:
    return Watch(busy, later(1200))


@pytest.fixture
def desk(db) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_user("rita", is_superuser=True))
    return client
