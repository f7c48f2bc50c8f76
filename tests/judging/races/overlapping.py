"""Two decisions on one row at once: what comes of it is what one after the other gives.

The second begins when the first has done all but commit, which is the moment in which a decision
that was taken on what it read before it waited shows.
"""

import time
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from django.db import connection, transaction

from judging.models import (
    Assignment,
    Batch,
    Invitation,
    Membership,
    Participant,
    Payment,
    RecordEntry,
    Study,
    StudyTopic,
    TrailEntry,
    Unit,
    Worker,
)
from judging.studies.faults import BadStudy
from judging.studies.team import CannotChange
from judging.studies.unit_plans import CannotPlan
from tests.database import Elsewhere
from tests.judging.invariants import broken
from tests.judging.races.racing import rounds_of

TIMEOUT = 20  # seconds
Decision = Callable[[], Any]
# What there is in the end; of times, and of what is random, whether it is there.
ROWS: dict[type, tuple[str, ...]] = {
    Study: ("slug", "stage", "payment", "version", "archived_at?", "all_judgments"),
    Payment: ("state", "category", "reason"),
    Assignment: ("worker__pseudonym", "state", "completion_code?", "failed_finishes"),
    Unit: ("free",),
    Batch: ("number", "redundancy"),
    Worker: ("pseudonym", "exclusion_reason"),
    StudyTopic: ("topic", "revision"),
    Membership: ("user", "role"),
    Invitation: ("note", "accepted_by"),
    Participant: ("study",),
}


def not_serial(decisions: Mapping[str, Decision]) -> list[str]:
    """The pairs of decisions that end, at once, as they do in neither order."""
    pairs = list(product(decisions, repeat=2))
    seen: dict[Any, dict[str, Any]] = {}
    wrong = []
    turns = zip(rounds_of(2 * len(pairs)), product((_one_by_one, _at_once), pairs), strict=True)
    for _, (act, names) in turns:
        answers = act(*(decisions[name] for name in names))
        seen[act, names] = _with_rows(dict(zip(names, answers, strict=True)), answers)
        if faults := broken():
            wrong.append(f"{names}, {act.__name__}: {faults}")
    for names in pairs:
        serial = seen[_one_by_one, names], seen[_one_by_one, names[::-1]]
        if (end := seen[_at_once, names]) not in serial:
            wrong.append(f"{names}: {_unlike(end, serial[0])}")
    return wrong


def _one_by_one(first: Decision, second: Decision) -> tuple[str, str]:
    return _answer(first), _answer(second)


def _at_once(first: Decision, second: Decision) -> tuple[str, str]:
    with transaction.atomic():
        answer = _answer(first)
        other = Elsewhere(lambda: _answer(second))
        settle(other)
    return answer, other.result()


def settle(*others: Elsewhere) -> None:
    """Wait until each is done, or waits for a lock."""
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute("SELECT DISTINCT pid FROM pg_locks WHERE NOT granted")
            if cursor.rowcount >= sum(other.is_alive() for other in others):
                return
        time.sleep(0.001)
    raise AssertionError("neither done nor waiting")


def _answer(decision: Decision) -> str:
    """What somebody reads who decides so."""
    try:
        with transaction.atomic():
            answer = decision()
    except (BadStudy, CannotChange, CannotPlan) as refusal:
        return str(refusal)
    return str(answer) if isinstance(answer, int | str) else type(answer).__name__


def _with_rows(by_name: dict[str, str], answers: tuple[str, str]) -> dict[str, Any]:
    """What there is in the end; of one decision twice, it does not matter which was which."""
    rows: dict[str, Any] = {
        model.__name__: sorted(str(_plain(row, names)) for row in _read(model, names))
        for model, names in ROWS.items()
    }
    trail = TrailEntry.objects.order_by("pk").values_list("action", "details")
    record = RecordEntry.objects.order_by("pk").values_list("kind", "details")
    told = [(kind, details.get("state"), details.get("reason")) for kind, details in record]
    said = sorted(answers) if len(by_name) == 1 else by_name
    return rows | {"answers": said, "trail": list(trail), "record": told}


def _read(model: Any, names: tuple[str, ...]) -> Any:
    return model.objects.values_list(*(name.strip("?") for name in names))


def _plain(row: tuple[Any, ...], names: tuple[str, ...]) -> list[Any]:
    return [
        bool(value) if name.endswith("?") else value for value, name in zip(row, names, strict=True)
    ]


def _unlike(one: dict[str, Any], other: dict[str, Any]) -> str:
    return "; ".join(
        f"{name} {one[name]}, one after the other {other[name]}"
        for name in one
        if one[name] != other[name]
    )
