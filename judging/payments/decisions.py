"""Decisions on payments: approved, paid, refused, or owed again.

The rows are locked first: of two decisions at once the second sees what the first has changed, and
the same decision twice changes nothing the second time.
"""

from collections.abc import Collection

from django.db import transaction

from accounts.models import User
from judging.models import Payment, Study
from judging.payments.refusals import check_refusal
from judging.record import log_decision
from judging.studies import trail
from judging.studies.conduct.stages import CannotRun
from web import clock

State = Payment.State
# From which states each state is reached.
SOURCE_STATES = {
    State.APPROVED: (State.OWED,),
    State.PAID: (State.OWED, State.APPROVED),
    State.REFUSED: (State.OWED, State.APPROVED),
    State.OWED: (State.REFUSED, State.APPROVED),
}


def approve(study: Study, payments: Collection[int], by: User | None) -> int:
    return _decide(study, payments, State.APPROVED, by, "approved payments")


def mark_paid(study: Study, payments: Collection[int], by: User | None) -> int:
    """What is refused must first be owed again. Returns how many of these payments changed."""
    return _decide(study, payments, State.PAID, by, "marked payments as paid")


def refuse(study: Study, payment: int, category: str, reason: str, by: User | None) -> Payment:
    """Refuse one payment, for a reason that the worker's platform permits and the worker may read.

    Raises CannotRun: no such payment, it is paid or refused for another reason, or the reason is
    too little.
    """
    row = payment_of(study, payment)
    why = {"category": category, "reason": check_refusal(row, category, reason)}
    worker = row.assignment.worker.pseudonym
    changed = _decide(study, [row.pk], State.REFUSED, by, "refused a payment", worker=worker, **why)
    row = payment_of(study, payment)
    if not changed and why != {"category": row.category, "reason": row.reason}:
        raise CannotRun(f"This payment is {row.state} already.", field="payment")
    return row


def owe_again(study: Study, payments: Collection[int], by: User | None) -> int:
    return _decide(study, payments, State.OWED, by, "owed payments again")


def set_question(payment: Payment, question: str) -> None:
    """Ask the team to decide on a payment, whatever its state: a platform contradicts it."""
    Payment.objects.filter(pk=payment.pk).update(question=question)


def payment_of(study: Study, payment: int) -> Payment:
    row = Payment.objects.of_study(study).with_worker().filter(pk=payment).first()
    if row is None:
        raise CannotRun("This study has no such payment.", field="payment")
    return row


@transaction.atomic
def _decide(
    study: Study,
    payments: Collection[int],
    state: Payment.State,
    by: User | None,
    action: str,
    category: str = "",
    reason: str = "",
    **details: str,
) -> int:
    """Move payments to a state, from where that may be; the question about them is answered."""
    rows = Payment.objects.of_study(study).filter(pk__in=payments).locked()
    moved = [row for row in rows.select_related("assignment") if row.state in SOURCE_STATES[state]]
    if not moved:
        return 0
    now = clock.now()  # later than whatever was decided while this waited
    changes = {"state": state, "state_at": now, "decided_by": by, "question": ""}
    of_these = Payment.objects.filter(pk__in=[row.pk for row in moved])
    of_these.update(category=category, reason=reason, **changes)
    names = [(row.assignment.token, row.kind) for row in moved]
    log_decision(names, state, now, category, reason)
    details = {"category": category, "reason": reason, **details} if reason else {}
    trail.record(study, by, action, number=len(moved), **details)
    return len(moved)
