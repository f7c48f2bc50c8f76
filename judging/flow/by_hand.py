"""What a study's team does to a unit by hand: release it from who left it, withdraw it."""

from datetime import datetime

from django.db import transaction

from accounts.models import User
from judging.flow.ending import end, withdraw
from judging.flow.moves import hold, not_before
from judging.models import Assignment, Study
from judging.states import By, State
from judging.studies import trail
from judging.studies.underway.running import CannotRun

LONGEST = 10  # digits of a unit's number, and more


def held_unit(study: Study, unit: str) -> Assignment:
    """The assignment of a worker who has a unit in hand, by topic and number, as in `402-17`.

    Raises:
        CannotRun: nobody has such a unit in hand.
    """
    query_id, _, number = unit.rpartition("-")
    live = Assignment.objects.live().filter(study=study).select_related("worker")
    of_unit = {"study_topic__topic__query_id": query_id, "unit__number": number}
    held = live.filter(**of_unit).first() if number.isdecimal() and len(number) < LONGEST else None
    if held is None:
        raise _nobody_has(unit)
    return held


def _nobody_has(unit: str) -> CannotRun:
    return CannotRun(f"Nobody has a unit {unit} in hand: look again, it may be done.", field="unit")


@transaction.atomic
def release_unit(study: Study, unit: str, by: User | None, now: datetime) -> Assignment:
    """Take a unit from the worker who has it in hand, and free it for others.

    What they entered is deleted; they may begin another unit.

    Args:
        unit: topic and number, as in `402-17`.

    Raises:
        CannotRun: nobody has such a unit in hand.
    """
    held = hold(held_unit(study, unit).token)
    if held is None:
        raise _nobody_has(unit)
    end([held], "release", State.RELEASED, By.TEAM, not_before(held, now))
    trail.record(study, by, "released", unit=unit, worker=held.worker.pseudonym)
    return held


def unit_of_code(study: Study, code: str) -> Assignment:
    """The unit that a completion code proves, in capitals or not.

    Raises:
        CannotRun: no unit of this study has the code.
    """
    paid = Assignment.objects.paid().filter(study=study, completion_code=code.strip().upper())
    unit = paid.select_related("worker", "unit__study_topic__topic").first()
    if unit is None:
        raise CannotRun(f"No completed unit of study {study} has this code.", field="code")
    return unit


def lock_code(study: Study, code: str) -> None:
    """Lock the assignment that a completion code is of, so that what is read of it then lasts."""
    list(Assignment.objects.locked().filter(study=study, completion_code=code.strip().upper()))


@transaction.atomic
def withdraw_unit(study: Study, code: str, by: User | None, now: datetime) -> Assignment:
    """Delete the judgments of a unit whose worker takes them back; see `withdraw`.

    Args:
        code: the unit's completion code.

    Raises:
        CannotRun: no unit of this study has the code, or its judgments are gone already.
    """
    lock_code(study, code)
    unit = unit_of_code(study, code)
    if withdraw(unit.completion_code or "", now, user=by) is None:
        raise CannotRun("The judgments of this unit are deleted already.", field="code")
    unit.refresh_from_db(fields=["state"])
    return unit
