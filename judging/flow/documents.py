from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum

from django.db import transaction
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from judging.flow.moves import at_least_last_activity, lock_at_documents, move
from judging.flow.reading import Shown, read_judgments, read_shown
from judging.flow.submission_checks import MAX_JUSTIFICATION_LENGTH, Submission, check_submission
from judging.flow.visits import leave_page, open_visit, stored_browser_counts, update_browser_counts
from judging.levels import level_number
from judging.models import (
    Assignment,
    DocumentNote,
    Judgment,
    Study,
)
from judging.numbers import MAX_LENGTH
from judging.states import State
from web.database.rows import save, sent_together
from web.words import Words

# Characters that are stored of what is too long for an answer.
MAX_DRAFT_LENGTH, MAX_DRAFT_SCORE_LENGTH = 10 * MAX_JUSTIFICATION_LENGTH, 2 * MAX_LENGTH
NOT_SUBMITTED_YET = gettext_lazy(
    "You typed this, but it is not given yet. Press Next or Finish to give it."
)


@dataclass(frozen=True)
class DocumentPage:
    study: Study
    position: int
    token: str
    last: int
    furthest: int
    answered: frozenset[int]  # the pages that have an answer, and no draft that is newer
    is_revised: bool
    study_title: str
    crowd: str
    levels: list[str]  # of a graded study, lowest first
    topic: str
    description: str
    narrative: str
    title: str
    html: SafeString  # the document, ready to show
    topic_language: str  # tags; empty: that of the page
    language: str
    score_text: str  # of what was typed last
    justification: str
    answer: tuple[str, str] | None  # score and reason that are given
    is_draft: bool  # whether what was typed last is not given
    previous_score: str
    note: DocumentNote | None  # on what is wrong with the document
    codes: list[str]  # of the units paid before
    resume_code: str
    opened_at: datetime
    expires_at: datetime  # when the unit expires without a request
    finishes_left: int | None  # presses, once one has failed; None: as often as they like
    version: int  # of the assignment, as the page shows it; its forms send it as `since`
    browser_counts: Mapping[str, float | None]  # on this visit, in studies that record pasting

    @property
    def typed(self) -> str:
        """The score as its form has it: the text, or the number of a level."""
        if self.score_text not in self.levels:
            return "" if self.levels else self.score_text
        return str(self.levels.index(self.score_text))

    @property
    def has_next(self) -> bool:
        return self.position < self.last or (self.is_checked and not self.is_revised)

    @property
    def can_finish(self) -> bool:
        return self.is_revised or not self.has_next

    @property
    def is_checked(self) -> bool:
        return self.study.check_before_finish


@dataclass(frozen=True)
class Result:
    position: int | None  # None: the worker's true page is no document
    errors: dict[str, Words] = field(default_factory=dict)
    finished: bool = False
    is_older: bool = False  # than the answer of its page, which stays as it is


NO_DOCUMENT_PAGE = Result(None)


def page_errors(page: DocumentPage) -> dict[str, Words]:
    if page.answer and not page.is_draft:
        return {}
    stored = Submission(page.position, page.typed, page.justification)
    errors = check_submission(stored, page.levels)[1]
    return errors or ({"score": NOT_SUBMITTED_YET} if page.is_draft else {})


@transaction.atomic
@sent_together()
def open_page(slug: str, pseudonym: str, position: int, now: datetime) -> DocumentPage | None:
    """Serve a document page: its visit begins or goes on, any other ends.

    Opening a page before the current one is a step back. None: the page is not reached yet, or the
    worker is not at the documents.
    """
    assignment = lock_at_documents(slug, pseudonym)
    if assignment is None or not 1 <= position <= assignment.furthest:
        return None
    now = at_least_last_activity(assignment, now)
    if position != assignment.position:
        leave_page(assignment, position, now)
    open_visit(assignment, position, now)
    _go_to(assignment, position, now)
    return _current_page(assignment)


def _current_page(assignment: Assignment) -> DocumentPage:
    page = build_page(assignment, read_shown(assignment))
    counts = stored_browser_counts(assignment)
    return replace(page, browser_counts=counts) if counts else page


