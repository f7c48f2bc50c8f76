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
    OTHERS = "others"  # the study is for people and this is an artificial worker, or vice versa


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


def _takes(study: Study, simulated: bool) -> bool:
    """Whether the study takes artificial workers, or people: those of whom the first came."""
    crowd = Study.Crowd
    return study.crowd in (
        *(crowd.NOBODY, crowd.BOTH),
        crowd.ARTIFICIAL if simulated else crowd.PEOPLE,
    )


def _settles(study: Study, simulated: bool) -> bool:
    """Let the first worker of a study settle whom it takes; whether it is this kind."""
    crowd = Study.Crowd
    if study.crowd == crowd.NOBODY:
        study.crowd = crowd.ARTIFICIAL if simulated else crowd.PEOPLE
        if not Study.objects.filter(pk=study.pk, crowd=crowd.NOBODY).update(crowd=study.crowd):
            study.refresh_from_db(fields=["crowd"])
    return _takes(study, simulated)


def find_worker(study: Study, arrival: Arrival) -> Worker | None:
    """The worker who arrives, if they were here before."""
    workers = Worker.objects.filter(study=study)
    if arrival.external_id:
        return workers.filter(
            account__platform=arrival.platform, account__external_id=arrival.external_id
        ).first()
    return workers.filter(pseudonym=arrival.pseudonym).first()


def no_work_reason(
    study: Study, worker: Worker | None, *, simulated: bool = False
) -> NoWork | None:
    """Why no unit can be given to `worker` (None: to somebody new); None: one can."""
    if study.stage != Study.Stage.OPEN:
        return NoWork.CLOSED
    if worker is None and not _takes(study, simulated):
        return NoWork.OTHERS
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


# Every free unit has the same chance to be hit first. Where few are free the darts may all miss.
DARTS = 32
AIM = """
    SELECT floor(low + random() * (high - low + 1))::bigint
    FROM (SELECT min(id) AS low, max(id) AS high FROM judging_unit WHERE study_id = %s) ids,
         generate_series(1, %s)
"""


def _claim_unit(study: Study, worker: Worker) -> Unit | None:
    """Draw a free unit and take it, passing over those that others are taking just now."""
    free = _offered(study, worker).filter(free=True)
    unit = _hit(study, free) or _locked(free.order_by("?"))
    if unit is not None:
        unit.free = False
        unit.save(update_fields=["free"])
    return unit


def _hit(study: Study, free: QuerySet[Unit]) -> Unit | None:
    """The first of some random units that is free: to sort all of a large study takes long."""
    with connection.cursor() as cursor:
        cursor.execute(AIM, [study.pk, DARTS])
        aims = [row[0] for row in cursor.fetchall()]
    hits = set(free.filter(pk__in=aims).values_list("pk", flat=True))
    first = next((aim for aim in aims if aim in hits), None)
    return _locked(free.filter(pk=first)) if first else None


def _locked(units: QuerySet[Unit]) -> Unit | None:
    return units.select_for_update(skip_locked=True, no_key=True).first()


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
