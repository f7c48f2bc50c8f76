"""Browsers on their way through a study, and a clock that stands still between their steps."""

from collections.abc import Iterator
from typing import Any

import pytest

from judging.models import Study
from tests.database import once_a_module, there_for_all
from tests.factory import make_study
from tests.judging.browsing import Browser, stopped_clock


@pytest.fixture
def clock():
    with stopped_clock() as clock:
        yield clock


@pytest.fixture(scope=once_a_module)
def study_for_all(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        yield make_study(
            title="Lamps",
            consent="You take part freely.\n\nWe ask who you are not.",
            contact="rosa@example.org",
            ethics_approval="Board 17/4",
            retention_days=30,
        )


@pytest.fixture
def browser(study) -> Browser:
    return Browser(study)


@pytest.fixture
def judging(browser, clock) -> Browser:
    """On the first document."""
    browser.come_to_documents()
    return browser


@pytest.fixture
def failed(browser, clock) -> Browser:
    """After a Finish that failed for want of time."""
    browser.come_to("revise")
    return browser
