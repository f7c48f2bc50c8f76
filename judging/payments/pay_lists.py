from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Coalesce

from judging.models import Payment, PlatformAccount, Study
from judging.models.unit import unit_name
from judging.platforms import PLATFORMS, PayList, platform_of

ACCOUNT = "assignment__worker__account__"
PATHS = (
    *("pk", "platform", "assignment__worker_id", "assignment__completion_code"),
    *("assignment__worker__pseudonym", "unit_name", "kind", "amount", "currency", "state"),
    "assignment__finished_at",
)


class PaymentLine(NamedTuple):
    """Platform and ids are empty where none sent the worker."""

    key: int
    platform: str
    participant: str
    submission: str
    code: str
    worker: str
    unit: str
    kind: str
    amount: Decimal
    currency: str
    state: str
    earned_at: datetime


def payments(study: Study, **filters: str) -> QuerySet[Payment, Any]:
    """Oldest first, each with `platform` and `unit_name`; filters: state, kind, platform."""
    rows = Payment.objects.of_study(study).with_worker().order_by("pk")
    named = rows.annotate(
        platform=Coalesce(F(f"{ACCOUNT}platform"), Value("")),
        unit_name=unit_name("assignment__"),
    )
    return named.filter(**filters)


def lines_of(study: Study, **filters: str) -> Iterator[PaymentLine]:
    accounts = {row.worker_id: row for row in PlatformAccount.objects.filter(study=study)}
    for key, platform, worker, code, *rest in payments(study, **filters).values_list(*PATHS):
        account = accounts.get(worker)
        participant, ids = (account.external_id, account.ids) if account else ("", {})
        yield PaymentLine(
            key, platform, participant, submission_of(platform, ids), code or "", *rest
        )


def submission_of(platform: str, ids: Mapping[str, Any]) -> str:
    """A platform's id of the submission that a worker came by; empty: it has none."""
    return str(ids.get(platform_of(platform).submission_parameter, ""))


class Layout(NamedTuple):
    columns: tuple[str, ...]
    rows: Callable[[Iterable[PaymentLine]], Iterable[tuple[Any, ...]]]
    has_header: bool = False


def _to_pay(
    platform: str, pay_list: PayList, lines: Iterable[PaymentLine]
) -> Iterator[tuple[Any, ...]]:
    amounts: dict[str, Decimal] = {}
    for line in lines:
        is_further = line.kind != Payment.Kind.BASE
        of_list = line.platform == platform and is_further == pay_list.further
        if of_list and line.state in Payment.OPEN:
            amounts[line.participant] = amounts.get(line.participant, Decimal(0)) + line.amount
    for participant, amount in amounts.items():
        cells = {"participant": participant, "amount": amount}
        yield tuple(cells[column] for column in pay_list.columns)


LAYOUTS = {
    "all": Layout(
        PaymentLine._fields[1:], lambda lines: (line[1:] for line in lines), has_header=True
    ),
    **{
        f"{platform.name}-{pay_list.name}": Layout(
            pay_list.columns, partial(_to_pay, platform.name, pay_list)
        )
        for platform in PLATFORMS.values()
        for pay_list in platform.pay_lists
    },
}


def payment_list(study: Study, layout: str = "all", **filters: str) -> list[tuple[Any, ...]]:
    """The list shows platforms' ids; layout: one of `LAYOUTS`."""
    return list(LAYOUTS[layout].rows(lines_of(study, **filters)))
