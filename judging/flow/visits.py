from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from judging.models import Assignment, Visit
from web.database.rows import execute, select

OPEN = """
INSERT INTO judging_visit (assignment_id, position, opened_at) VALUES (%s, %s, %s)
ON CONFLICT DO NOTHING
"""  # "one_open_visit" decides
UPDATE_OPEN = """
UPDATE judging_visit SET {} WHERE assignment_id = %s AND closed_at IS NULL AND position <> %s
"""

VISITS = """
SELECT assignment_id, position, opened_at, closed_at FROM judging_visit
WHERE assignment_id = ANY(%s::bigint[])
"""


def leave_page(
    assignment: Assignment,
    to_page: int | None,
    now: datetime,
    counted: Mapping[str, float | None] | None = None,
) -> None:
    """End the open visit of a locked assignment, unless it is of `to_page`: that form came late.

    counted: what the browser counted on the page they leave, by fields of a visit.
    """
    _update_open_visit(assignment, {"closed_at": now, **(counted or {})}, besides=to_page)


def open_visit(assignment: Assignment, position: int, now: datetime) -> None:
    """A visit that is open goes on: a reload is not a new visit."""
    execute(OPEN, assignment.pk, position, now)


def _update_open_visit(
    assignment: Assignment, values: Mapping[str, Any], *, besides: int | None = None
) -> None:
    """besides: the page of which a visit goes on."""
    columns = ", ".join(f"{name} = %s" for name in values)
    execute(UPDATE_OPEN.format(columns), *values.values(), assignment.pk, besides or 0)


def update_browser_counts(assignment: Assignment, counted: Mapping[str, float | None]) -> None:
    if counted:
        _update_open_visit(assignment, counted)


def stored_browser_counts(assignment: Assignment) -> Mapping[str, float | None]:
    """For a page whose form was refused."""
    if not assignment.study.record_pasting:
        return {}
    open_visits = Visit.objects.filter(assignment=assignment, closed_at=None)
    row = open_visits.values_list("hidden_seconds", "pasted_characters").first()
    return {"hidden_seconds": row[0], "pasted_characters": row[1]} if row else {}


def seconds_by_page(assignments: Iterable[Assignment], now: datetime) -> dict[int, list[float]]:
    """Seconds on each document page so far, by assignment; an open visit lasts until now."""
    seconds: dict[int, list[float]] = {a.pk: [0.0] * a.last for a in assignments}
    for key, position, opened_at, closed_at in select(VISITS, list(seconds)):
        length = (closed_at or max(now, opened_at)) - opened_at
        seconds[key][position - 1] += length.total_seconds()
    return seconds
