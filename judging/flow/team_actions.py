from datetime import datetime

from django.db import transaction

from accounts.models import User
from judging.flow.ending import end, withdraw
from judging.flow.moves import at_least_last_activity, lock_live
from judging.models import Assignment, Study
from judging.states import Actor, State
from judging.studies import trail
from judging.studies.conduct.stages import CannotRun

MAX_UNIT_DIGITS = 9


def unit_in_progress(study: Study, unit: str) -> Assignment:
    """By topic and number, as in `402-17`; raises CannotRun if it is not in progress."""
    query_id, _, number = unit.rpartition("-")
    live = Assignment.objects.live().filter(study=study).select_related("worker")
    of_unit = {"study_topic__topic__query_id": query_id, "unit__number": number}
    is_number = number.isdecimal() and len(number) <= MAX_UNIT_DIGITS
    assignment = live.filter(**of_unit).first() if is_number else None
    if assignment is None:
        raise _not_in_progress(unit)
    return assignment


def _not_in_progress(unit: str) -> CannotRun:
    return CannotRun(f"Unit {unit} is not in progress: it may be done by now.", field="unit")


@transaction.atomic
def release_unit(study: Study, unit: str, by: User | None, now: datetime) -> Assignment:
    """Take a unit, as `402-17`, from its worker, and delete what they entered. Raises CannotRun."""
    assignment = lock_live(unit_in_progress(study, unit).token)
    if assignment is None:
        raise _not_in_progress(unit)
    now = at_least_last_activity(assignment, now)
    end([assignment], "release", State.RELEASED, Actor.TEAM, now)
    trail.record(study, by, "released", unit=unit, worker=assignment.worker.pseudonym)
    return assignment


def unit_of_code(study: Study, code: str) -> Assignment:
    """In any case of letters; raises CannotRun if no paid unit of the study has the code."""
    paid = Assignment.objects.paid().filter(study=study, completion_code=code.strip().upper())
    unit = paid.select_related("worker", "unit__study_topic__topic").first()
    if unit is None:
        raise CannotRun(f"No completed unit of study {study} has this code.", field="code")
    return unit


def lock_by_code(study: Study, code: str) -> None:
    list(Assignment.objects.locked().filter(study=study, completion_code=code.strip().upper()))


@transaction.atomic
def withdraw_unit(
    study: Study, code: str, user: User | None, now: datetime, by: Actor = Actor.TEAM
) -> Assignment:
    """Delete the judgments of a unit, by its completion code, as its worker asks; see `withdraw`.

    Raises:
        CannotRun: no unit of this study has the code, or its judgments are gone already.
    """
    lock_by_code(study, code)
    unit = unit_of_code(study, code)
    if withdraw(unit.completion_code or "", now, by, user) is None:
        raise CannotRun("The judgments of this unit are deleted already.", field="code")
    unit.refresh_from_db(fields=["state"])
    return unit
