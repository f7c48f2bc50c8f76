from collections.abc import Iterable, Mapping
from datetime import datetime

from judging.models import Assignment, Visit


def leave_page(
    assignment: Assignment,
    to_page: int | None,
    now: datetime,
    counted: Mapping[str, float | None] | None = None,
) -> None:
    """End the open visit of a locked assignment, unless it is of `to_page`: that form came late.

    counted: what the browser counted on the page they leave, by fields of a visit.
    """
    visit = Visit.objects.filter(assignment=assignment, closed_at=None)
    if to_page is not None:
        visit = visit.exclude(position=to_page)
    visit.update(closed_at=now, **(counted or {}))


def open_visit(assignment: Assignment, position: int, now: datetime) -> None:
    """A visit that is open goes on: a reload is not a new visit."""
    visit = Visit(assignment=assignment, position=position, opened_at=now)
    Visit.objects.bulk_create([visit], ignore_conflicts=True)  # "one_open_visit" decides


def update_browser_counts(assignment: Assignment, counted: Mapping[str, float | None]) -> None:
    if counted:
        Visit.objects.filter(assignment=assignment, closed_at=None).update(**counted)


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
    for visit in Visit.objects.filter(assignment__in=list(seconds)):
        length = (visit.closed_at or max(now, visit.opened_at)) - visit.opened_at
        seconds[visit.assignment_id][visit.position - 1] += length.total_seconds()
    return seconds
