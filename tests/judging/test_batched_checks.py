"""Check constraints asked together say what Django says, which asks for each."""

import pytest
from django.core.exceptions import ValidationError
from django.db import models

from judging.models import Study
from tests.factory import make_study

WRONG = {
    "one": ({"expiry_minutes": 0}, 1),
    "two": ({"expiry_minutes": 0, "practice_minutes": -1}, 2),
    "a list": ({"scale": "graded", "levels": ["only one"]}, 1),
    "stages": ({"stage": "closed"}, 1),
    "a reference": ({"rehearsal_of_id": 1, "payment": 1}, 1),
}


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


def test_one_statement_asks_for_all(study: Study, django_assert_num_queries) -> None:
    with django_assert_num_queries(3):  # and a savepoint, set and released
        study.validate_constraints()


@pytest.mark.parametrize(("values", "count"), WRONG.values(), ids=WRONG)
def test_each_that_does_not_hold_is_said(study: Study, values: dict, count: int) -> None:
    for name, value in values.items():
        setattr(study, name, value)
    with pytest.raises(ValidationError) as said:
        study.validate_constraints()
    with pytest.raises(ValidationError) as django_says:
        models.Model.validate_constraints(study)
    assert said.value.message_dict == django_says.value.message_dict
    assert sum(map(len, said.value.message_dict.values())) == count


def test_what_is_said_of_fields_that_are_left_out_waits(study: Study) -> None:
    study.expiry_minutes = 0
    study.validate_constraints(exclude={"expiry_minutes"})
    study.redundancy = 0
    with pytest.raises(ValidationError, match="redundancy: a whole number from 1 to 500"):
        study.validate_constraints(exclude={"expiry_minutes"})