def finishes_left(assignment: Assignment) -> int | None:
    """How often Finish may still be pressed; None: without limit, or none has failed."""
    maximum = assignment.study.max_failed_finishes
    if maximum is None or not assignment.failed_finishes:
        return None
    return maximum - assignment.failed_finishes


def build_page(assignment: Assignment, shown: Shown) -> DocumentPage:
    """Made without a query, also of unsaved objects."""
    position, study = assignment.position, assignment.study
    topic, document = shown.topic, shown.document
    judgments = {judgment.position: judgment for judgment in shown.judgments}
    judgment, previous = judgments.get(position), judgments.get(position - 1)
    if previous and (previous.answer is None or not study.show_previous_score):
        previous = None
    answer, draft = (judgment.answer, judgment.draft) if judgment else (None, None)
    score_text, justification = draft or answer or ("", "")
    return DocumentPage(
        study=study,
        position=position,
        token=assignment.token,
        last=assignment.last,
        furthest=assignment.furthest,
        answered=frozenset(n for n, judgment in judgments.items() if judgment.is_answered),
        is_revised=assignment.state == State.REVISING,
        study_title=study.title,
        crowd=study.crowd,
        levels=study.levels,
        topic=topic.title,
        description=topic.description,
        narrative=topic.narrative,
        title=document.title,
        html=document.html,
        topic_language=topic.language or study.text_language,
        language=document.language or study.text_language,
        score_text=score_text,
        justification=justification,
        answer=answer,
        is_draft=draft is not None,
        previous_score=previous.score_text if previous else "",
        note=shown.note,
        codes=shown.codes,
        resume_code=shown.resume_code,
        opened_at=assignment.active_at,
        expires_at=assignment.deadline_at,
        finishes_left=finishes_left(assignment),
        version=assignment.version,
        browser_counts={},
    )


@transaction.atomic
@sent_together()
def judge(
    slug: str,
    pseudonym: str,
    token: str | None,
    submission: Submission,
    *,
    back: bool,
    now: datetime,
) -> Result:
    """Store one page's form and go to the page after it, or before it.

    A score with a justification is the page's answer. Anything else is stored as a draft beside any
    answer; Back then goes on, Next stays. A form changes nothing if its page is beyond the
    furthest, if it is of another assignment, or if an answer came after it was shown and differs
    from it.
    """
    assignment = lock_at_documents(slug, pseudonym)
    if assignment is None or not is_within_reach(assignment, token, submission.position):
        return NO_DOCUMENT_PAGE
    now = at_least_last_activity(assignment, now)
    score, errors = check_submission(submission, assignment.study.levels)
    stored = save_judgment(assignment, submission, None if errors else score, now)
    if stored == Stored.OLDER:
        return Result(submission.position, is_older=True)
    if errors and not back:
        update_browser_counts(assignment, browser_counts(assignment, submission))
        return Result(submission.position, errors)
    step = -1 if back else 1
    to_page = min(max(1, submission.position + step), assignment.last + is_list_next(assignment))
    leave_page(assignment, to_page, now, browser_counts(assignment, submission))
    _go_to(assignment, to_page, now, repeats=stored == Stored.UNCHANGED)
    return Result(to_page) if to_page <= assignment.last else NO_DOCUMENT_PAGE


def is_list_next(assignment: Assignment) -> bool:
    return assignment.study.check_before_finish and assignment.state == State.JUDGING


def is_within_reach(assignment: Assignment, token: str | None, position: int) -> bool:
    return token in (None, assignment.token) and 1 <= position <= assignment.furthest


def browser_counts(assignment: Assignment, submission: Submission) -> dict[str, float | None]:
    if submission.position != assignment.position:
        return {}
    counts: dict[str, float | None] = {"visible_seconds": submission.visible_seconds}
    if assignment.study.record_pasting:
        counts["hidden_seconds"] = submission.hidden_seconds
        counts["pasted_characters"] = submission.pasted_characters
    return counts


class Stored(Enum):
    ANSWER = "it is the answer of its page"
    DRAFT = "it is a draft beside the answer of its page"
    UNCHANGED = "it was stored already"
    OLDER = "it is older than the answer of its page, and is not stored"


