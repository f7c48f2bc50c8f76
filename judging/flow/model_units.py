"""Units that a language model has judged, each written whole once the model is through."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from judging import checks, states
from judging.flow.admission import texts_version
from judging.flow.finishing import NEW_REVISION, ROLES
from judging.models import Assignment, CheckFailure, Judgment, PooledDocument, Study, Unit, Worker
from judging.states import Actor, State
from web.database.rows import execute, select

Role = PooledDocument.Role


@dataclass(frozen=True)
class ModelJudgment:
    """score_text: the number as it was written, or the level's name; score: a level from 0."""

    score_text: str
    score: float
    first_score: float
    justification: str


@dataclass(frozen=True)
class JudgedUnit:
    """By the order of documents; None: the model gave no valid answer, even when asked again."""

    order: Sequence[int]
    judgments: Sequence[ModelJudgment | None]
    seconds: Sequence[float]
    began_at: datetime


@transaction.atomic
def record_model_unit(
    unit: Unit, pseudonym: str, judged: JudgedUnit, now: datetime
) -> Assignment | None:
    """Complete a unit, or keep its answers without counting them where one is missing.

    Check (c) is computed and never stops it: what fails is completed, with its failure. Returns
    None if the model has been through this unit before.
    """
    study = Study.objects.get(pk=unit.study_id)
    if study.crowd != Study.Crowd.MODEL:
        raise states.NotPermitted(f"No language model judges study {study}.")
    unit = Unit.objects.select_for_update(no_key=True).get(pk=unit.pk)
    if unit.assignments.exists():
        return None
    worker, _ = Worker.objects.get_or_create(
        study=study, pseudonym=pseudonym, defaults={"simulated": True}
    )
    is_whole = all(judged.judgments)
    state = State.COMPLETED if is_whole else State.EXHAUSTED
    states.check("judge all", None, state, Actor.MODEL)
    is_failed = is_whole and not _anchors_in_order(judged)
    assignment = Assignment.objects.create(
        study=study,
        study_topic_id=unit.study_topic_id,
        unit=unit,
        worker=worker,
        token=secrets.token_urlsafe(12),
        state=state,
        lines=[],
        option_order=[],
        order=list(judged.order),
        position=len(judged.order),
        furthest=len(judged.order),
        failed_finishes=int(is_failed),
        barred=True,
        started_at=judged.began_at,
        active_at=now,
        deadline_at=now,
        finished_at=now,
        seconds=list(judged.seconds),
        payment=0,
        texts_version=texts_version(study),
    )
    Judgment.objects.bulk_create(
        Judgment(
            assignment=assignment,
            position=position,
            document_id=document,
            score_text=given.score_text,
            score=given.score,
            graded=study.is_graded,
            justification=given.justification,
            first_score=given.first_score,
            score_at_failure=given.score if is_failed else None,
            submitted_at=now,
        )
        for position, (document, given) in enumerate(
            zip(judged.order, judged.judgments, strict=True), 1
        )
        if given
    )
    if is_failed:
        check = CheckFailure.Check.ANCHORS
        CheckFailure.objects.create(assignment=assignment, check_name=check, at=now, attempt=1)
    if is_whole:
        Unit.objects.filter(pk=unit.pk).update(free=False)
        execute(NEW_REVISION, unit.study_topic_id)
    return assignment


def _anchors_in_order(judged: JudgedUnit) -> bool:
    given = zip(judged.order, judged.judgments, strict=True)
    scores = {key: each.score for key, each in given if each}
    roles = {role: scores[key] for key, role in select(ROLES, list(judged.order))}
    return checks.anchors_in_order(roles[Role.H_K], roles[Role.N_K])
