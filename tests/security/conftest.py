"""A study to attack."""

import pytest

from tests.factory import make_study
from tests.judging.browsing import stopped_clock


@pytest.fixture
def clock():
    with stopped_clock() as clock:
        yield clock


@pytest.fixture
def study(db):
    return make_study()
