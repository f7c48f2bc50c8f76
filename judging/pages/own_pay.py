from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from judging.models import Assignment, Payment
from web.database.rows import columns, instance, select

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
CENT = Decimal("0.01")
PAYMENTS = f"""
SELECT {columns(Payment, "payment")}
FROM judging_payment payment JOIN judging_assignment unit ON unit.id = payment.assignment_id
WHERE unit.worker_id = %s ORDER BY payment.id
"""
VISITS = """
SELECT closed_at - opened_at FROM judging_visit WHERE assignment_id = %s AND closed_at IS NOT NULL
"""


class HourlyPay(NamedTuple):
    minutes: int
    amount: Decimal
    currency: str


def earnings_context(unit: Assignment) -> dict[str, Any]:
    """Of a unit that is done, and of its worker."""
    payments = [instance(Payment, values) for values in select(PAYMENTS, unit.worker_id)]
    of_unit = [payment for payment in payments if payment.assignment_id == unit.pk]
    visits = [length for (length,) in select(VISITS, unit.pk)]
    return {
        "payments": of_unit,
        "hourly": hourly_pay(unit, of_unit, visits),
        "total_earnings": _total_earnings(payments),
    }


def hourly_pay(
    unit: Assignment, payments: Iterable[Payment], visits: Sequence[timedelta]
) -> HourlyPay | None:
    """From its beginning to its Finish.

    None: it is not paid, or its time may have a pause, which would make the figure untrue: a visit,
    or all time beside the documents, longer than the study's long visit; or the visits are deleted.
    """
    kept = [payment for payment in payments if payment.state != Payment.State.REFUSED]
    if not kept or unit.finished_at is None or not visits:
        return None
    took = unit.finished_at - unit.started_at
    beside = took - sum(visits, timedelta())
    is_paused = max(*visits, beside) > timedelta(minutes=unit.study.long_visit_minutes)
    if is_paused or took < MINUTE:
        return None
    amount = sum((p.amount for p in kept), Decimal(0)) / Decimal(took / HOUR)
    return HourlyPay(round(took / MINUTE), amount.quantize(CENT), kept[0].currency)


def _total_earnings(payments: Iterable[Payment]) -> list[tuple[int, Decimal, str]]:
    """Units, amount and currency of all payments that were not refused."""
    by_currency: dict[str, list[Payment]] = defaultdict(list)
    for payment in payments:
        if payment.state != Payment.State.REFUSED:
            by_currency[payment.currency].append(payment)
    return [
        (len({p.assignment_id for p in some}), sum((p.amount for p in some), Decimal(0)), currency)
        for currency, some in sorted(by_currency.items())
    ]
