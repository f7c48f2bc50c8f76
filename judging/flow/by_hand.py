"""What a study's team does to a unit by hand: release it from who left it, withdraw it."""

from datetime import datetime

from django.db import transaction

from accounts.models import User
from judging.flow.ending import end, withdraw
from judging.models import Assignment, Study
from judging.states import By, State
from judging.studies import trail
from judging.studies.running import CannotRun


@transaction.atomic
def release_unit(study: Study, unit: str, by: User | None, now: datetime) -> Assignment:
    """Take a unit from the worker who has it in hand, and free it for others.

    What they entered is deleted; they may begin another unit.

    Args:
        unit: topic and number, as in `402-17`.

    Raises:
        CannotRun: nobody has such a unit in hand.
    """
    query_id, _, number = unit.rpartition("-")
    live = Assignment.objects.locked().live().filter(study=study)
    of_unit = {"study_topic__topic__query_id": query_id, "unit__number": number}
    held = live.filter(**of_unit).first() if number.isdecimal() and len(number) < 10 else None
    if held is None:
        raise CannotRun(
            f"Nobody has a unit {unit} in hand: look again, it may be done.", field="unit"
        )
    end([held], "release", State.RELEASED, By.TEAM, max(now, held.active_at))
    trail.record(study, by, "released", unit=unit, worker=held.worker.pseudonym)
    return held


@transaction.atomic
def withdraw_unit(study: Study, code: str, by: User | None, now: datetime) -> Assignment:
    """Delete the judgments of a unit whose worker takes them back; see `withdraw`.

    Args:
        code: the unit's completion code.

    Raises:
        CannotRun: no unit of this study has the code, or its judgments are gone already.
    """
    code = code.strip().upper()
    if not Assignment.objects.filter(study=study, completion_code=code).exists():
        raise CannotRun(f"No completed unit of study {study} has the code {code}.", field="code")
    withdrawn = withdraw(code, now)
    if withdrawn is None:
        raise CannotRun(f"The judgments with the code {code} are deleted already.", field="code")
    unit = f"{withdrawn.study_topic.topic.query_id}-{withdrawn.unit.number}"
    trail.record(study, by, "withdrew", unit=unit, worker=withdrawn.worker.pseudonym)
    return withdrawn
