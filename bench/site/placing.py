"""Artificial workers in the middle of things: each somewhere in a unit, as at any moment of a day.

So a benchmark need not wait until those who began together are spread over their units.
"""

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from bench.site import environment  # noqa: F401 - before any model
from crowd.behaviour import PREPARATION_SECONDS, Unit
from crowd.model import LENGTH_SECONDS, MIN_SECONDS, READING_SECONDS, Person, person
from crowd.reasons import reason
from crowd.world import World
from judging.models import Assignment, Judgment, Study, UnitDocument, Visit, Worker
from judging.models import Unit as PlannedUnit
from judging.numbers import parse_score
from judging.states import State

LINES = [50, 120, 220]
# The pages before the documents, as state and step of practice; who is at Welcome has no unit yet.
BEFORE = [
    None,
    *((State.PRACTICE, step) for step in range(len(LINES) + 1)),
    (State.INSTRUCTIONS, 0),
    (State.TOPIC, 0),
]


@dataclass(frozen=True)
class Placed:
    """A worker, and the page they are on: an index of BEFORE, or beyond it a document's."""

    person: Person
    row: Worker
    page: int

    @property
    def position(self) -> int:
        return max(0, self.page - len(BEFORE) + 1)


def place(world: World, count: int, now: datetime) -> None:
    """Put the first `count` artificial workers of a world on pages, as often as they are long."""
    pages = np.array(
        [np.mean(PREPARATION_SECONDS)] * len(BEFORE)
        + [MIN_SECONDS + READING_SECONDS + LENGTH_SECONDS] * world.study.unit_size
    )
    drawn = np.random.default_rng(world.seed).choice(len(pages), count, p=pages / pages.sum())
    people = [person(world.seed, number, world.max_units) for number in range(1, count + 1)]
    begun = [(one, page) for one, page in zip(people, drawn.tolist(), strict=True) if page]
    rows = Worker.objects.bulk_create(_worker(world, *one, now) for one in begun)
    placed = [Placed(one, row, page) for (one, page), row in zip(begun, rows, strict=True)]
    _begin(world, placed, now)
    Study.objects.filter(pk=world.study.pk).update(crowd=Study.Crowd.ARTIFICIAL)


def _worker(world: World, one: Person, page: int, now: datetime) -> Worker:
    return Worker(
        study=world.study,
        pseudonym=one.pseudonym,
        simulated=True,
        consented_at=now,
        practised=page > len(LINES) + 1,
    )


def _begin(world: World, placed: Sequence[Placed], now: datetime) -> None:
    """Give each a unit, as far as they have come in it."""
    units = _taken(world, len(placed))
    given = Assignment.objects.bulk_create(
        _assignment(one, unit, order, now) for one, (unit, order) in zip(placed, units, strict=True)
    )
    judgments, visits = [], []
    for one, assignment in zip(placed, given, strict=True):
        unit = world.unit(assignment.study_topic_id, assignment.order)
        spent = [one.person.seconds(unit.pairs[at]) for at in range(one.position)]
        opened = now - timedelta(seconds=sum(spent))
        for position, seconds in enumerate(spent, 1):
            closed = opened + timedelta(seconds=seconds) if position < one.position else None
            visits.append(
                Visit(assignment=assignment, position=position, opened_at=opened, closed_at=closed)
            )
            if closed:
                judgments.append(_judgment(one.person, assignment, unit, position, closed))
                opened = closed
    Visit.objects.bulk_create(visits)
    Judgment.objects.bulk_create(judgments)


def _taken(world: World, count: int) -> list[tuple[PlannedUnit, list[int]]]:
    """Free units, which are so no more, with their documents."""
    units = list(PlannedUnit.objects.filter(study=world.study, free=True).order_by("?")[:count])
    if len(units) < count:
        raise RuntimeError(f"{len(units)} units are free; expected {count}")
    keys = [unit.pk for unit in units]
    PlannedUnit.objects.filter(pk__in=keys).update(free=False)
    documents = defaultdict(list)
    rows = UnitDocument.objects.filter(unit__in=keys).order_by("?")
    for unit, document in rows.values_list("unit_id", "document_id"):
        documents[unit].append(document)
    return [(unit, documents[unit.pk]) for unit in units]


def _assignment(one: Placed, unit: PlannedUnit, order: list[int], now: datetime) -> Assignment:
    state, step = BEFORE[one.page] if one.page < len(BEFORE) else (State.JUDGING, 0)
    return Assignment(
        study_id=unit.study_id,
        study_topic_id=unit.study_topic_id,
        unit=unit,
        worker=one.row,
        token=secrets.token_urlsafe(12),
        state=state,
        lines=LINES,
        line_scores=[float(length) for length in LINES[: max(0, step - 1)]],
        practice_step=step if state == State.PRACTICE else len(LINES),
        option_order=[2, 0, 3, 1],
        order=order,
        position=one.position,
        furthest=one.position,
        barred=one.position > 0,
        started_at=now - timedelta(hours=1),
        active_at=now,
        deadline_at=now + timedelta(hours=1),
        payment=0,
    )


def _judgment(
    one: Person, assignment: Assignment, unit: Unit, position: int, at: datetime
) -> Judgment:
    pair = unit.pairs[position - 1]
    text = one.score(pair, 0)
    score = parse_score(text)
    return Judgment(
        assignment=assignment,
        position=position,
        document_id=assignment.order[position - 1],
        score_text=text,
        score=score,
        first_score=score,
        justification=reason(one, pair, one.found(pair, float(text))),
        submitted_at=at,
    )
