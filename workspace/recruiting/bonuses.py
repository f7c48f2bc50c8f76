"""Payments through Prolific: submissions are approved, further units paid by bonuses.

A submission pays its worker's first unit, a bonus what they earn beyond it. Payments are marked as
paid when Prolific reports that they are.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.models import User
from judging.models import Payment
from judging.payments.decisions import mark_paid, set_question
from judging.studies import trail
from web import clock
from workspace.models import ProlificBonus, ProlificBonusPart, ProlificStudy, ProlificSubmission
from workspace.recruiting.api import Api
from workspace.recruiting.connecting import api_of
from workspace.recruiting.faults import CannotRecruit, Refused
from workspace.recruiting.reviewing import TO_REVIEW, Due, is_open, payments_of
from workspace.recruiting.spending import check_cost, check_limit, hundredths, money

State = ProlificBonus.State
APPROVED = "APPROVED"
TOOK_PART = (TO_REVIEW, APPROVED)
UNPAID = ("RETURNED", "TIMED-OUT", "REJECTED")
MAX_BONUSES = 200  # of one request, as Prolific recommends
DOUBTFUL_AFTER = timedelta(minutes=5)  # that Prolific takes to pay, by which a bonus shows


def settle_pay(recruiting: ProlificStudy) -> None:
    """Mark as paid what Prolific has paid; ask the team about what it will not pay.

    A submission that ended unpaid, of a unit that is completed, is for a person to decide.
    """
    payments = payments_of(recruiting)
    paid = []
    for each in recruiting.submissions.filter(status__in=(APPROVED, *UNPAID)):
        first = payments.get(each.participant_id, [None])[0]
        if first is None or not is_open(first):
            continue
        if each.status == APPROVED:
            paid.append(first.pk)
        elif not each.asked_about:
            _ask_team(each, first)
    if paid:
        mark_paid(recruiting.study, paid, None)


@transaction.atomic
def _ask_team(submission: ProlificSubmission, payment: Payment) -> None:
    status = submission.status.lower()
    question = f"On Prolific the submission is {status}, but the unit is completed. Is it paid?"
    set_question(payment, question)
    ProlificSubmission.objects.filter(pk=submission.pk).update(asked_about=True)


# --- bonuses ------------------------------------------------------------------------------------
def due_bonuses(recruiting: ProlificStudy) -> list[Due]:
    """What workers have earned beyond their first unit, and is in no bonus yet."""
    in_a_bonus = ProlificBonusPart.objects.filter(dropped=False).exclude(bonus__state=State.SET_UP)
    in_bonuses = set(in_a_bonus.values_list("payment", flat=True))
    took_part = {
        each.participant_id: each for each in recruiting.submissions.filter(status__in=TOOK_PART)
    }
    return [
        Due(payment, took_part[participant])
        for participant, payments in payments_of(recruiting).items()
        for payment in payments[1:]
        if participant in took_part and is_open(payment) and payment.pk not in in_bonuses
    ]


def set_up_bonuses(recruiting: ProlificStudy, by: User | None) -> ProlificBonus:
    """Set up the bonuses that are due, at most 200; Prolific gives their cost, and pays nothing.

    Those that were set up before and never paid are dropped.
    """
    due = due_bonuses(recruiting)[:MAX_BONUSES]
    if not due:
        raise CannotRecruit("No bonus is due.")
    amounts: Counter[str] = Counter()
    for payment, submission in due:
        amounts[submission.submission_id] += hundredths(payment.amount)
    api = api_of(recruiting.connection)
    bulk, total = api.set_up_bonuses(recruiting.prolific_id, amounts)
    try:
        return _save_bonus(recruiting, due, bulk, total, by)
    except IntegrityError as fault:
        raise CannotRecruit("Somebody is setting up the same bonuses: check again.") from fault


@transaction.atomic
def _save_bonus(
    recruiting: ProlificStudy, due: Iterable[Due], bulk: str, total: int, by: User | None
) -> ProlificBonus:
    ProlificStudy.objects.locked().get(pk=recruiting.pk)
    _drop(recruiting.bonuses.filter(state=State.SET_UP).values_list("pk", flat=True))
    bonus = ProlificBonus.objects.create(
        recruiting=recruiting, bulk_id=bulk, total=total, state_at=clock.now(), made_by=by
    )
    ProlificBonusPart.objects.bulk_create(
        ProlificBonusPart(
            bonus=bonus, payment=payment, submission=submission, amount=hundredths(payment.amount)
        )
        for payment, submission in due
    )
    return bonus


def _drop(bonuses: Iterable[int]) -> None:
    keys = list(bonuses)
    ProlificBonus.objects.filter(pk__in=keys).update(state=State.DROPPED, state_at=clock.now())
    ProlificBonusPart.objects.filter(bonus__in=keys).update(dropped=True)


def pay_bonuses(bonus: ProlificBonus, by: User | None, expected: int | None = None) -> None:
    """Pay bonuses that were set up, at the confirmed cost.

    The call is never repeated: without an answer `reconcile` reads Prolific's books.
    """
    check_cost(bonus.total, expected, bonus.recruiting.currency)
    with transaction.atomic():
        recruiting = ProlificStudy.objects.locked().get(pk=bonus.recruiting_id)
        check_limit(recruiting, bonus.total)
        waiting = ProlificBonus.objects.filter(pk=bonus.pk, state=State.SET_UP)
        if not waiting.update(state=State.PAYING, state_at=clock.now()):
            raise CannotRecruit("These bonuses are paid already, or others were set up since.")
        details = {"number": bonus.parts.count(), "cost": money(bonus.total, recruiting.currency)}
        trail.record(recruiting.study, by, "paid bonuses on Prolific", **details)
    try:
        api_of(recruiting.connection).pay_bonuses(bonus.bulk_id)
    except Refused:
        _drop([bonus.pk])
        raise
    settle_bonus(bonus, paid=True, by=by)


@transaction.atomic
def settle_bonus(bonus: ProlificBonus, *, paid: bool, by: User | None) -> None:
    """Record whether Prolific has paid bonuses that it was asked to pay."""
    paying = ProlificBonus.objects.filter(pk=bonus.pk, state=State.PAYING)
    if not paid and paying.exists():
        _drop([bonus.pk])
    elif paying.update(state=State.PAID, state_at=clock.now()):
        payments = list(bonus.parts.values_list("payment", flat=True))
        mark_paid(bonus.recruiting.study, payments, by)


def reconcile(recruiting: ProlificStudy, api: Api, now: datetime) -> None:
    """Look up whether bonuses were paid whose call got no answer."""
    for bonus in doubtful(recruiting, now):
        if _is_in_books(bonus, api):
            settle_bonus(bonus, paid=True, by=None)


def doubtful(recruiting: ProlificStudy, now: datetime) -> list[ProlificBonus]:
    return list(recruiting.bonuses.filter(state=State.PAYING, state_at__lt=now - DOUBTFUL_AFTER))


def _is_in_books(bonus: ProlificBonus, api: Api) -> bool:
    """Whether Prolific's books have the first of the bonuses: it pays them together."""
    first = bonus.parts.exclude(submission=None).select_related("submission").first()
    if first is None or first.submission is None:
        return False
    _, paid = api.study_of(first.submission.submission_id)
    parts = ProlificBonusPart.objects.filter(submission=first.submission)
    expected = parts.filter(Q(bonus__state=State.PAID) | Q(bonus=bonus))
    return sum(paid) >= sum(expected.values_list("amount", flat=True))
