"""What is paid through Prolific: submissions are approved, further units paid by bonuses.

A submission pays its worker's first unit; what they earn beyond it is paid as a bonus. Money has
gone when Prolific says so: what is read of it marks payments as paid.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction

from accounts.models import User
from judging.models import Payment
from judging.paying.deciding import approve, ask_about, mark_paid
from judging.platforms import PROLIFIC
from judging.studies import trail
from web import clock
from workspace.models import ProlificBonus, ProlificBonusPart, ProlificStudy, ProlificSubmission
from workspace.recruiting.api import Api
from workspace.recruiting.connecting import api_of
from workspace.recruiting.faults import CannotRecruit, Refused
from workspace.recruiting.spending import hundredths, insist_on_limit, money

State = ProlificBonus.State
TO_REVIEW, APPROVED = "AWAITING REVIEW", "APPROVED"
TOOK_PART = (TO_REVIEW, APPROVED)
UNPAID = ("RETURNED", "TIMED-OUT", "REJECTED")
MOST_APPROVED, MOST_BONUSES = 1000, 200  # of one request, as Prolific recommends
DOUBTFUL = timedelta(minutes=5)  # that Prolific takes to pay, by which a bonus shows


class Due(NamedTuple):
    """A payment and the submission of its worker."""

    payment: Payment
    submission: ProlificSubmission


def _payments(recruiting: ProlificStudy) -> dict[str, list[Payment]]:
    """The payments of the people from Prolific, oldest first, by the participant's id."""
    account = "assignment__worker__account"
    rows = Payment.objects.of(recruiting.study).with_worker()
    by_participant: dict[str, list[Payment]] = {}
    for payment in rows.filter(**{f"{account}__platform": PROLIFIC.name}).order_by("pk"):
        participant = payment.assignment.worker.account.external_id
        by_participant.setdefault(participant, []).append(payment)
    return by_participant


def _is_open(payment: Payment) -> bool:
    return payment.state in (Payment.State.OWED, Payment.State.APPROVED)


# --- submissions --------------------------------------------------------------------------------
def to_approve(recruiting: ProlificStudy) -> list[Due]:
    """Submissions sent for review whose worker has completed a unit that is still to be paid."""
    payments = _payments(recruiting)
    sent = recruiting.submissions.filter(status=TO_REVIEW).order_by("pk")
    due = [
        Due(payments[each.participant_id][0], each)
        for each in sent
        if each.participant_id in payments
    ]
    return [each for each in due if _is_open(each.payment)]


def approve_submissions(recruiting: ProlificStudy, by: User | None) -> int:
    """Have Prolific pay the submissions that are `to_approve`; returns how many.

    Asked twice, Prolific pays once. That they are paid is noted when it says so.

    Raises:
        CannotRecruit: there are none; Prolific refuses it.
    """
    due = some_to_approve(recruiting)
    api_of(recruiting.connection).approve([each.submission.submission_id for each in due])
    approve(recruiting.study, [each.payment.pk for each in due], by)
    trail.record(recruiting.study, by, "approved submissions on Prolific", number=len(due))
    return len(due)


def some_to_approve(recruiting: ProlificStudy) -> list[Due]:
    """Those that are approved at once, at most 1,000.

    Raises:
        CannotRecruit: there are none.
    """
    if due := to_approve(recruiting)[:MOST_APPROVED]:
        return due
    raise CannotRecruit("No submission of a completed unit waits for approval.")


def without_a_unit(recruiting: ProlificStudy) -> list[ProlificSubmission]:
    """Submissions sent for review whose worker has completed nothing here."""
    known = _payments(recruiting)
    sent = recruiting.submissions.filter(status=TO_REVIEW).order_by("pk")
    return [each for each in sent if each.participant_id not in known]


def request_return(
    recruiting: ProlificStudy, submission: ProlificSubmission, reason: str, by: User | None
) -> None:
    """Have Prolific ask a participant to return a submission.

    Raises:
        CannotRecruit: it is over already, or no reason is given; Prolific refuses it.
    """
    if submission.status not in ("ACTIVE", TO_REVIEW):
        raise CannotRecruit("This submission is over already.")
    if not reason.strip():
        raise CannotRecruit("Say why: the participant reads it.", field="reason")
    api_of(recruiting.connection).request_return(submission.submission_id, reason.strip())
    now = clock.now()
    ProlificSubmission.objects.filter(pk=submission.pk).update(return_requested_at=now)
    trail.record(recruiting.study, by, "asked for the return of a submission", reason=reason)


def settle_pay(recruiting: ProlificStudy) -> None:
    """Mark as paid what Prolific has paid; ask the team about what it will not pay.

    A submission that is over unpaid, of a unit that is completed, is for a person to decide.
    """
    payments = _payments(recruiting)
    paid = []
    for each in recruiting.submissions.filter(status__in=(APPROVED, *UNPAID)):
        first = payments.get(each.participant_id, [None])[0]
        if first is None or not _is_open(first):
            continue
        if each.status == APPROVED:
            paid.append(first.pk)
        elif not each.asked_about:
            _ask(each, first)
    if paid:
        mark_paid(recruiting.study, paid, None)


@transaction.atomic
def _ask(submission: ProlificSubmission, payment: Payment) -> None:
    told = submission.status.lower()
    question = f"On Prolific the submission is {told}, but the unit is completed. Is it paid?"
    ask_about(payment, question)
    ProlificSubmission.objects.filter(pk=submission.pk).update(asked_about=True)


