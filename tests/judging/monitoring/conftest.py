"""A study in which everything has happened, made once for all tests of a module."""

from collections.abc import Iterator

import pytest

from judging import flow
from judging.models import Assignment, Study
from judging.monitoring.watch import Watch
from judging.states import State
from tests.cast import Person
from tests.database import once_a_module, there_for_all
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete


@pytest.fixture(scope=once_a_module)
def study_for_all(django_db_setup, django_db_blocker) -> Iterator[Study]:
    """Sixteen units on four topics."""
    with there_for_all(django_db_blocker):
        yield make_study(topics=4)


@pytest.fixture(scope=once_a_module)
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
    ben = Person(study, "ben", scores={"h_k": "0.5"}).come_to_the_end(seconds=5)
    ben.do("finish, resume")
    ben.scores = {}
    for page in range(8, 0, -1):
        ben.do(f"open {page}, wait 20, back {page}")
    ben.do("open 8, finish")
    assert ben.assignment.state == State.COMPLETED
    Person(study, "carl").fail("lines")
    Person(study, "gail").fail("question")
    Person(study, "hugo").come_to_documents().do("open 1, wait 30, leave")
    Person(study, "ivy").begin()
    flow.expire_overdue(NOON)
    Assignment.objects.filter(worker__pseudonym="ivy").update(deadline_at=later(-60))
    flow.expire_overdue(later(1))
    Person(study, "eve", now=later(600)).come_to_documents()
    return study


@pytest.fixture
def watch(busy) -> Watch:
    return Watch(busy, later(1200))
