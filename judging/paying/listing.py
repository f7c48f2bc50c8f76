"""What is owed to whom: as rows, and as lists in the form that a platform takes."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Coalesce

from judging.models import Payment, PlatformAccount, Study
from judging.models.unit import unit_name
from judging.platforms import PLATFORMS

COLUMNS = (
    *("platform", "participant", "submission", "code", "worker", "unit"),
    *("kind", "amount", "currency", "state", "earned_at"),
)


def payments(study: Study, **wanted: str) -> QuerySet[Any, Any]:
    """The payments of a study, oldest first, each with its `platform` and `unit_name`.

    Args:
        wanted: a value that they have, by the name of a field: state, kind, platform (empty: none).
    """
    rows = Payment.objects.of(study).with_worker().order_by("pk")
    named = rows.annotate(
        platform=Coalesce(F("assignment__worker__account__platform"), Value("")),
        unit_name=unit_name("assignment__"),
    )
    return named.filter(**wanted)


def submission_of(account: PlatformAccount | None) -> str:
    """A platform's id of the submission that a worker came by; empty: it has none."""
    if account is None or account.platform not in PLATFORMS:
        return ""
    return str(account.ids.get(PLATFORMS[account.platform].session, ""))


Rows = Iterable[tuple[Any, ...]]


def _all(rows: QuerySet[Any, Any]) -> Rows:
    for row in rows:
        account, assignment = row.account, row.assignment
        yield (
            *(row.platform, account.external_id if account else "", submission_of(account)),
            *(assignment.completion_code, assignment.worker.pseudonym, row.unit_name),
            *(row.kind, row.amount, row.currency, row.state, assignment.finished_at),
        )


def _participants(rows: QuerySet[Any, Any]) -> Rows:
    """Prolific's bulk approval takes ids of participants, one a line."""
    base = rows.filter(kind=Payment.Kind.BASE, platform="prolific", state__in=Payment.OPEN)
    yield from dict.fromkeys((row.account.external_id,) for row in base)


def _bonuses(rows: QuerySet[Any, Any]) -> Rows:
    """Prolific's bulk bonus payment takes an id and an amount a line, each participant once."""
    extra = rows.exclude(kind=Payment.Kind.BASE)
    amounts: dict[str, Decimal] = {}
    for row in extra.filter(platform="prolific", state__in=Payment.OPEN):
        participant = row.account.external_id
        amounts[participant] = amounts.get(participant, Decimal(0)) + row.amount
    yield from amounts.items()


class Layout(NamedTuple):
    """A form of a list to pay from: its columns, its rows, and whether the columns are named."""

    columns: tuple[str, ...]
    rows: Callable[[QuerySet[Any, Any]], Rows]
    has_header: bool = False


LAYOUTS = {
    "all": Layout(COLUMNS, _all, has_header=True),
    "prolific-approvals": Layout(("participant",), _participants),
    "prolific-bonuses": Layout(("participant", "amount"), _bonuses),
}


def list_to_pay_from(study: Study, layout: str = "all", **wanted: str) -> list[tuple[Any, ...]]:
    """The rows of a list with platforms' ids, for those who may see them.

    Args:
        layout: one of `LAYOUTS`.
    """
    return list(LAYOUTS[layout].rows(payments(study, **wanted)))
