"""Submissions that were sent for review: approved, rejected, or asked to be returned."""

from typing import NamedTuple

from accounts.models import User
from judging.models import CheckFailure, Payment, Study
from judging.payments.decisions import approve, refuse
from judging.payments.refusals import check_reason, check_refusal
from judging.platforms import PROLIFIC
from judging.studies import trail
from web import clock
from web.encryption import digests
from workspace.models import ProlificStudy, ProlificSubmission
from workspace.recruiting.connecting import api_of
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.spending import check_cost

TO_REVIEW = "AWAITING REVIEW"
MAX_APPROVED = 1000  # of one request, as Prolific recommends


class Due(NamedTuple):
    payment: Payment
    submission: ProlificSubmission


def payments_of(recruiting: ProlificStudy) -> dict[str, list[Payment]]:
    """The payments of the people from Prolific, oldest first, by the participant's id."""
    account = "assignment__worker__account"
    rows = Payment.objects.of_study(recruiting.study).with_worker()
    by_participant: dict[str, list[Payment]] = {}
    for payment in rows.filter(**{f"{account}__platform": PROLIFIC.name}).order_by("pk"):
        participant = payment.assignment.worker.account.external_id
        by_participant.setdefault(participant, []).append(payment)
    return by_participant


def is_open(payment: Payment) -> bool:
    return payment.state in (Payment.State.OWED, Payment.State.APPROVED)


def _to_review(recruiting: ProlificStudy) -> list[tuple[Payment | None, ProlificSubmission]]:
    """Submissions sent for review, each with the payment of the unit that it pays, if any."""
    payments = payments_of(recruiting)
    rows = recruiting.submissions.filter(status=TO_REVIEW).order_by("pk")
    return [(payments.get(each.participant_id, [None])[0], each) for each in rows]


def to_approve(recruiting: ProlificStudy) -> list[Due]:
    """Those whose worker has completed a unit that is not yet paid."""
    return [Due(first, each) for first, each in _to_review(recruiting) if first and is_open(first)]


def without_a_unit(recruiting: ProlificStudy) -> list[ProlificSubmission]:
    """Those whose worker has completed nothing here."""
    return [each for first, each in _to_review(recruiting) if first is None]


def to_reject(recruiting: ProlificStudy) -> list[Due]:
    """Those whose payment was refused here, and which Prolific still pays."""
    refused = Payment.State.REFUSED
    rows = _to_review(recruiting)
    return [Due(first, each) for first, each in rows if first and first.state == refused]


def first_payment(recruiting: ProlificStudy, submission: ProlificSubmission) -> Payment | None:
    return payments_of(recruiting).get(submission.participant_id, [None])[0]


def approve_submissions(
    recruiting: ProlificStudy, by: User | None, expected: int | None = None
) -> int:
    """Have Prolific pay the submissions that are `to_approve`; returns how many.

    A second call pays nothing. Payments are marked as paid when Prolific reports it. expected: the
    confirmed sum that participants are paid.
    """
    due = next_to_approve(recruiting)
    check_cost(len(due) * recruiting.reward, expected, recruiting.currency)
    api_of(recruiting.connection).approve([each.submission.submission_id for each in due])
    approve(recruiting.study, [each.payment.pk for each in due], by)
    ProlificStudy.objects.filter(pk=recruiting.pk).update(read_at=None)  # read again at once
    trail.record(recruiting.study, by, "approved submissions on Prolific", number=len(due))
    return len(due)


def next_to_approve(recruiting: ProlificStudy) -> list[Due]:
    """The next to be approved together, at most 1,000; CannotRecruit if there are none."""
    if due := to_approve(recruiting)[:MAX_APPROVED]:
        return due
    raise CannotRecruit("No submission of a completed unit waits for approval.")


class Rejection(NamedTuple):
    """As its participant reads it."""

    category: str
    reason: str


def check_rejection(
    recruiting: ProlificStudy, submission: ProlificSubmission, category: str, reason: str
) -> Rejection:
    """The category and reason of a rejection; empty ones: as the payment was refused here."""
    if submission.status != TO_REVIEW:
        raise CannotRecruit("Only a submission that waits for review can be rejected.")
    first = first_payment(recruiting, submission)
    if first is None:
        _check_no_failed_finish(recruiting.study, submission)
        min_length = PROLIFIC.min_reason_length
        return Rejection(category, check_reason(PROLIFIC.rejections, min_length, category, reason))
    if first.state == Payment.State.PAID:
        raise CannotRecruit("The payment for its unit is paid already.")
    category, reason = category or first.category, reason or first.reason
    return Rejection(category, check_refusal(first, category, reason))


def _check_no_failed_finish(study: Study, submission: ProlificSubmission) -> None:
    checks = (CheckFailure.Check.ANCHORS, CheckFailure.Check.TIME)
    failures = CheckFailure.objects.filter(assignment__study=study, check_name__in=checks)
    hashes = digests(submission.participant_id)
    account = {"platform": PROLIFIC.name, "external_id_hash__in": hashes}
    of_worker = {f"assignment__worker__account__{name}": value for name, value in account.items()}
    if failures.filter(**of_worker).exists():
        raise CannotRecruit(
            "This participant has judged, and failed at Finish: that is no reason to reject. Ask "
            "for the return of the submission, or approve it on Prolific."
        )


def reject(
    recruiting: ProlificStudy,
    submission: ProlificSubmission,
    category: str,
    reason: str,
    by: User | None,
) -> None:
    """Have Prolific reject a submission, and refuse the payment of its unit, if there is one."""
    rejection = check_rejection(recruiting, submission, category, reason)
    status = api_of(recruiting.connection).reject(submission.submission_id, *rejection)
    ProlificSubmission.objects.filter(pk=submission.pk).update(status=status[:20])
    first = first_payment(recruiting, submission)
    if first is not None and is_open(first):
        refuse(recruiting.study, first.pk, *rejection, by)
    details = rejection._asdict()
    trail.record(recruiting.study, by, "rejected a submission on Prolific", **details)


def request_return(
    recruiting: ProlificStudy, submission: ProlificSubmission, reason: str, by: User | None
) -> None:
    if submission.status not in ("ACTIVE", TO_REVIEW):
        raise CannotRecruit("This submission is over already.")
    if submission.return_requested_at:
        raise CannotRecruit("Its participant has been asked for the return already.")
    if not reason.strip():
        raise CannotRecruit("Say why: the participant reads it.", field="reason")
    api_of(recruiting.connection).request_return(submission.submission_id, reason.strip())
    now = clock.now()
    ProlificSubmission.objects.filter(pk=submission.pk).update(return_requested_at=now)
    trail.record(recruiting.study, by, "asked for the return of a submission", reason=reason)
