"""A study to attack."""

from collections.abc import Iterator

import pytest

from judging.models import Study
from tests.factory import make_study
from tests.judging.browsing import Clock, stopped_clock


@pytest.fixture
def clock() -> Iterator[Clock]:
    with stopped_clock() as clock:
        yield clock


@pytest.fixture
def study(db: None) -> Study:
    return make_study()
