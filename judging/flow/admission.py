import random
import secrets
from datetime import datetime
from hashlib import sha256

from django.conf import settings
from django.db import transaction

from judging import states
from judging.flow.moves import idle_timeout
from judging.flow.offer import (
    Arrival,
    NoWork,
    claim,
    first_step,
    is_verified,
    kind_of_crowd,
    no_work_reason,
    reason_of_stage,
)
from judging.flow.standing import read_standing
from judging.models import Assignment, PlatformAccount, Study, Unit, Worker
from judging.models.wording import TEXTS_VERSION
from judging.states import State
from web.encryption import digests

# Three clearly different lengths that fit a screen of 320 pixels.
LINE_LENGTHS = ((40, 70), (105, 145), (200, 250))
# Without those that people confuse: 0 and O, 1, I and L, 2 and Z, 5 and S, 8 and B, U and V.
RESUME_ALPHABET = "34679ACDEFGHJKMNPQRTWXY"
RESUME_LENGTH = 10


def new_pseudonym() -> str:
    return secrets.token_hex(8)


def new_resume_code() -> str:
    return "".join(secrets.choice(RESUME_ALPHABET) for _ in range(RESUME_LENGTH))


# The settings that `consent_version` reads.
CONSENT_SETTINGS = [
    *("introduction", "practice_instructions", "instructions", "level_descriptions"),
    *("consent", "consent_by"),
    *("contact", "ethics_approval", "ethics_exemption"),
    *("retention_days", "withdraw_days", "record_pasting", "language"),
]


def consent_version(study: Study) -> str:
    """A digest of everything a worker agrees to, and of the study's own instructions."""
    text = [study.consent, study.contact, study.ethics_approval, str(study.retention_days)]
    if study.ethics_exemption:
        text.append(f"exempt, because {study.ethics_exemption}")
    if study.withdraw_days is not None:
        text.append(f"withdrawn within {study.withdraw_days} days")
    if study.language != settings.LANGUAGE_CODE:
        text.append(f"read in {study.language}")
    if study.record_pasting:
        text.append("pasting is recorded")
    if study.has_consent_box:
        text.append("agreed by a box")
    if study.custom_texts:
        text += ["instructed by", *study.custom_texts]
    return sha256("\0".join(text).encode()).hexdigest()[:16]


def texts_version(study: Study) -> str:
    """Of all that workers read before the topic: our texts, and what the study's own say."""
    return f"{TEXTS_VERSION}-{consent_version(study)}"


@transaction.atomic
def admit(study: Study, arrival: Arrival, now: datetime) -> tuple[Worker | None, NoWork | None]:
    """Reserve a free unit for a worker who agrees to take part, or to start again.

    A worker with a live assignment keeps it. The study's row is locked, so that admissions, pausing
    and closing take turns, and any number of tabs may ask at once. Returns the worker (a newcomer
    without work is not made one), and why there is no unit.
    """
    locked = Study.objects.locked().filter(pk=study.pk).first()
    if locked is None:  # it was deleted meanwhile
        return None, NoWork.CLOSED
    study = locked
    if not_open := reason_of_stage(study):
        return None, not_open
    worker = find_worker(study, arrival)
    if worker and worker.assignments.live().exists():
        return worker, None
    standing = read_standing(study, worker)
    if reason := no_work_reason(standing, arrival, now):
        return worker, reason
    worker = worker or _create_worker(study, arrival, now)
    unit = claim(study, worker)
    if unit is None:
        return worker, NoWork.LATER
    _assign(study, worker, unit, first_step(standing), now)
    return worker, None


def find_worker(study: Study, arrival: Arrival) -> Worker | None:
    workers = Worker.objects.filter(study=study)
    if arrival.external_id:
        with_account = workers.filter(
            account__platform=arrival.platform,
            account__external_id_hash__in=digests(arrival.external_id),
        )
        if worker := with_account.first():
            return worker
    return workers.filter(pseudonym=arrival.pseudonym).first()


def _create_worker(study: Study, arrival: Arrival, now: datetime) -> Worker:
    """The first worker settles whether the study takes people or artificial workers."""
    if arrival.external_id:
        PlatformAccount._meta.get_field("external_id").validate_key()
    if study.crowd == Study.Crowd.NOBODY:
        study.crowd = kind_of_crowd(simulated=arrival.simulated)
        study.save(update_fields=["crowd"])
    worker = Worker.objects.create(
        study=study,
        pseudonym=arrival.pseudonym,
        simulated=arrival.simulated,
        verified=is_verified(study, arrival),
        consented_at=now,
        consent_version=consent_version(study),
        resume_code=new_resume_code(),
    )
    if arrival.external_id:
        PlatformAccount.objects.create(
            worker=worker,
            study=study,
            platform=arrival.platform,
            external_id=arrival.external_id,
            ids=arrival.ids,
        )
    return worker


def _assign(study: Study, worker: Worker, unit: Unit, state: State, now: datetime) -> None:
    states.check("admit", None, state, states.Actor.WORKER)
    documents = list(unit.documents.order_by("pk").values_list("pk", flat=True))
    draw = random.SystemRandom()
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
        order=draw.sample(documents, len(documents)),
        started_at=now,
        active_at=now,
        deadline_at=now + idle_timeout(study, state, 0),
        progressed_at=now,
        payment=study.payment,
        texts_version=texts_version(study),
    )
