from datetime import datetime

from judging.models import Assignment, Payment, Study
from judging.record import log_earning
from web.database.rows import save


def earn(assignment: Assignment, now: datetime) -> None:
    """Call in the transaction that makes the completion code; what was promised is owed."""
    if not (assignment.completion_code and assignment.payment) or assignment.worker.simulated:
        return
    payment = Payment(
        assignment=assignment,
        kind=_kind(assignment),
        amount=assignment.payment,
        currency=assignment.study.currency,
        state_at=now,
    )
    save(payment)
    log_earning(payment)


def _kind(assignment: Assignment) -> Payment.Kind:
    if assignment.study.further != Study.Further.BONUS:
        return Payment.Kind.BASE
    earlier = Assignment.objects.paid().filter(worker=assignment.worker_id)
    is_first = not earlier.exclude(pk=assignment.pk).exists()
    return Payment.Kind.BASE if is_first else Payment.Kind.BONUS
