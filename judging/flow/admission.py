"""Who may begin a unit, and which."""

import random
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db import connection, transaction

from judging import states
from judging.flow.offer import Claimed, NoWork, claim, no_work_reason, takes
from judging.models import Assignment, PlatformAccount, Study, Worker
from judging.states import State

# Three clearly different lengths that fit a screen of 320 pixels.
LINE_LENGTHS = ((40, 70), (105, 145), (200, 250))
KNOWN = """
    SELECT id, study_id, pseudonym, simulated, consented_at, consent_version, practised
    FROM judging_worker WHERE study_id = %s AND pseudonym = %s
"""
ENROL = """
    INSERT INTO judging_worker
        (study_id, pseudonym, simulated, consented_at, consent_version, practised)
    VALUES (%s, %s, %s, %s, %s, false) ON CONFLICT (study_id, pseudonym) DO NOTHING
    RETURNING id, study_id, pseudonym, simulated, consented_at, consent_version, practised
"""


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
    # In this order: who begins on another device just now is found, if their unit is the last.
    reason = no_work_reason(study, None, simulated=arrival.simulated)
    known = find_worker(study, arrival)
    if known is None and reason:
        return None, reason
    if not (known or _settles(study, arrival.simulated)):
        return None, NoWork.OTHERS
    worker, is_new = (known, False) if known else _enrol(study, arrival, now)
    if not is_new:  # whom this transaction has made nobody else can give a unit
        if _has_a_unit(worker):
            return worker, None
        if reason := no_work_reason(study, worker.pk):
            return worker, reason
    unit = claim(study, worker.pk)
    if unit is None:
        return worker, NoWork.LATER
    _assign(study, worker, unit, now)
    return worker, None


def _stays_open(study: Study) -> bool:
    """Whether the study is open now; closing it then waits until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT stage FROM judging_study WHERE id = %s FOR KEY SHARE", [study.pk])
        return cursor.fetchone() == (Study.Stage.OPEN,)


def _settles(study: Study, simulated: bool) -> bool:
    """Let the first worker of a study settle whom it takes; whether it is this kind."""
    crowd = Study.Crowd
    kind = crowd.ARTIFICIAL if simulated else crowd.PEOPLE
    unsettled = Study.objects.filter(pk=study.pk, crowd=crowd.NOBODY)
    if study.crowd == crowd.NOBODY and not unsettled.update(crowd=kind):
        study = Study.objects.get(pk=study.pk)
    return takes(study, simulated)


def _has_a_unit(worker: Worker) -> bool:
    """Whether they have a unit in hand. Until the transaction ends nobody can give them another."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM judging_worker WHERE id = %s FOR NO KEY UPDATE", [worker.pk])
        cursor.execute(
            "SELECT FROM judging_assignment WHERE worker_id = %s AND state = ANY(%s)",
            [worker.pk, list(states.LIVE)],
        )
        return bool(cursor.rowcount)


def find_worker(study: Study, arrival: Arrival) -> Worker | None:
    """The worker who arrives, if they were here before."""
    if arrival.external_id:
        return Worker.objects.filter(
            study=study,
            account__platform=arrival.platform,
            account__external_id=arrival.external_id,
        ).first()
    with connection.cursor() as cursor:
        cursor.execute(KNOWN, [study.pk, arrival.pseudonym])
        row = cursor.fetchone()
    return Worker(*row) if row else None


def _enrol(study: Study, arrival: Arrival, now: datetime) -> tuple[Worker, bool]:
    """Make the worker, or take the one that another tab or device has made meanwhile; is it new?"""
    given: list[Any] = [study.pk, arrival.pseudonym]
    given += [arrival.simulated, now, consent_version(study)]
    with connection.cursor() as cursor:
        cursor.execute(ENROL, given)
        made = cursor.fetchone()
        if made is None:
            cursor.execute(KNOWN, given[:2])
        worker = Worker(*(made or cursor.fetchone()))
    if not (made and arrival.external_id):
        return worker, bool(made)
    account, mine = PlatformAccount.objects.get_or_create(
        study=study,
        platform=arrival.platform,
        external_id=arrival.external_id,
        defaults={"worker": worker, "ids": arrival.ids},
    )
    if not mine:
        worker.delete()
    return account.worker, mine


def _assign(study: Study, worker: Worker, unit: Claimed, now: datetime) -> None:
    practised = study.practice == Study.Practice.ONCE and worker.practised
    state = State.INSTRUCTIONS if practised else State.PRACTICE
    states.check("admit", None, state, states.By.WORKER)
    draw = random.SystemRandom()
    lines = [draw.randint(*bounds) for bounds in LINE_LENGTHS]
    draw.shuffle(lines)
    Assignment.objects.create(
        study=study,
        study_topic_id=unit.study_topic,
        unit_id=unit.unit,
        worker=worker,
        token=secrets.token_urlsafe(12),
        state=state,
        lines=lines,
        option_order=draw.sample(range(4), 4),
        order=draw.sample(unit.documents, len(unit.documents)),
        started_at=now,
        active_at=now,
        deadline_at=now + timedelta(minutes=study.expiry_minutes),
        payment=study.payment,
    )
