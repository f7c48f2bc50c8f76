"""Who may begin a unit, and which."""

import random
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from django.db import connection, transaction
from django.db.models import QuerySet

from judging import states
from judging.models import Assignment, PlatformAccount, Study, Unit, UnitDocument, Worker
from judging.states import State

# Three clearly different lengths that fit a screen of 320 pixels.
LINE_LENGTHS = ((40, 70), (105, 145), (200, 250))


class NoWork(StrEnum):
    """Why nothing can be offered."""

    CLOSED = "closed"
    FINAL = "final"  # every open topic is done, or barred for this worker
    LATER = "later"  # all units are taken just now


@dataclass(frozen=True)
class Arrival:
    """Who comes: a pseudonym to be, and what a participant platform says about them."""

    pseudonym: str
    platform: str = ""
    external_id: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    simulated: bool = False


def new_pseudonym() -> str:
    """A random name for a worker."""
    return secrets.token_hex(8)


def consent_version(study: Study) -> str:
    """A digest of everything a worker agrees to."""
    text = (study.consent, study.contact, study.ethics_approval, str(study.retention_days))
    return sha256("\0".join(text).encode()).hexdigest()[:16]


@transaction.atomic
def admit(study: Study, arrival: Arrival, now: datetime) -> tuple[Worker | None, NoWork | None]:
    """Reserve a free unit for a worker who agrees to take part, or to start again.

    The unit is drawn at random from all that are free on topics the worker may still judge, so
    that a topic's chance is proportional to its free units. A worker with a live assignment keeps
    it. Safe in any number of tabs at once.

    Returns:
        The worker (none is made where there is no work for a new one), and why there is no unit.
    """
    if not _stays_open(study):
        return None, NoWork.CLOSED
    if arrival.simulated and not study.demo:
        raise ValueError(f"Study {study} is for people: it takes no artificial workers.")
    # In this order: who begins on another device just now is found, if their unit is the last.
    reason = no_work_reason(study, None)
    known = find_worker(study, arrival)
    if known is None and reason:
        return None, reason
    worker = known or _enrol(study, arrival, now)
    Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
    if Assignment.objects.filter(worker=worker, state__in=states.LIVE).exists():
        return worker, None
    if reason := no_work_reason(study, worker):
        return worker, reason
    unit = _claim_unit(study, worker)
    if unit is None:
        return worker, NoWork.LATER
    _assign(study, worker, unit, now)
    return worker, None


def _stays_open(study: Study) -> bool:
    """Whether the study is open now; closing it then waits until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT stage FROM judging_study WHERE id = %s FOR KEY SHARE", [study.pk])
        return cursor.fetchone() == (Study.Stage.OPEN,)


def find_worker(study: Study, arrival: Arrival) -> Worker | None:
    """The worker who arrives, if they were here before."""
    workers = Worker.objects.filter(study=study)
    if arrival.external_id:
        return workers.filter(
            account__platform=arrival.platform, account__external_id=arrival.external_id
        ).first()
    return workers.filter(pseudonym=arrival.pseudonym).first()


def no_work_reason(study: Study, worker: Worker | None) -> NoWork | None:
    """Why `worker` (None: somebody new) cannot be given a unit now; None: they can."""
    if study.stage != Study.Stage.OPEN:
        return NoWork.CLOSED
    if worker and study.max_units_per_worker:
        paid = Assignment.objects.filter(worker=worker, state__in=states.PAID).count()
        if paid >= study.max_units_per_worker:
            return NoWork.FINAL
    units = _offered(study, worker)
    if units.filter(free=True).exists():
        return None
    held_for_good = Assignment.objects.filter(study=study, state=State.COMPLETED).values("unit")
    return NoWork.LATER if units.exclude(pk__in=held_for_good).exists() else NoWork.FINAL


def _offered(study: Study, worker: Worker | None) -> QuerySet[Unit]:
    """The units, free or not, of topics that are not barred, without those they had before."""
    units = Unit.objects.filter(study=study)
    if worker is None:
        return units
    mine = Assignment.objects.filter(worker=worker)
    return units.exclude(
        study_topic__in=list(mine.filter(barred=True).values_list("study_topic", flat=True))
    ).exclude(pk__in=list(mine.values_list("unit", flat=True)))


def _enrol(study: Study, arrival: Arrival, now: datetime) -> Worker:
    """Make the worker, or take the one that another tab or device has made meanwhile."""
    worker, made = Worker.objects.get_or_create(
        study=study,
        pseudonym=arrival.pseudonym,
        defaults={
            "simulated": arrival.simulated,
            "consented_at": now,
            "consent_version": consent_version(study),
        },
    )
    if not (made and arrival.external_id):
        return worker
    account, mine = PlatformAccount.objects.get_or_create(
        study=study,
        platform=arrival.platform,
        external_id=arrival.external_id,
        defaults={"worker": worker, "ids": arrival.ids},
    )
    if not mine:
        worker.delete()
    return account.worker


def _claim_unit(study: Study, worker: Worker) -> Unit | None:
    """Draw a free unit and take it, passing over those that others are taking just now."""
    unit = (
        _offered(study, worker)
        .filter(free=True)
        .order_by("?")
        .select_for_update(skip_locked=True, no_key=True)
        .first()
    )
    if unit is not None:
        unit.free = False
        unit.save(update_fields=["free"])
    return unit


def _assign(study: Study, worker: Worker, unit: Unit, now: datetime) -> None:
    practised = study.practice == Study.Practice.ONCE and worker.practised
    state = State.INSTRUCTIONS if practised else State.PRACTICE
    states.check("admit", None, state, states.By.WORKER)
    draw = random.SystemRandom()
    order = list(UnitDocument.objects.filter(unit=unit).values_list("document_id", flat=True))
    draw.shuffle(order)
    lines = [draw.randint(*bounds) for bounds in LINE_LENGTHS]
    draw.shuffle(lines)
    Assignment.objects.create(
        study=study,
        study_topic_id=unit.study_topic_id,
        unit=unit,
        worker=worker,
        token=secrets.token_urlsafe(12),
        state=state,
        lines=lines,
        option_order=draw.sample(range(4), 4),
        order=order,
        started_at=now,
        active_at=now,
        deadline_at=now + timedelta(minutes=study.expiry_minutes),
        payment=study.payment,
    )
