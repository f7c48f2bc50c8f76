"""Judging the documents of a unit: open a page, judge, step back, finish.

These run for every document that every worker reads, so each is a handful of plain statements
(see `statements`).
"""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import F

from judging import checks, states
from judging.flow.ending import live, seconds_by_position
from judging.flow.statements import CLOSE_VISIT, HOLD, KEEP, KEEP_AND_MOVE, MOVE, OPEN_AND_READ
from judging.models import Assignment, CheckFailure, Judgment, PooledDocument, StudyTopic
from judging.numbers import NotAScore, parse_score
from judging.states import By, State

LONGEST_JUSTIFICATION = 2000


@dataclass(frozen=True)
class Submission:
    """What one document's form says."""

    position: int
    score_text: str
    justification: str
    visible_seconds: float | None = None


@dataclass
class Held:
    """The live assignment that a request is about, locked until its transaction ends."""

    id: int
    token: str
    state: State
    position: int
    furthest: int
    order: list[int]
    failed_finishes: int
    study_topic_id: int
    expiry_minutes: float
    study_title: str
    shows_previous: bool
    crowd: str

    @property
    def last(self) -> int:
        return len(self.order)


@dataclass(frozen=True)
class Page:
    """One document as its worker sees it."""

    token: str
    position: int
    last: int
    furthest: int
    can_finish: bool
    study_title: str
    crowd: str
    topic: tuple[str, str, str]  # title, description, narrative
    title: str
    text: str
    is_html: bool
    score_text: str
    justification: str
    previous_score: str
    codes: list[str]  # of the units completed before


@dataclass(frozen=True)
class Result:
    """Where a form led: the page to show next, and what is to be corrected there."""

    position: int | None  # None: nothing changed; the worker's true page is elsewhere
    errors: dict[str, str] = field(default_factory=dict)
    finished: bool = False


STALE = Result(None)
AFTER_THE_LAST = 0  # where a Finish goes: to none of the pages


def check_submission(submission: Submission) -> tuple[float | None, dict[str, str]]:
    """The score, if there is one, and what is to be corrected, by field."""
    errors = {}
    score = None
    try:
        score = parse_score(submission.score_text)
    except NotAScore as refusal:
        errors["score"] = str(refusal)
    words = submission.justification.strip()
    if not words:
        errors["justification"] = "Say in a few words why you gave this number."
    elif len(words) > LONGEST_JUSTIFICATION:
        errors["justification"] = (
            f"Shorten your reason to {LONGEST_JUSTIFICATION:,} characters; it has {len(words):,}."
        )
    return score, errors


def what_is_missing(page: Page) -> dict[str, str]:
    """What has to be corrected on a page as it is stored."""
    return check_submission(Submission(page.position, page.score_text, page.justification))[1]


@transaction.atomic
def open_page(slug: str, pseudonym: str, position: int, now: datetime) -> Page | None:
    """Serve a document page: its visit begins or goes on, any other ends.

    Opening a page before the current one counts as a step back. None: the worker has not come
    this far, or has no documents to judge.
    """
    with connection.cursor() as cursor:
        held = _hold(cursor, slug, pseudonym)
        if held is None or not 1 <= position <= held.furthest:
            return None
        if position != held.position:
            cursor.execute(CLOSE_VISIT, _left(held, None, position, now))
        document = held.order[position - 1]
        cursor.execute(OPEN_AND_READ, _moved(held, position, now) | {"document": document})
        read = cursor.fetchone()
    *topic, title, text, is_html, score_text, justification, previous, codes = read
    return Page(
        token=held.token,
        position=position,
        last=held.last,
        furthest=held.furthest,
        can_finish=position == held.last or held.state == State.REVISING,
        study_title=held.study_title,
        crowd=held.crowd,
        topic=(topic[0], topic[1], topic[2]),
        title=title,
        text=text,
        is_html=is_html,
        score_text=score_text,
        justification=justification,
        previous_score=previous if held.shows_previous else "",
        codes=codes,
    )


@transaction.atomic
def judge(
    slug: str,
    pseudonym: str,
    token: str | None,
    submission: Submission,
    *,
    back: bool,
    now: datetime,
) -> Result:
    """Store one page's form and go on to the page after it, or before it.

    Back stores what was typed as it is. Next wants a score and a justification; without them what
    was typed is kept as a draft, and the worker stays. A form of a page beyond the furthest, or of
    another assignment, changes nothing.
    """
    with connection.cursor() as cursor:
        held = _hold(cursor, slug, pseudonym)
        if held is None or not _belongs(held, token, submission):
            return STALE
        score, errors = check_submission(submission)
        kept = _kept(held, submission, score, now)
        if errors and not back:
            cursor.execute(KEEP, kept)
            return Result(submission.position, errors)
        position = submission.position + (-1 if back else 1)
        position = min(max(position, 1), held.last)
        left, moved = _left(held, submission, position, now), _moved(held, position, now)
        cursor.execute(KEEP_AND_MOVE, kept | left | moved)
        return Result(position)


