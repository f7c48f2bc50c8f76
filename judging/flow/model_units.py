"""Units that a language model has judged, each written whole once the model is through."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from judging import checks, states
from judging.flow.admission import texts_version
from judging.flow.finishing import NEW_REVISION, ROLES
from judging.models import Assignment, CheckFailure, Judgment, PooledDocument, Study, Unit
from judging.states import Actor, State
from web.database.rows import execute, select

Role = PooledDocument.Role


class ModelJudgment(NamedTuple):
    """score_text: the number as it was written, or the level's name; score: a level from 0.

    Without these the model gave no valid answer, even when asked again.
    """

    document: int
    seconds: float
    score_text: str = ""
    score: float = 0
    first_score: float = 0
    justification: str = ""


@transaction.atomic
def record_model_unit(
    unit: Unit,
    pseudonym: str,
    judged: Sequence[ModelJudgment],
    began_at: datetime,
    now: datetime,
) -> Assignment | None:
    """Complete a unit, or keep its answers without counting them where one is missing.

    Check (c) is computed and never stops it: what fails is completed, with its failure. Returns
    None if the model has been through this unit before.
    """
    study = unit.study
    if study.crowd != Study.Crowd.MODEL:
        raise states.NotPermitted(f"No language model judges study {study}.")
    unit = Unit.objects.select_for_update(no_key=True).get(pk=unit.pk)
    if unit.assignments.exists():
        return None
    is_whole = all(each.score_text for each in judged)
    is_failed = is_whole and not _anchors_in_order(judged)
    state = State.COMPLETED if is_whole else State.EXHAUSTED
    states.check("judge all", None, state, Actor.MODEL)
    worker, _ = study.workers.get_or_create(pseudonym=pseudonym, defaults={"simulated": True})
    assignment = Assignment.objects.create(
        study=study,
        study_topic_id=unit.study_topic_id,
        unit=unit,
        worker=worker,
        state=state,
        failed_finishes=int(is_failed),
        texts_version=texts_version(study),
        **_passed(judged, began_at, now),
    )
    _record_judgments(assignment, judged, now)
    if is_failed:
        check = CheckFailure.Check.ANCHORS
        CheckFailure.objects.create(assignment=assignment, check_name=check, at=now, attempt=1)
    if is_whole:
        Unit.objects.filter(pk=unit.pk).update(free=False)
        execute(NEW_REVISION, unit.study_topic_id)
    return assignment


def _passed(
    judged: Sequence[ModelJudgment], began_at: datetime, now: datetime
) -> dict[str, object]:
    """What an attempt has in which all pages were seen, without lines, question and pay."""
    return {
        "token": secrets.token_urlsafe(12),
        "lines": [],
        "option_order": [],
        "order": [each.document for each in judged],
        "position": len(judged),
        "furthest": len(judged),
        "barred": True,
        "seconds": [each.seconds for each in judged],
        "started_at": began_at,
        "active_at": now,
        "deadline_at": now,
        "finished_at": now,
        "payment": 0,
    }


def _record_judgments(
    assignment: Assignment, judged: Sequence[ModelJudgment], now: datetime
) -> None:
    Judgment.objects.bulk_create(
        Judgment(
            assignment=assignment,
            position=position,
            document_id=each.document,
            score_text=each.score_text,
            score=each.score,
            graded=assignment.study.is_graded,
            justification=each.justification,
            first_score=each.first_score,
            score_at_failure=each.score if assignment.failed_finishes else None,
            submitted_at=now,
        )
        for position, each in enumerate(judged, 1)
        if each.score_text
    )


def _anchors_in_order(judged: Sequence[ModelJudgment]) -> bool:
    scores = {each.document: each.score for each in judged}
    roles = {role: scores[key] for key, role in select(ROLES, list(scores))}
    return checks.anchors_in_order(roles[Role.H_K], roles[Role.N_K])
