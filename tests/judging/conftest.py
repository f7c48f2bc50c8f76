"""What the tests of judging share."""

import pytest

from judging.models import Study
from tests.cast import Person, ada, ben
from tests.factory import make_study


@pytest.fixture
def study(db) -> Study:
    """An open study of one topic: 12 documents and two anchors, four units."""
    return make_study()


@pytest.fixture
def worker(study) -> Person:
    """Ada, who has not come yet."""
    return ada(study)


@pytest.fixture
def judging(worker) -> Person:
    """Ada, who has just come to her first document."""
    return worker.come_to_documents()


@pytest.fixture
def another(study) -> Person:
    """Ben, who has not come yet."""
    return ben(study)
