from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, QuerySet

from accounts.models import User
from judging.models import Study, StudyTopic
from judging.studies import trail
from judging.studies.configuration.versions import record_change
from judging.studies.faults import BadStudy, Fault
from judging.studies.locks import reload_locked
from web import clock
from web.words import Words

Stage = Study.Stage
CENT = Decimal("0.01")


class CannotRun(BadStudy):
    """field: the value that is wrong, if it is one."""

    def __init__(self, *lines: Words, field: str = "") -> None:
        where = (field,) if field else ()
        super().__init__(*(Fault(where, line) for line in lines))


@contextmanager
def locked_at(study: Study, *stages: Stage, todo: str) -> Iterator[Study]:
    """Locked until the block ends: admissions wait; todo: what is to be done, as `be paused`.

    Raises CannotRun if the study is at none of these stages, or was judged elsewhere.
    """
    with transaction.atomic():
        study = reload_locked(study)
        if study.is_imported:
            raise CannotRun(f"Study {study} was judged elsewhere: it cannot {todo}.")
        if study.crowd == Study.Crowd.MODEL:
            raise CannotRun(f"A language model judges study {study}: pause or stop its run.")
        if study.stage not in stages:
            expected = " or ".join(stages)
            raise CannotRun(f"Study {study} is {study.stage}; to {todo} it must be {expected}.")
        yield study


def pause(study: Study, by: User | None) -> Study:
    """Whoever has begun a unit may finish it. Raises CannotRun if the study is not open."""
    with locked_at(study, Stage.OPEN, todo="be paused") as study:
        return _go_to(study, Stage.PAUSED, by, "paused")


def resume(study: Study, by: User | None) -> Study:
    with locked_at(study, Stage.PAUSED, todo="go on") as study:
        return _go_to(study, Stage.OPEN, by, "resumed")


def _go_to(study: Study, stage: Stage, by: User | None, action: str) -> Study:
    study.stage = stage
    study.save(update_fields=["stage"])
    trail.record(study, by, action)
    return study


def raise_payment(study: Study, payment: Decimal | str, by: User | None) -> Study:
    """For units begun from now on, in the study's currency, without the platform's fee.

    Raises CannotRun: no amount of money, no more than now, or nobody begins a unit any more.
    """
    with locked_at(study, Stage.OPEN, Stage.PAUSED, todo="pay more") as study:
        before, study.payment = study.payment, _amount(study, payment)
        if study.demo or study.rehearsal_of_id:
            kind = "demo" if study.demo else "rehearsal"
            raise CannotRun(f"Study {study} is a {kind}: it pays nothing.", field="payment")
        if study.payment <= before:
            raise CannotRun(
                f"A unit is paid {before} now; expected more than that. While people come, pay is "
                "never lowered.",
                field="payment",
            )
        study.save(update_fields=["payment"])
        changes = {"payment": [str(before), str(study.payment)]}
        record_change(study, by, "raised payment", changes=changes)
    return study


def _amount(study: Study, payment: Decimal | str) -> Decimal:
    try:
        amount: Decimal = Study._meta.get_field("payment").clean(payment, study)
    except ValidationError as fault:
        raise CannotRun(f"{payment}: {' '.join(fault.messages)}", field="payment") from fault
    return amount.quantize(CENT)


@transaction.atomic
def archive(study: Study, by: User | None) -> Study:
    """Lists leave it out unless asked for it. Raises CannotRun if the study is not closed."""
    study = reload_locked(study)
    if study.stage != Stage.CLOSED:
        raise CannotRun(f"Study {study} is {study.stage}; to be archived it must be closed.")
    return _set_archived(study, by, clock.now())


@transaction.atomic
def unarchive(study: Study, by: User | None) -> Study:
    return _set_archived(reload_locked(study), by, None)


def _set_archived(study: Study, by: User | None, at: datetime | None) -> Study:
    if bool(study.archived_at) != bool(at):
        study.archived_at = at
        study.save(update_fields=["archived_at"])
        trail.record(study, by, "archived" if at else "unarchived")
    return study


def count_all_judgments(study: Study, all_of_them: bool, by: User | None) -> Study:
    """Let judgments of batches count beyond the study's redundancy too, or no longer.

    Rankings follow. Raises CannotRun if the study is a draft, or was judged elsewhere.
    """
    with locked_at(study, Stage.OPEN, Stage.PAUSED, Stage.CLOSED, todo="count more") as study:
        if study.all_judgments != all_of_them:
            study.all_judgments = all_of_them
            study.save(update_fields=["all_judgments"])
            changed = StudyTopic.objects.filter(units__batch__study=study).distinct()
            increment_revisions(changed.values("pk"))
            trail.record(study, by, "counted all" if all_of_them else "counted redundancy")
    return study


def increment_revisions(topics: QuerySet[StudyTopic, Any]) -> None:
    """Have topics evaluated again, as other judgments count; topics: keys, locked in order."""
    keys = StudyTopic.objects.filter(pk__in=topics).order_by("pk").select_for_update(no_key=True)
    locked = list(keys.values_list("pk", flat=True))
    StudyTopic.objects.filter(pk__in=locked).update(revision=F("revision") + 1)
