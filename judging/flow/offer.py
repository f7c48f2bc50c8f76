"""What a study can offer a worker: a free unit of a topic that is open to them, drawn at random."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db import connection

from judging.models import Study
from judging.states import PAID, State


class NoWork(StrEnum):
    """Why nothing can be offered."""

    CLOSED = "closed"
    FINAL = "final"  # every open topic is done, or barred for this worker
    LATER = "later"  # all units are taken just now
    OTHERS = "others"  # the study is for people and this is an artificial worker, or vice versa


# What a worker had, and the units, free or not, that are neither that nor of a barred topic.
MINE = """
    WITH mine AS (
        SELECT coalesce(array_agg(unit_id), ARRAY[]::bigint[]) AS had,
               coalesce(array_agg(study_topic_id) FILTER (WHERE barred), ARRAY[]::bigint[])
                   AS barred,
               count(*) FILTER (WHERE state = ANY(%(paid)s)) AS paid
        FROM judging_assignment WHERE worker_id = %(worker)s
    )
"""
OFFERED = """
    judging_unit u, mine
    WHERE u.study_id = %(study)s AND u.id <> ALL(mine.had)
    AND u.study_topic_id <> ALL(mine.barred)
"""
SITUATION = f"""
    {MINE} SELECT paid, EXISTS (SELECT FROM {OFFERED} AND u.free) FROM mine
"""
COMES_BACK = f"""
    {MINE} SELECT EXISTS (
        SELECT FROM {OFFERED} AND NOT EXISTS (
            SELECT FROM judging_assignment a WHERE a.unit_id = u.id AND a.state = %(completed)s
        )
    )
"""
CLAIM = f"""
    {MINE}, aims AS (
        SELECT turn, floor(low + random() * (high - low + 1))::bigint AS aim
        FROM (SELECT min(id) AS low, max(id) AS high FROM judging_unit
              WHERE study_id = %(study)s) ids,
             generate_series(1, %(darts)s) turn
    )
    UPDATE judging_unit taken SET free = false
    WHERE id = (
        SELECT u.id FROM {{join}} {OFFERED} AND u.free {{order}} LIMIT 1
        FOR NO KEY UPDATE OF u SKIP LOCKED
    )
    RETURNING id, study_topic_id,
              ARRAY(SELECT document_id FROM judging_unitdocument d WHERE d.unit_id = taken.id)
"""
# Each unit has the same chance to be hit first. Where few are free the darts may all miss; to sort
# all units of a large study every time would take long.
HIT = CLAIM.format(join="aims CROSS JOIN", order="AND u.id = aims.aim ORDER BY aims.turn")
DRAW = CLAIM.format(join="", order="ORDER BY random()")
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
    given: dict[str, Any] = {
        "study": study.pk,
        "worker": worker,
        "paid": list(PAID),
        "completed": State.COMPLETED,
    }
    with connection.cursor() as cursor:
        cursor.execute(SITUATION, given)
        paid, is_free = cursor.fetchone()
        if study.max_units_per_worker and paid >= study.max_units_per_worker:
            return NoWork.FINAL
        if is_free:
            return None
        cursor.execute(COMES_BACK, given)
        return NoWork.LATER if cursor.fetchone()[0] else NoWork.FINAL


def claim(study: Study, worker: int) -> Claimed | None:
    """Draw a free unit and take it, passing over those that others are taking just now."""
    given: dict[str, Any] = {
        "study": study.pk,
        "worker": worker,
        "paid": list(PAID),
        "darts": DARTS,
    }
    with connection.cursor() as cursor:
        for statement in (HIT, DRAW):
            cursor.execute(statement, given)
            if row := cursor.fetchone():
                return Claimed(*row)
    return None
