"""Paid attempts that a backup does not know: they come back with the pay, without the answers."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import F

from judging.flow.ending import discard, release
from judging.models import (
    Assignment,
    Payment,
    PooledDocument,
    Study,
    StudyTopic,
    Unit,
    Worker,
)
from judging.states import LIVE, State

MOMENTS = ("started_at", "active_at", "deadline_at", "finished_at", "consented_at")


class CannotPlace(Exception):
    """The database has no place for it; the message says why."""


def earn_again(details: dict[str, Any]) -> None:
    """Have a payment that was earned after the backup, and the attempt that earned it.

    What the attempt's worker answered is lost: it stands as withdrawn, its unit is free again.

    Raises:
        CannotPlace: the study is gone, or was planned anew since the backup.
    """
    attempt = _attempt(details)
    Payment.objects.get_or_create(
        assignment=attempt,
        kind=details["kind"],
        defaults={
            "amount": Decimal(details["amount"]),
            "currency": details["currency"],
            "state_at": datetime.fromisoformat(details["state_at"]),
        },
    )


def _attempt(details: dict[str, Any]) -> Assignment:
    """The attempt, paid; as it is in the backup if it had ended there."""
    told = _read(details["attempt"])
    known = Assignment.objects.locked().filter(token=told["token"]).first()
    if known is not None and known.completion_code:
        return known
    if known is None:
        _insist_on_place(told)
        worker = _worker(told["study_id"], _read(details["worker"]))
        known = Assignment(worker=worker, payment=Decimal(details["payment"]))
    topic = StudyTopic.objects.filter(pk=told["study_topic_id"])
    was_live = known.pk is not None and known.state in LIVE
    for name, value in told.items():
        setattr(known, name, value)
    if known.state == State.COMPLETED:
        known.state = State.WITHDRAWN
        topic.update(revision=F("revision") + 2)  # it was completed, and is no more
    known.furthest, known.position = len(known.order), len(known.order)
    known.barred = not _is_barred_elsewhere(known)
    known.save()
    if was_live:
        discard([known])
        release([known])
    return known


def _read(told: dict[str, Any]) -> dict[str, Any]:
    """With its moments as such."""
    return {
        name: datetime.fromisoformat(value) if name in MOMENTS and value else value
        for name, value in told.items()
    }


def _insist_on_place(told: dict[str, Any]) -> None:
    units = Unit.objects.filter(
        pk=told["unit_id"], study=told["study_id"], study_topic=told["study_topic_id"]
    )
    if not units.exists():
        raise CannotPlace("the study has no such unit in the backup")
    documents = PooledDocument.objects.filter(study_topic=told["study_topic_id"])
    if documents.filter(pk__in=told["order"]).count() != len(told["order"]):
        raise CannotPlace("the pool of the topic is another one in the backup")


def _worker(study: int, told: dict[str, Any]) -> Worker:
    pseudonym = told.pop("pseudonym")
    Study.objects.filter(pk=study, crowd=Study.Crowd.NOBODY).update(crowd=Study.Crowd.PEOPLE)
    return Worker.objects.get_or_create(study_id=study, pseudonym=pseudonym, defaults=told)[0]


def _is_barred_elsewhere(attempt: Assignment) -> bool:
    same = Assignment.objects.filter(
        worker=attempt.worker_id, study_topic=attempt.study_topic_id, barred=True
    )
    return same.exclude(pk=attempt.pk).exists()
