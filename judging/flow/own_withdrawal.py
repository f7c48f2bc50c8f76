from datetime import datetime, timedelta

from django.db import transaction
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from judging.flow.team_actions import lock_by_code, unit_of_code, withdraw_unit
from judging.models import Assignment, Study
from judging.states import Actor
from judging.studies.conduct.stages import CannotRun
from web.words import lazy_day

NO_SUCH_CODE = gettext_lazy("No set of documents here has this code.")
DELETED = gettext_lazy("The answers of this set are deleted already.")
OVER = gettext_lazy("These answers could be withdrawn until {day}.")


def withdrawable_until(assignment: Assignment) -> datetime | None:
    """Until when the answers of an ended unit can be withdrawn; None: while they exist."""
    days = assignment.study.withdraw_days
    if days is None or assignment.finished_at is None:
        return None
    return assignment.finished_at + timedelta(days=days)


def get_withdrawable(study: Study, code: str, now: datetime) -> Assignment:
    """The unit whose answers a worker may withdraw, by its completion code.

    Raises:
        CannotRun: no unit has the code, its judgments are deleted, or the study's days are over.
    """
    try:
        unit = unit_of_code(study, code)
    except CannotRun as fault:
        raise CannotRun(NO_SUCH_CODE, field="code") from fault
    until = withdrawable_until(unit)
    if not unit.judgments.exists():
        raise CannotRun(DELETED, field="code")
    if until is not None and now > until:
        raise CannotRun(format_lazy(OVER, day=lazy_day(until)), field="code")
    return unit


@transaction.atomic
def withdraw_own_unit(study: Study, code: str, now: datetime) -> Assignment:
    """Withdraw a unit's answers for its worker; the pay stays. Raises as `get_withdrawable`."""
    lock_by_code(study, code)
    get_withdrawable(study, code, now)
    return withdraw_unit(study, code, None, now, Actor.WORKER)
