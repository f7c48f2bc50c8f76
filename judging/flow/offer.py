"""What a study can offer a worker: a free unit of a topic that is open to them, drawn at random."""

from dataclasses import dataclass
from enum import StrEnum

from django.db import connection

from judging.models import Study


class NoWork(StrEnum):
    """Why nothing can be offered."""

    CLOSED = "closed"
    FINAL = "final"  # every open topic is done, or barred for this worker
    LATER = "later"  # all units are taken just now
    OTHERS = "others"  # the study is for people and this is an artificial worker, or vice versa


# Functions of the database, made by the migration `offers`.
OFFER = "SELECT * FROM judging_offer(%s, %s)"
CLAIM = "SELECT * FROM judging_claim(%s, %s, %s)"
DARTS = 32


@dataclass(frozen=True)
class Claimed:
    """A unit that has just been reserved; documents: keys of its pooled documents."""

    unit: int
    study_topic: int
    documents: list[int]


def takes(study: Study, simulated: bool) -> bool:
    """Whether the study takes artificial workers, or people: those of whom the first came."""
    crowd = Study.Crowd
    kind = crowd.ARTIFICIAL if simulated else crowd.PEOPLE
    return study.crowd in (crowd.NOBODY, crowd.BOTH, kind)


def no_work_reason(study: Study, worker: int | None, *, simulated: bool = False) -> NoWork | None:
    """Why no unit can be given to `worker` (None: to somebody new); None: one can."""
    if study.stage != Study.Stage.OPEN:
        return NoWork.CLOSED
    if worker is None and not takes(study, simulated):
        return NoWork.OTHERS
    with connection.cursor() as cursor:
        cursor.execute(OFFER, [study.pk, worker])
        paid, is_free, may_come_back = cursor.fetchone()
    if study.max_units_per_worker and paid >= study.max_units_per_worker:
        return NoWork.FINAL
    if is_free:
        return None
    return NoWork.LATER if may_come_back else NoWork.FINAL


def claim(study: Study, worker: int) -> Claimed | None:
    """Draw a free unit and take it, passing over those that others are taking just now."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, [study.pk, worker, DARTS])
        row = cursor.fetchone()
    return Claimed(*row) if row else None