def save_judgment(
    assignment: Assignment, submission: Submission, score: float | None, now: datetime
) -> Stored:
    """Store a form as the answer of its page or, without a score, as its draft, cut at a length."""
    position = submission.position
    condition = "WHERE assignment_id = %s AND position = %s"
    judgment = next(iter(read_judgments(condition, assignment.pk, position)), None) or Judgment(
        assignment=assignment,
        position=position,
        document_id=assignment.order[position - 1],
        graded=assignment.study.is_graded,
    )
    typed = (
        score_as_text(submission.score_text, assignment.study.levels),
        submission.justification.strip()[:MAX_DRAFT_LENGTH],
    )
    is_older = submission.shown_version is not None and submission.shown_version < judgment.version
    if typed == judgment.answer:
        if judgment.draft is None or is_older:
            return Stored.UNCHANGED
        judgment.draft = None
    elif is_older:
        return Stored.OLDER
    elif score is None:
        if typed == (judgment.draft or judgment.answer or ("", "")):
            return Stored.UNCHANGED
        judgment.draft = typed
        judgment.submitted_at = now if judgment.score is None else judgment.submitted_at
    else:
        _set_answer(judgment, typed, score, now)
        judgment.version = assignment.version + 1  # of the move that follows
    save(judgment)
    return Stored.ANSWER if judgment.draft is None else Stored.DRAFT


def _set_answer(judgment: Judgment, typed: tuple[str, str], score: float, now: datetime) -> None:
    judgment.score_text, judgment.justification = typed
    judgment.score, judgment.submitted_at, judgment.draft = score, now, None
    if judgment.first_score is None:
        judgment.first_score = score


@transaction.atomic
@sent_together()
def save_draft(
    slug: str, pseudonym: str, token: str | None, submission: Submission, *, now: datetime
) -> Result:
    assignment = lock_at_documents(slug, pseudonym)
    if assignment is None or not is_within_reach(assignment, token, submission.position):
        return NO_DOCUMENT_PAGE
    stored = save_judgment(assignment, submission, None, at_least_last_activity(assignment, now))
    update_browser_counts(assignment, browser_counts(assignment, submission))
    return Result(submission.position, is_older=stored == Stored.OLDER)


@transaction.atomic
@sent_together()
def autosave_draft(
    slug: str, pseudonym: str, token: str, submission: Submission, *, now: datetime
) -> int | None:
    """Store what is typed as a draft of the current page: activity, but no visit, step or answer.

    Returns the version for the next draft; None: the assignment has changed since the page was
    shown.
    """
    assignment = lock_at_documents(slug, pseudonym)
    if assignment is None or (token, submission.position, submission.shown_version) != (
        assignment.token,
        assignment.position,
        assignment.version,
    ):
        return None
    now = at_least_last_activity(assignment, now)
    save_judgment(assignment, submission, None, now)
    move(assignment, "judge", assignment.state, now)
    return assignment.version


@transaction.atomic
def discard_draft(
    slug: str, pseudonym: str, token: str, position: int, shown_version: int | None
) -> None:
    """Delete a draft, so that the answer counts again; one newer than `shown_version` stays."""
    assignment = lock_at_documents(slug, pseudonym)
    if assignment is None or shown_version != assignment.version:
        return
    if is_within_reach(assignment, token, position):
        answered = assignment.judgments.filter(position=position, score__isnull=False)
        answered.update(draft_score_text=None, draft_justification=None)


def score_as_text(typed: str, levels: Sequence[str]) -> str:
    if not levels:
        return typed[:MAX_DRAFT_SCORE_LENGTH]
    level = level_number(typed)
    return "" if level is None or level >= len(levels) else levels[level]


def _go_to(assignment: Assignment, page: int, now: datetime, *, repeats: bool = False) -> None:
    furthest = max(assignment.furthest, min(page, assignment.last))
    changes = {"position": page, "furthest": furthest}
    if page < assignment.position:
        steps = "revise_steps" if assignment.failed_finishes else "back_steps"
        changes[steps] = getattr(assignment, steps) + 1
    move(assignment, "judge", assignment.state, now, repeats=repeats, **changes)
