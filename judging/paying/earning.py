"""What a unit earns: written down in the transaction in which its completion code is made."""

from datetime import datetime

from judging.models import Assignment, Payment


def earn(assignment: Assignment, now: datetime) -> None:
    """Owe the worker of an assignment that has just got a completion code what was promised.

    Artificial workers earn nothing, nor does a unit that pays nothing, as in rehearsals and demos.
    """
    earns = assignment.completion_code and assignment.payment and not assignment.worker.simulated
    if not earns:
        return
    Payment.objects.create(
        assignment=assignment,
        kind=Payment.Kind.BASE,
        amount=assignment.payment,
        currency=assignment.study.currency,
        state_at=now,
    )
