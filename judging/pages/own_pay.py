from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, Sum

from judging.models import Assignment, Payment, Worker

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
CENT = Decimal("0.01")


class HourlyPay(NamedTuple):
    minutes: int
    amount: Decimal
    currency: str


def hourly_pay(unit: Assignment) -> HourlyPay | None:
    """From its beginning to its Finish.

    None: it is not paid, or its time may have a pause, which would make the figure untrue: a visit,
    or all time beside the documents, longer than the study's long visit; or the visits are deleted.
    """
    payments = [p for p in unit.payments.all() if p.state != Payment.State.REFUSED]
    if not payments or unit.finished_at is None or _may_have_paused(unit):
        return None
    took = unit.finished_at - unit.started_at
    if took < MINUTE:
        return None
    amount = sum((p.amount for p in payments), Decimal(0)) / Decimal(took / HOUR)
    return HourlyPay(round(took / MINUTE), amount.quantize(CENT), payments[0].currency)


def _may_have_paused(unit: Assignment) -> bool:
    visits = [v.closed_at - v.opened_at for v in unit.visits.all() if v.closed_at]
    if not visits or unit.finished_at is None:
        return True
    beside = unit.finished_at - unit.started_at - sum(visits, timedelta())
    return max(*visits, beside) > timedelta(minutes=unit.study.long_visit_minutes)


def total_earnings(worker: Worker) -> list[tuple[int, Decimal, str]]:
    payments = Payment.objects.filter(assignment__worker=worker)
    paid = payments.exclude(state=Payment.State.REFUSED).order_by("currency")
    sums = paid.values("currency").annotate(Count("assignment", distinct=True), Sum("amount"))
    return [(row["assignment__count"], row["amount__sum"], row["currency"]) for row in sums]