@transaction.atomic
def finish(
    slug: str, pseudonym: str, token: str | None, submission: Submission, *, now: datetime
) -> Result:
    """Store the page's form, validate all pages, and make checks (c) and (d).

    Both checks are always made. If they pass the unit is completed and its topic has new data;
    if not, the worker comes to the page that says so, and may revise.
    """
    with connection.cursor() as cursor:
        held = _hold(cursor, slug, pseudonym)
        if held is None or not _belongs(held, token, submission):
            return STALE
        if submission.position != held.last and held.state != State.REVISING:
            return STALE
        score, errors = check_submission(submission)
        cursor.execute(KEEP, _kept(held, submission, score, now))
        if held.position > held.last and not cursor.rowcount:
            return STALE  # the same form again: they are at its answer
        if errors:
            return Result(submission.position, errors)
        if incomplete := _first_incomplete(held):
            cursor.execute(CLOSE_VISIT, _left(held, submission, incomplete, now))
            cursor.execute(MOVE, _moved(held, incomplete, now, led=True))
            return Result(incomplete, {"page": "incomplete"})
        cursor.execute(CLOSE_VISIT, _left(held, submission, AFTER_THE_LAST, now))
    _decide(held, now)
    return Result(None, finished=True)


@transaction.atomic
def resume_revision(token: str, now: datetime) -> None:
    """From the message after a failed Finish back to the last document."""
    assignment = live(token)
    if assignment and assignment.state == State.REVISING:
        last = len(assignment.order)
        if assignment.position > last:
            Assignment.objects.filter(pk=assignment.pk).update(
                position=last,
                revise_steps=F("revise_steps") + 1,
                active_at=now,
                deadline_at=now + timedelta(minutes=assignment.study.expiry_minutes),
            )


def _hold(cursor: Any, slug: str, pseudonym: str) -> Held | None:
    cursor.execute(HOLD, [slug, pseudonym])
    row = cursor.fetchone()
    return Held(*row) if row else None


def _belongs(held: Held, token: str | None, submission: Submission) -> bool:
    """Whether a form is of this assignment and of a page that was reached."""
    return token in (None, held.token) and 1 <= submission.position <= held.furthest


def _kept(held: Held, submission: Submission, score: float | None, now: datetime) -> dict[str, Any]:
    """What KEEP needs. Its count of rows says whether the form was news."""
    return {
        "assignment": held.id,
        "page": submission.position,
        "document": held.order[submission.position - 1],
        "score_text": submission.score_text,
        "score": score,
        "justification": submission.justification.strip(),
        "now": now,
    }


def _left(
    held: Held, submission: Submission | None, position: int, now: datetime
) -> dict[str, Any]:
    """What CLOSE_VISIT needs; `position` is the page that they go to."""
    return {
        "assignment": held.id,
        "page": submission.position if submission else None,
        "visible": submission.visible_seconds if submission else None,
        "position": position,
        "now": now,
    }


def _moved(held: Held, position: int, now: datetime, *, led: bool = False) -> dict[str, Any]:
    """What MOVE needs. To go to an earlier page is a step back, unless they were led there."""
    return {
        "assignment": held.id,
        "position": position,
        "back": position < held.position and not led,
        "now": now,
        "deadline": now + timedelta(minutes=held.expiry_minutes),
    }


def _first_incomplete(held: Held) -> int | None:
    """The first page without a valid score and justification."""
    complete = {
        j.position
        for j in Judgment.objects.filter(assignment=held.id)
        if not check_submission(Submission(j.position, j.score_text, j.justification))[1]
    }
    return next((p for p in range(1, held.last + 1) if p not in complete), None)


def _decide(held: Held, now: datetime) -> None:
    """Make checks (c) and (d), and complete the assignment or ask for a revision."""
    assignment = Assignment.objects.select_related("study").get(pk=held.id)
    seconds = seconds_by_position(assignment, now)
    scored = Judgment.objects.filter(assignment=assignment, score__isnull=False)
    scores: dict[str, Any] = dict(scored.values_list("document__role", "score"))
    role, check = PooledDocument.Role, CheckFailure.Check
    verdicts = {
        check.ANCHORS: checks.anchors_in_order(scores[role.H_K], scores[role.N_K]),
        check.TIME: checks.time_on_every_document(seconds, assignment.study.minimum_seconds),
    }
    failed = [name for name, passed in verdicts.items() if not passed]
    if failed:
        _ask_for_revision(assignment, failed, now)
    else:
        _complete(assignment, seconds, now)


def _complete(assignment: Assignment, seconds: list[float], now: datetime) -> None:
    states.check("finish", assignment.state, State.COMPLETED, By.WORKER)
    assignment.state, assignment.seconds = State.COMPLETED, seconds
    assignment.finished_at = assignment.active_at = now
    assignment.completion_code = secrets.token_hex(5).upper()
    assignment.save(
        update_fields=["state", "seconds", "finished_at", "active_at", "completion_code"]
    )
    StudyTopic.objects.filter(pk=assignment.study_topic_id).update(revision=F("revision") + 1)


def _ask_for_revision(
    assignment: Assignment, failed: list[CheckFailure.Check], now: datetime
) -> None:
    states.check("finish", assignment.state, State.REVISING, By.WORKER)
    CheckFailure.objects.bulk_create(
        CheckFailure(
            assignment=assignment, check_name=name, at=now, attempt=assignment.failed_finishes + 1
        )
        for name in failed
    )
    Judgment.objects.filter(assignment=assignment, score_at_failure=None).update(
        score_at_failure=F("score")
    )
    assignment.state, assignment.active_at = State.REVISING, now
    assignment.failed_finishes += 1
    assignment.position = len(assignment.order) + 1
    assignment.deadline_at = now + timedelta(minutes=assignment.study.expiry_minutes)
    assignment.save(
        update_fields=["state", "active_at", "failed_finishes", "position", "deadline_at"]
    )
