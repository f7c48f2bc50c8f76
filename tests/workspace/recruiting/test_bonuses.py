"""Money: submissions approved or rejected, bonuses paid once, whatever breaks between."""

from datetime import timedelta
from decimal import Decimal

import pytest

from judging.models import Payment, TrailEntry
from judging.payments.decisions import refuse
from judging.studies.conduct.stages import CannotRun
from tests.doubles.prolific import Prolific
from tests.workspace.recruiting.conftest import comes
from web import clock
from web.encryption import digests
from workspace.models import ProlificBonus, ProlificStudy, ProlificSubmission
from workspace.recruiting import bonuses, reviewing, spending
from workspace.recruiting.faults import CannotRecruit, Refused, Unreachable
from workspace.recruiting.spending import committed
from workspace.recruiting.sync import INTERVAL, sync_due_studies

LATER = timedelta(minutes=6)


@pytest.fixture
def done(there, published):
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


def test_a_completed_unit_is_approved_and_paid_when_prolific_says_so(there, done, rosa):
    assert [each.submission.participant_id for each in reviewing.to_approve(done)] == ["d0ra"]
    assert [each.participant_id for each in reviewing.without_a_unit(done)] == ["eva"]
    assert reviewing.approve_submissions(done, rosa) == 1
    assert payments() == ["approved", "owed"]
    sync_due_studies(clock.now() + INTERVAL)
    assert payments() == ["paid", "owed"]
    with pytest.raises(CannotRecruit, match="No submission"):
        reviewing.approve_submissions(done, rosa)


def test_a_further_unit_is_a_bonus_that_is_paid_once(there, done, rosa):
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


def test_bonuses_set_up_again_replace_those_before(there, done, rosa):
    first, second = bonuses.set_up_bonuses(done, rosa), bonuses.set_up_bonuses(done, rosa)
    with pytest.raises(CannotRecruit, match="others were set up since"):
        bonuses.pay_bonuses(first, rosa)
    bonuses.pay_bonuses(second, rosa)
    assert sorted(each["paid"] for each in there.bonuses.values()) == [0, 1]


def test_bonuses_stop_at_the_limit(there, done, rosa):
    spending.set_limit(done, Decimal("28"), rosa)
    bonus = bonuses.set_up_bonuses(done, rosa)
    with pytest.raises(CannotRecruit, match=r"cost 2.67 GBP; 26.67 GBP of the limit of 28.00 GBP"):
        bonuses.pay_bonuses(bonus, rosa)
    assert there.bonuses[bonus.bulk_id]["paid"] == 0
    assert ProlificBonus.objects.get().state == "set up"


@pytest.mark.parametrize("when", ["before", "after"])
def test_no_answer_to_a_bonus(there, done, rosa, when):
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


def test_a_bonus_that_is_refused_is_due_again(there, done, rosa):
    bonus = bonuses.set_up_bonuses(done, rosa)
    there.bonuses.clear()
    with pytest.raises(Refused):
        bonuses.pay_bonuses(bonus, rosa)
    assert len(bonuses.due_bonuses(done)) == 1


def test_a_return_is_asked_for(there, done, rosa):
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


# --- rejected: for reasons on Prolific's list, never for checks or speed --------------------------
WORDS = (
    "All eight reasons are the same line of dots, so that nobody can tell what was judged, or why."
)
WORDS += " Reasons were asked for on every page."


def sent(
    there: Prolific, recruiting: ProlificStudy, name: str, does: str = ""
) -> ProlificSubmission:
    """The submission of somebody who came, perhaps did something, and sent it for review."""
    person = comes(there, recruiting, name)
    if does == "complete":
        person.complete()
    elif does == "fail":
        person.come_to_the_end(seconds=1).finish()
    there.goes_to(person.ids["SESSION_ID"], "AWAITING REVIEW", "CDONE")
    sync_due_studies(clock.now() + INTERVAL)
    return recruiting.submissions.get(participant_id_hash=digests(name)[0])


def test_the_payment_of_the_unit_is_refused_with_it(there, published, rosa):
    submission = sent(there, published, "d0ra", "complete")
    reviewing.reject(published, submission, "LOW_EFFORT", WORDS, rosa)
    payment = Payment.objects.get()
    assert (payment.state, payment.category, payment.reason) == ("refused", "LOW_EFFORT", WORDS)
    row = there.submissions[submission.submission_id]
    assert (row["status"], row["message"]) == ("REJECTED", WORDS)
    sync_due_studies(clock.now() + 3 * INTERVAL)
    payment.refresh_from_db()
    assert payment.question == ""
    done = TrailEntry.objects.filter(by=rosa, action="rejected a submission on Prolific").get()
    assert done.details == {"category": "LOW_EFFORT", "reason": WORDS}
    submission.refresh_from_db()
    with pytest.raises(CannotRecruit, match="waits for review"):
        reviewing.reject(published, submission, "LOW_EFFORT", WORDS, rosa)


def test_what_is_refused_here_is_rejected_there_in_the_same_words(there, published, rosa):
    submission = sent(there, published, "d0ra", "complete")
    assert reviewing.to_reject(published) == []
    refuse(published.study, Payment.objects.get().pk, "OTHER", WORDS, rosa)
    (due,) = reviewing.to_reject(published)
    assert (due.submission, reviewing.to_approve(published)) == (submission, [])
    reviewing.reject(published, submission, "", "", rosa)
    assert there.submissions[submission.submission_id]["message"] == WORDS
    assert reviewing.to_reject(published) == []


def test_neither_checks_nor_speed_are_a_reason(there, published, rosa):
    submission = sent(there, published, "d0ra", "complete")
    for category in ("FAILED_CHECK", "TOO_QUICKLY", "TOO_SLOWLY", "NO_DATA", ""):
        with pytest.raises(CannotRun, match="expected one of LOW_EFFORT"):
            reviewing.reject(published, submission, category, WORDS, rosa)
    with pytest.raises(CannotRun, match="100 to 1,000 characters"):
        reviewing.reject(published, submission, "LOW_EFFORT", "Too short.", rosa)
    assert there.submissions[submission.submission_id]["status"] == "AWAITING REVIEW"


def test_who_judged_nothing_is_rejected_for_that_alone(there, published, rosa):
    submission = sent(there, published, "eva")
    with pytest.raises(CannotRun, match="expected one of NO_DATA, NO_CODE, BAD_CODE"):
        reviewing.reject(published, submission, "LOW_EFFORT", WORDS, rosa)
    reviewing.reject(published, submission, "NO_DATA", WORDS, rosa)
    assert there.submissions[submission.submission_id]["status"] == "REJECTED"


def test_who_failed_at_finish_is_not_rejected(there, published, rosa):
    submission = sent(there, published, "carl", "fail")
    with pytest.raises(CannotRecruit, match="failed at Finish: that is no reason"):
        reviewing.reject(published, submission, "NO_DATA", WORDS, rosa)
    assert there.submissions[submission.submission_id]["status"] == "AWAITING REVIEW"