# --- bonuses ------------------------------------------------------------------------------------
def due_bonuses(recruiting: ProlificStudy) -> list[Due]:
    """What workers have earned beyond their first unit, and what is in no bonus yet."""
    in_a_bonus = ProlificBonusPart.objects.filter(dropped=False).exclude(bonus__state=State.SET_UP)
    done = set(in_a_bonus.values_list("payment", flat=True))
    took_part = {
        each.participant_id: each for each in recruiting.submissions.filter(status__in=TOOK_PART)
    }
    return [
        Due(payment, took_part[participant])
        for participant, payments in _payments(recruiting).items()
        for payment in payments[1:]
        if participant in took_part and _is_open(payment) and payment.pk not in done
    ]


def set_up_bonuses(recruiting: ProlificStudy, by: User | None) -> ProlificBonus:
    """Set up the bonuses that are due, at most 200: Prolific says what they cost, and pays nothing.

    Those that were set up before and never paid are dropped.

    Raises:
        CannotRecruit: none is due; Prolific refuses it.
    """
    due = due_bonuses(recruiting)[:MOST_BONUSES]
    if not due:
        raise CannotRecruit("No bonus is due.")
    amounts: dict[str, int] = {}
    for payment, submission in due:
        cents = amounts.get(submission.submission_id, 0) + hundredths(payment.amount)
        amounts[submission.submission_id] = cents
    api = api_of(recruiting.connection)
    bulk, total = api.set_up_bonuses(recruiting.prolific_id, amounts)
    try:
        return _write_down(recruiting, due, bulk, total, by)
    except IntegrityError as fault:
        raise CannotRecruit("Somebody sets up the same bonuses: look again.") from fault


@transaction.atomic
def _write_down(
    recruiting: ProlificStudy, due: Iterable[Due], bulk: str, total: int, by: User | None
) -> ProlificBonus:
    ProlificStudy.objects.locked().get(pk=recruiting.pk)
    _drop(recruiting.bonuses.filter(state=State.SET_UP).values_list("pk", flat=True))
    bonus = ProlificBonus.objects.create(
        recruiting=recruiting, bulk_id=bulk, total=total, state_at=clock.now(), made_by=by
    )
    ProlificBonusPart.objects.bulk_create(
        ProlificBonusPart(
            bonus=bonus,
            payment=payment,
            submission=submission,
            amount=hundredths(payment.amount),
        )
        for payment, submission in due
    )
    return bonus


def _drop(bonuses: Iterable[int]) -> None:
    keys = list(bonuses)
    ProlificBonus.objects.filter(pk__in=keys).update(state=State.DROPPED, state_at=clock.now())
    ProlificBonusPart.objects.filter(bonus__in=keys).update(dropped=True)


def pay_bonuses(bonus: ProlificBonus, by: User | None) -> None:
    """Have Prolific pay bonuses that were set up. It is asked once, whatever happens.

    Raises:
        CannotRecruit: they are paid or dropped already, or it goes beyond the limit; Prolific
            refuses it, or does not answer: then its books are read until they show.
    """
    with transaction.atomic():
        recruiting = ProlificStudy.objects.locked().get(pk=bonus.recruiting_id)
        insist_on_limit(recruiting, bonus.total)
        waiting = ProlificBonus.objects.filter(pk=bonus.pk, state=State.SET_UP)
        if not waiting.update(state=State.PAYING, state_at=clock.now()):
            raise CannotRecruit("These bonuses are paid already, or others were set up since.")
        told = {"number": bonus.parts.count(), "cost": money(bonus.total, recruiting.currency)}
        trail.record(recruiting.study, by, "paid bonuses on Prolific", **told)
    try:
        api_of(recruiting.connection).pay_bonuses(bonus.bulk_id)
    except Refused:
        _drop([bonus.pk])
        raise
    settle_bonus(bonus, paid=True, by=by)


@transaction.atomic
def settle_bonus(bonus: ProlificBonus, *, paid: bool, by: User | None) -> None:
    """Note whether Prolific has paid bonuses that it was asked to pay."""
    asked = ProlificBonus.objects.filter(pk=bonus.pk, state=State.PAYING)
    if not paid and asked.exists():
        _drop([bonus.pk])
    elif asked.update(state=State.PAID, state_at=clock.now()):
        payments = list(bonus.parts.values_list("payment", flat=True))
        mark_paid(bonus.recruiting.study, payments, by)


def reconcile(recruiting: ProlificStudy, api: Api, now: datetime) -> None:
    """Find out by reading whether bonuses were paid of which Prolific did not say so."""
    for bonus in recruiting.bonuses.filter(state=State.PAYING, state_at__lt=now - DOUBTFUL):
        if _shows(bonus, api):
            settle_bonus(bonus, paid=True, by=None)


def doubtful(recruiting: ProlificStudy, now: datetime) -> list[ProlificBonus]:
    """Bonuses of which nobody knows yet whether they were paid."""
    return list(recruiting.bonuses.filter(state=State.PAYING, state_at__lt=now - DOUBTFUL))


def _shows(bonus: ProlificBonus, api: Api) -> bool:
    """Whether Prolific's books have the first of the bonuses, which it pays together."""
    first = bonus.parts.exclude(submission=None).select_related("submission").first()
    if first is None or first.submission is None:
        return False
    _, paid = api.study_of(first.submission.submission_id)
    parts = ProlificBonusPart.objects.filter(submission=first.submission)
    known = parts.filter(bonus__state=State.PAID).exclude(bonus=bonus)
    own = parts.filter(bonus=bonus)
    expected = sum(part.amount for part in (*known, *own))
    return sum(paid) >= expected
