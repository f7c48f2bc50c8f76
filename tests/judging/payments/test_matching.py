"""A list as a platform gives it back names payments; what pays from a list is written for it."""

import csv

import pytest

from judging.models import Payment, Study
from judging.payments.matching import match_payments
from judging.payments.pay_lists import payment_list
from tests.cast import Person
from tests.factory import make_study
from tests.factory.completed import complete

pytestmark = pytest.mark.django_db
# The columns of Prolific's export of a study's submissions, as far as they matter here.
EXPORT = "Submission id,Participant id,Status,Completion code\n"


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def code(study: Study) -> str:
    return str(complete(study, "ada").assignment.completion_code)


def by_prolific(study: Study, name: str) -> Person:
    """Somebody whom Prolific sent, with a completed unit."""
    ids = {"SESSION_ID": f"session-{name}"}
    return complete(study, name, platform="prolific", external_id=f"pid-{name}", ids=ids)


@pytest.fixture
def two(study: Study) -> list[Person]:
    """Two people whom Prolific sent, each with a completed unit."""
    return [by_prolific(study, name) for name in ("dora", "dan")]


def workers_of(keys: list[int]) -> list[str]:
    rows = Payment.objects.filter(pk__in=keys).order_by("pk")
    return list(rows.values_list("assignment__worker__pseudonym", flat=True))


def test_codes_in_any_spelling_name_payments(study: Study, code: str, two: list[Person]) -> None:
    named = match_payments(study, f" {code.lower()}, FFFF\n{code}", sees_ids=False)
    assert (workers_of(named.payments), named.unknown) == (["ada"], ["FFFF"])


def test_the_rows_of_an_export_count_that_are_approved(study: Study, two: list[Person]) -> None:
    text = f"\ufeff{EXPORT}session-dora,pid-dora,APPROVED,C1\nsession-dan,pid-dan,RETURNED,\n"
    named = match_payments(study, text, sees_ids=True)
    assert (workers_of(named.payments), named.unknown) == (["dora"], [])
    assert match_payments(study, text, sees_ids=False) == ([], ["session-dora"])


def test_lists_of_bonuses_have_amounts_beside_ids(study: Study, two: list[Person]) -> None:
    named = match_payments(study, "pid-dora,2.50\npid-dan,1.00\n", sees_ids=True)
    assert (workers_of(named.payments), named.unknown) == (["dora", "dan"], [])


def test_a_list_is_written_as_the_platform_takes_it(
    study: Study, code: str, two: list[Person]
) -> None:
    assert payment_list(study, "prolific-approvals") == [("pid-dora",), ("pid-dan",)]
    last = two[1].assignment.payments.get()
    Payment.objects.filter(pk=last.pk).update(kind="bonus")
    assert payment_list(study, "prolific-approvals") == [("pid-dora",)]
    assert payment_list(study, "prolific-bonuses") == [("pid-dan", last.amount)]
    assert [row[3] for row in payment_list(study, platform="")] == [code]
    assert len(payment_list(study, state="paid")) == 0


def test_what_a_list_says_is_read_back(study: Study, code: str, two: list[Person]) -> None:
    rows = [["code", "state"], *([row[3], "paid"] for row in payment_list(study))]
    text = "\n".join(";".join(row) for row in csv.reader([",".join(row) for row in rows]))
    assert len(match_payments(study, text, sees_ids=False).payments) == 3
