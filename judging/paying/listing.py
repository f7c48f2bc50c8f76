"""What is owed to whom: as rows, and as lists in the form that a platform takes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Coalesce

from judging.models import Payment, Study
from judging.models.unit import unit_name
from judging.platforms import PLATFORMS

ACCOUNT = "assignment__worker__account__"
PATHS = (
    *("pk", "platform", f"{ACCOUNT}external_id", f"{ACCOUNT}ids", "assignment__completion_code"),
    *("assignment__worker__pseudonym", "unit_name", "kind", "amount", "currency", "state"),
    "assignment__finished_at",
)


class Line(NamedTuple):
    """A payment as lists have it; empty platform and ids where none sent the worker."""

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


def payments(study: Study, **wanted: str) -> QuerySet[Payment, Any]:
    """The payments of a study, oldest first, each with its `platform` and `unit_name`.

    Args:
        wanted: a value that they have, by the name of a field: state, kind, platform (empty: none).
    """
    rows = Payment.objects.of(study).with_worker().order_by("pk")
    named = rows.annotate(
        platform=Coalesce(F(f"{ACCOUNT}platform"), Value("")),
        unit_name=unit_name("assignment__"),
    )
    return named.filter(**wanted)


def lines_of(study: Study, **wanted: str) -> Iterator[Line]:
    """The same as lines."""
    for key, platform, participant, ids, code, *rest in payments(study, **wanted).values_list(
        *PATHS
    ):
        submission = submission_of(platform, ids or {})
        yield Line(key, platform, participant or "", submission, code or "", *rest)


def submission_of(platform: str, ids: Mapping[str, Any]) -> str:
    """A platform's id of the submission that a worker came by; empty: it has none."""
    return str(ids.get(PLATFORMS[platform].session, "")) if platform in PLATFORMS else ""


Rows = Iterable[tuple[Any, ...]]


def _all(lines: Iterable[Line]) -> Rows:
    return (line[1:] for line in lines)


def _participants(lines: Iterable[Line]) -> Rows:
    """Prolific's bulk approval takes ids of participants, one a line."""
    base = (line for line in _to_pay(lines) if line.kind == Payment.Kind.BASE)
    return dict.fromkeys((line.participant,) for line in base)


def _bonuses(lines: Iterable[Line]) -> Rows:
    """Prolific's bulk bonus payment takes an id and an amount a line, each participant once."""
    amounts: dict[str, Decimal] = {}
    for line in _to_pay(lines):
        if line.kind != Payment.Kind.BASE:
            amounts[line.participant] = amounts.get(line.participant, Decimal(0)) + line.amount
    return amounts.items()


def _to_pay(lines: Iterable[Line]) -> Iterator[Line]:
    """Those of people from Prolific that are not paid yet."""
    return (line for line in lines if line.platform == "prolific" and line.state in Payment.OPEN)


class Layout(NamedTuple):
    """A form of a list to pay from: its columns, its rows, and whether the columns are named."""

    columns: tuple[str, ...]
    rows: Callable[[Iterable[Line]], Rows]
    has_header: bool = False


LAYOUTS = {
    "all": Layout(Line._fields[1:], _all, has_header=True),
    "prolific-approvals": Layout(("participant",), _participants),
    "prolific-bonuses": Layout(("participant", "amount"), _bonuses),
}


def list_to_pay_from(study: Study, layout: str = "all", **wanted: str) -> list[tuple[Any, ...]]:
    """The rows of a list with platforms' ids, for those who may see them.

    Args:
        layout: one of `LAYOUTS`.
    """
    return list(LAYOUTS[layout].rows(lines_of(study, **wanted)))
