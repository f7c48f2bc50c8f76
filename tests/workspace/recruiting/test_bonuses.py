"""Money: submissions approved, bonuses paid once, whatever breaks between."""

from datetime import timedelta
from decimal import Decimal

import pytest

from judging.models import Payment
from tests.doubles.prolific import Prolific
from tests.workspace.recruiting.conftest import comes
from web import clock
from workspace.models import ProlificBonus, ProlificStudy
from workspace.recruiting import bonuses, reviewing, spending
from workspace.recruiting.faults import CannotRecruit, Refused, Unreachable
from workspace.recruiting.spending import committed
from workspace.recruiting.sync import INTERVAL, sync_due_studies

LATER = timedelta(minutes=6)


@pytest.fixture
def done(there: Prolific, published: ProlificStudy) -> ProlificStudy:
    """Dora completed two units and sent her submission; Eva completed none and sent hers."""
    dora = comes(there, published, "d0ra")
    dora.complete()
    dora.complete()
    there.goes_to(dora.ids["SESSION_ID"], "AWAITING REVIEW", "CDONE")
    eva = comes(there, published, "eva")
    there.goes_to(eva.ids["SESSION_ID"], "AWAITING REVIEW", "NOCODE")
    sync_due_studies(clock.now())
    return published


def payments() -> list[str]:
    return list(Payment.objects.order_by("pk").values_list("state", flat=True))


def test_a_completed_unit_is_approved_and_paid_when_prolific_says_so(there, done, rosa) -> None:
    assert [each.submission.participant_id for each in reviewing.to_approve(done)] == ["d0ra"]
    assert [each.participant_id for each in reviewing.without_a_unit(done)] == ["eva"]
    assert reviewing.approve_submissions(done, rosa) == 1
    assert payments() == ["approved", "owed"]
    sync_due_studies(clock.now() + INTERVAL)
    assert payments() == ["paid", "owed"]
    with pytest.raises(CannotRecruit, match="No submission"):
        reviewing.approve_submissions(done, rosa)


def test_a_further_unit_is_a_bonus_that_is_paid_once(there: Prolific, done, rosa) -> None:
    spent = committed(done)
    bonus = bonuses.set_up_bonuses(done, rosa)
    assert (bonus.total, bonus.parts.count(), committed(done)) == (267, 1, spent)
    bonuses.pay_bonuses(bonus, rosa)
    assert payments() == ["owed", "paid"]
    assert committed(done) == spent + 267
    with pytest.raises(CannotRecruit, match="paid already"):
        bonuses.pay_bonuses(bonus, rosa)
    with pytest.raises(CannotRecruit, match="No bonus is due"):
        bonuses.set_up_bonuses(done, rosa)
    assert [each["paid"] for each in there.bonuses.values()] == [1]


def test_bonuses_set_up_again_replace_those_before(there: Prolific, done, rosa) -> None:
    first, second = bonuses.set_up_bonuses(done, rosa), bonuses.set_up_bonuses(done, rosa)
    with pytest.raises(CannotRecruit, match="others were set up since"):
        bonuses.pay_bonuses(first, rosa)
    bonuses.pay_bonuses(second, rosa)
    assert sorted(each["paid"] for each in there.bonuses.values()) == [0, 1]


def test_bonuses_stop_at_the_limit(there: Prolific, done, rosa) -> None:
    spending.set_limit(done, Decimal("28"), rosa)
    bonus = bonuses.set_up_bonuses(done, rosa)
    with pytest.raises(CannotRecruit, match=r"cost 2.67 GBP; 26.67 GBP of the limit of 28.00 GBP"):
        bonuses.pay_bonuses(bonus, rosa)
    assert there.bonuses[bonus.bulk_id]["paid"] == 0
    assert ProlificBonus.objects.get().state == "set up"


@pytest.mark.parametrize("when", ["before", "after"])
def test_no_answer_to_a_bonus(there: Prolific, done, rosa, when: str) -> None:
    """It is not asked for again: Prolific's books say what is so, or else a person."""
    bonus = bonuses.set_up_bonuses(done, rosa)
    getattr(there, f"broken_{when}").add(f"POST bulk-bonus-payments/{bonus.bulk_id}/pay/")
    with pytest.raises(Unreachable):
        bonuses.pay_bonuses(bonus, rosa)
    with pytest.raises(CannotRecruit, match="No bonus is due"):
        bonuses.set_up_bonuses(done, rosa)
    now = clock.now() + LATER
    sync_due_studies(now)
    bonus.refresh_from_db()
    if when == "after":
        assert (bonus.state, payments()[1]) == ("paid", "paid")
        assert not bonuses.doubtful(done, now)
        return
    assert (bonus.state, bonuses.doubtful(done, now)) == ("paying", [bonus])
    bonuses.settle_bonus(bonus, paid=False, by=rosa)
    assert len(bonuses.due_bonuses(done)) == 1


def test_a_bonus_that_is_refused_is_due_again(there: Prolific, done, rosa) -> None:
    bonus = bonuses.set_up_bonuses(done, rosa)
    there.bonuses.clear()
    with pytest.raises(Refused):
        bonuses.pay_bonuses(bonus, rosa)
    assert len(bonuses.due_bonuses(done)) == 1


def test_a_return_is_asked_for(there: Prolific, done, rosa) -> None:
    (eva,) = reviewing.without_a_unit(done)
    with pytest.raises(CannotRecruit, match="Say why"):
        reviewing.request_return(done, eva, " ", rosa)
    reviewing.request_return(done, eva, "Nothing was judged.", rosa)
    assert there.submissions[eva.submission_id]["return_requested"]
    eva.refresh_from_db()
    assert eva.return_requested_at
    there.goes_to(eva.submission_id, "RETURNED")
    sync_due_studies(clock.now() + INTERVAL)
    eva.refresh_from_db()
    with pytest.raises(CannotRecruit, match="over already"):
        reviewing.request_return(done, eva, "Again.", rosa)
