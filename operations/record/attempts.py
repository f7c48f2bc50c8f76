"""Paid attempts that a backup does not have: restored with the payment, without answers."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import F

from judging.flow.ending import delete_answers, free_units
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

TIME_FIELDS = ("started_at", "active_at", "deadline_at", "finished_at", "consented_at")


class CannotRestore(Exception):
    """It does not fit into the database; the message says why."""


def restore_payment(details: dict[str, Any]) -> None:
    """Restore a payment that was earned after the backup, and its attempt.

    The worker's answers are lost: the attempt is withdrawn, and its unit is free again.

    Raises:
        CannotRestore: the study is gone, or was planned anew since the backup.
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
    """The attempt, paid; unchanged if it has ended in the backup."""
    fields = _parsed(details["attempt"])
    attempt = Assignment.objects.locked().filter(token=fields["token"]).first()
    if attempt is not None and attempt.completion_code:
        return attempt
    if attempt is None:
        _check_place(fields)
        worker = _worker(fields["study_id"], _parsed(details["worker"]))
        attempt = Assignment(worker=worker, payment=Decimal(details["payment"]))
    topic = StudyTopic.objects.filter(pk=fields["study_topic_id"])
    was_live = attempt.pk is not None and attempt.state in LIVE
    for name, value in fields.items():
        setattr(attempt, name, value)
    if attempt.state == State.COMPLETED:
        attempt.state = State.WITHDRAWN
        topic.update(revision=F("revision") + 2)  # once for completed, once for withdrawn
    attempt.furthest, attempt.position = len(attempt.order), len(attempt.order)
    attempt.barred = not _is_barred_elsewhere(attempt)
    attempt.save()
    if was_live:
        delete_answers([attempt])
        free_units([attempt])
    return attempt


def _parsed(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with times parsed."""
    return {
        name: datetime.fromisoformat(value) if name in TIME_FIELDS and value else value
        for name, value in fields.items()
    }


def _check_place(fields: dict[str, Any]) -> None:
    units = Unit.objects.filter(
        pk=fields["unit_id"], study=fields["study_id"], study_topic=fields["study_topic_id"]
    )
    if not units.exists():
        raise CannotRestore("the study has no such unit in the backup")
    documents = PooledDocument.objects.filter(study_topic=fields["study_topic_id"])
    if documents.filter(pk__in=fields["order"]).count() != len(fields["order"]):
        raise CannotRestore("the pool of the topic is another one in the backup")


def _worker(study: int, fields: dict[str, Any]) -> Worker:
    pseudonym = fields.pop("pseudonym")
    Study.objects.filter(pk=study, crowd=Study.Crowd.NOBODY).update(crowd=Study.Crowd.PEOPLE)
    return Worker.objects.get_or_create(study_id=study, pseudonym=pseudonym, defaults=fields)[0]


def _is_barred_elsewhere(attempt: Assignment) -> bool:
    same = Assignment.objects.filter(
        worker=attempt.worker_id, study_topic=attempt.study_topic_id, barred=True
    )
    return same.exclude(pk=attempt.pk).exists()
