"""Rejecting a submission on Prolific: for reasons on its list, never for checks or speed."""

import pytest

from judging.models import Payment, TrailEntry
from judging.payments.decisions import refuse
from judging.studies.conduct.stages import CannotRun
from tests.doubles.prolific import Prolific
from tests.workspace.recruiting.conftest import comes
from web import clock
from web.encryption import digests
from workspace.models import ProlificStudy, ProlificSubmission
from workspace.recruiting import reviewing
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.sync import INTERVAL, sync_due_studies

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


def test_the_payment_of_the_unit_is_refused_with_it(there: Prolific, published, rosa) -> None:
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


def test_what_is_refused_here_is_rejected_there_in_the_same_words(there, published, rosa) -> None:
    submission = sent(there, published, "d0ra", "complete")
    assert reviewing.to_reject(published) == []
    refuse(published.study, Payment.objects.get().pk, "OTHER", WORDS, rosa)
    (due,) = reviewing.to_reject(published)
    assert (due.submission, reviewing.to_approve(published)) == (submission, [])
    reviewing.reject(published, submission, "", "", rosa)
    assert there.submissions[submission.submission_id]["message"] == WORDS
    assert reviewing.to_reject(published) == []


def test_neither_checks_nor_speed_are_a_reason(there, published, rosa) -> None:
    submission = sent(there, published, "d0ra", "complete")
    for category in ("FAILED_CHECK", "TOO_QUICKLY", "TOO_SLOWLY", "NO_DATA", ""):
        with pytest.raises(CannotRun, match="expected one of LOW_EFFORT"):
            reviewing.reject(published, submission, category, WORDS, rosa)
    with pytest.raises(CannotRun, match="100 to 1,000 characters"):
        reviewing.reject(published, submission, "LOW_EFFORT", "Too short.", rosa)
    assert there.submissions[submission.submission_id]["status"] == "AWAITING REVIEW"


def test_who_judged_nothing_is_rejected_for_that_alone(there, published, rosa) -> None:
    submission = sent(there, published, "eva")
    with pytest.raises(CannotRun, match="expected one of NO_DATA, NO_CODE, BAD_CODE"):
        reviewing.reject(published, submission, "LOW_EFFORT", WORDS, rosa)
    reviewing.reject(published, submission, "NO_DATA", WORDS, rosa)
    assert there.submissions[submission.submission_id]["status"] == "REJECTED"


def test_who_failed_at_finish_is_not_rejected(there, published, rosa) -> None:
    submission = sent(there, published, "carl", "fail")
    with pytest.raises(CannotRecruit, match="failed at Finish: that is no reason"):
        reviewing.reject(published, submission, "NO_DATA", WORDS, rosa)
    assert there.submissions[submission.submission_id]["status"] == "AWAITING REVIEW"
