"""What people are owed is written down with their code, and the team decides on it once."""

from decimal import Decimal
from typing import Any

import pytest

from accounts.models import User
from judging import flow
from judging.models import Payment, Study, TrailEntry
from judging.payments.decisions import approve, mark_paid, owe_again, refuse, set_question
from judging.payments.sums import Share, sums
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.exclusion import exclude
from judging.studies.conduct.stages import CannotRun
from judging.studies.retention import purge_accounts
from tests.cast import carl
from tests.factory import later, make_study
from tests.factory.completed import complete

pytestmark = pytest.mark.django_db
LONG_WORDS = "Every reason is the same line of dots, on all eight documents of the unit. " * 2


@pytest.fixture
def study() -> Study:
    return make_study(retention_days=1)


@pytest.fixture
def payment(study: Study) -> Payment:
    """What Dora, who comes from Prolific, is owed for a unit."""
    complete(study, "dora", platform="prolific", external_id="5f1e")
    return Payment.objects.get()


def states() -> list[str]:
    return list(Payment.objects.order_by("pk").values_list("state", flat=True))


def test_a_code_is_owed_what_was_promised(study: Study, payment: Payment) -> None:
    assert (payment.kind, payment.amount, payment.currency) == ("base", Decimal("1.00"), "USD")
    assert (payment.state, payment.state_at) == ("owed", payment.assignment.finished_at)


@pytest.mark.parametrize(
    ("settings", "is_owed"),
    [({}, True), ({"pay_after_limit": False}, False), ({"payment": 0}, False)],
)
def test_an_attempt_that_used_up_its_finishes_is_owed_what_the_study_pays(
    settings: dict[str, Any], is_owed: bool
) -> None:
    carl(make_study(most_failed_finishes=1, **settings)).finish()
    assert Payment.objects.count() == is_owed


def test_nothing_that_excludes_data_touches_pay(study: Study, payment: Payment) -> None:
    before = Payment.objects.values().get()
    assignment = payment.assignment
    flow.withdraw(assignment.completion_code or "", later(900))
    exclude(assignment.worker, "Answers of a machine.", None)
    close_study(study.slug)
    Study.objects.update(closed_at=later(0))
    assert purge_accounts(later(3 * 24 * 3600)) == 1
    assert Payment.objects.values().get() == before


def test_payments_are_decided_on_once(study: Study, payment: Payment) -> None:
    complete(study, "ada")
    keys, by = list(Payment.objects.values_list("pk", flat=True)), User.objects.create_user("rita")
    assert [approve(study, [payment.pk], by) for _ in range(2)] == [1, 0]
    assert mark_paid(study, keys, by) == 2
    assert [decide(study, keys, by) for decide in (mark_paid, approve, owe_again)] == [0] * 3
    with pytest.raises(CannotRun, match="paid already"):
        refuse(study, payment.pk, "LOW_EFFORT", LONG_WORDS, None)
    assert states() == ["paid", "paid"]
    assert [*TrailEntry.objects.filter(by=by).order_by("pk").values_list("action", "details")] == [
        ("approved payments", {"number": 1}),
        ("marked payments as paid", {"number": 2}),
    ]


def test_payments_of_another_study_stay(payment: Payment) -> None:
    other = make_study()
    assert approve(other, [payment.pk], None) == 0
    with pytest.raises(CannotRun, match="no such payment"):
        refuse(other, payment.pk, "LOW_EFFORT", LONG_WORDS, None)
    assert states() == ["owed"]


@pytest.mark.parametrize(
    "category", ["TOO_QUICKLY", "TOO_SLOWLY", "FAILED_CHECK", "", "low effort"]
)
def test_neither_checks_nor_speed_are_a_reason_to_refuse(
    study: Study, payment: Payment, category: str
) -> None:
    with pytest.raises(CannotRun, match="expected one of LOW_EFFORT"):
        refuse(study, payment.pk, category, LONG_WORDS, None)
    assert states() == ["owed"]


def test_a_refusal_says_why_at_the_length_that_the_platform_asks_for(
    study: Study, payment: Payment
) -> None:
    with pytest.raises(CannotRun, match="100 to 1,000 characters; it has 7"):
        refuse(study, payment.pk, "LOW_EFFORT", "Machine", None)
    for _ in range(2):
        refused = refuse(study, payment.pk, "LOW_EFFORT", LONG_WORDS, None)
        decided = (refused.state, refused.category, refused.reason)
        assert decided == ("refused", "LOW_EFFORT", LONG_WORDS.strip())
    with pytest.raises(CannotRun, match="refused already"):
        refuse(study, payment.pk, "OTHER", LONG_WORDS, None)
    payment.refresh_from_db()
    assert payment.category == "LOW_EFFORT"
    assert TrailEntry.objects.filter(action="refused a payment").count() == 1
    assert mark_paid(study, [payment.pk], None) == 0
    assert owe_again(study, [payment.pk], None) == 1
    owed = Payment.objects.values_list("state", "category", "reason").get()
    assert owed == ("owed", "", "")


def test_what_a_platform_tells_otherwise_is_asked_until_somebody_decides(
    study: Study, payment: Payment
) -> None:
    asked = "Returned on Prolific, and completed here."
    set_question(payment, asked)
    assert Payment.objects.values_list("state", "question").get() == ("owed", asked)
    approve(study, [payment.pk], None)
    assert Payment.objects.get().question == ""


def test_sums_are_by_platform_and_state(study: Study, payment: Payment) -> None:
    for name in ("ada", "ben"):
        complete(study, name)
    mark_paid(study, [payment.pk], None)
    nobody, prolific = sums(study)
    assert (nobody.platform, nobody.is_open) == ("", True)
    assert nobody.by_state["owed"] == Share(2, Decimal("2.00"))
    assert (prolific.platform, prolific.is_open) == ("prolific", False)
    assert prolific.by_state["paid"] == Share(1, Decimal("1.00"))
