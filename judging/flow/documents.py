"""Judging the documents of a unit: open a page, judge, step back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils.safestring import SafeString

from judging.flow.correcting import (
    LONGEST_JUSTIFICATION,
    Submission,
    check_submission,
    is_complete,
)
from judging.flow.moves import hold_at_documents, move, not_before, only_row
from judging.flow.visits import leave_page, open_visit
from judging.models import (
    Assignment,
    Document,
    DocumentNote,
    Judgment,
    PooledDocument,
    Study,
    Topic,
)
from judging.numbers import LONGEST
from judging.states import State
from web.words import Words


@dataclass(frozen=True)
class Page:
    """One document as its worker sees it."""

    study: Study
    position: int
    token: str
    last: int
    furthest: int
    answered: frozenset[int]  # the pages that have a score and a reason
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
    score_text: str
    justification: str
    previous_score: str
    note: DocumentNote | None  # what the worker says is wrong with the document
    codes: list[str]  # of the units paid before
    resume_code: str
    opened_at: datetime
    kept_until: datetime  # when the unit expires if nothing comes

    @property
    def typed(self) -> str:
        """The score as its form has it: the text, or the number of a level."""
        if self.score_text not in self.levels:
            return "" if self.levels else self.score_text
        return str(self.levels.index(self.score_text))

    @property
    def since(self) -> str:
        """The activity by which the page was shown; drafts of it name it."""
        return self.opened_at.isoformat()

    @property
    def has_next(self) -> bool:
        return self.position < self.last or (self.is_checked and not self.is_revised)

    @property
    def can_finish(self) -> bool:
        return self.is_revised or not self.has_next

    @property
    def is_checked(self) -> bool:
        """Whether a list of the answers comes before Finish."""
        return self.study.check_before_finish


@dataclass(frozen=True)
class Result:
    """Where a form led: the page that follows, and what is to be corrected there."""

    position: int | None  # None: the worker's true page is no document
    errors: dict[str, Words] = field(default_factory=dict)
    finished: bool = False


STALE = Result(None)


def what_is_missing(page: Page) -> dict[str, Words]:
    """What has to be corrected on a page as it is stored."""
    stored = Submission(page.position, page.typed, page.justification)
    return check_submission(stored, page.levels)[1]


@transaction.atomic
def open_page(slug: str, pseudonym: str, position: int, now: datetime) -> Page | None:
    """Serve a document page: its visit begins or goes on, any other ends.

    Opening a page before the current one counts as a step back. None: the worker has not come
    this far, or has no documents to judge.
    """
    assignment = hold_at_documents(slug, pseudonym)
    if assignment is None or not 1 <= position <= assignment.furthest:
        return None
    now = not_before(assignment, now)
    if position != assignment.position:
        leave_page(assignment, position, now)
    open_visit(assignment, position, now)
    _go_to(assignment, position, now)
    return _page(assignment)


def _page(assignment: Assignment) -> Page:
    """The page that an assignment is on."""
    pooled = (
        PooledDocument.objects.select_related("document", "study_topic__topic")
        .defer("document__text", "study_topic__pool")  # long, and not shown
        .get(pk=assignment.order[assignment.position - 1])
    )
    assert pooled.document  # noqa: S101 - a study whose documents lack a text is not opened
    codes = assignment.worker.assignments.codes()
    judgments = list(assignment.judgments.all())
    note = only_row(assignment.notes.filter(position=assignment.position))
    return page_of(assignment, pooled.study_topic.topic, pooled.document, judgments, codes, note)


def page_of(
    assignment: Assignment,
    topic: Topic,
    document: Document,
    stored: Iterable[Judgment],
    codes: list[str],
    note: DocumentNote | None = None,
) -> Page:
    """The page that an assignment is on, from what is given alone; none of it need be saved.

    stored: the judgments of the assignment; codes: of the units that its worker was paid before.
    """
    position, study = assignment.position, assignment.study
    judgments = {judgment.position: judgment for judgment in stored}
    judgment, previous = judgments.get(position), judgments.get(position - 1)
    if previous and (previous.score is None or not study.show_previous_score):
        previous = None
    return Page(
        study=study,
        position=position,
        token=assignment.token,
        last=assignment.last,
        furthest=assignment.furthest,
        answered=frozenset(n for n, judgment in judgments.items() if is_complete(judgment)),
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
        score_text=judgment.score_text if judgment else "",
        justification=judgment.justification if judgment else "",
        previous_score=previous.score_text if previous else "",
        note=note,
        codes=codes,
        resume_code=assignment.worker.resume_code,
        opened_at=assignment.active_at,
        kept_until=assignment.deadline_at,
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
    assignment = hold_at_documents(slug, pseudonym)
    if assignment is None or not is_within_reach(assignment, token, submission.position):
        return STALE
    now = not_before(assignment, now)
    score, errors = check_submission(submission, assignment.study.levels)
    keep(assignment, submission, score, now)
    if errors and not back:
        return Result(submission.position, errors)
    step = -1 if back else 1
    to_page = min(max(1, submission.position + step), _end(assignment))
    leave_page(assignment, to_page, now, counted_in_browser(assignment, submission))
    _go_to(assignment, to_page, now)
    return Result(to_page) if to_page <= assignment.last else STALE


def _end(assignment: Assignment) -> int:
    """The last page that Next leads to: the last document, or the list of answers after it."""
    return assignment.last + list_comes_first(assignment)


def list_comes_first(assignment: Assignment) -> bool:
    """Whether a list of the answers comes before Finish; after a failed one none does."""
    return assignment.study.check_before_finish and assignment.state == State.JUDGING


def is_within_reach(assignment: Assignment, token: str | None, position: int) -> bool:
    """Whether a form is of this assignment, and of a page that it has reached."""
    return token in (None, assignment.token) and 1 <= position <= assignment.furthest


def counted_in_browser(assignment: Assignment, submission: Submission) -> dict[str, float | None]:
    """What the browser counted on the page that is open, if the form is of that page.

    Pasting, and the time for which the page was hidden, only if the study records them.
    """
    if submission.position != assignment.position:
        return {}
    counts: dict[str, float | None] = {"visible_seconds": submission.visible_seconds}
    if assignment.study.record_pasting:
        counts["hidden_seconds"] = submission.hidden_seconds
        counts["pasted_characters"] = submission.pasted_characters
    return counts


def keep(
    assignment: Assignment,
    submission: Submission,
    score: float | None,
    now: datetime,
    *,
    is_sent: bool = True,
) -> bool:
    """Store what a form says of its page, cut at the lengths that are allowed.

    The last form counts; the same again changes nothing. Returns whether anything changed.

    is_sent: by a button; what is not, has no first score yet.
    """
    page = {"assignment": assignment, "position": submission.position}
    judgment = only_row(Judgment.objects.filter(**page))
    score_text = _as_kept(submission.score_text, score, assignment.study.levels)
    justification = submission.justification.strip()[:LONGEST_JUSTIFICATION]
    if judgment is None:
        document = assignment.order[submission.position - 1]
        judgment = Judgment(**page, document_id=document, graded=assignment.study.is_graded)
    elif (judgment.score_text, judgment.justification) == (score_text, justification) and not (
        is_sent and lacks_first_score(judgment)
    ):
        return False
    if is_sent and judgment.first_score is None:
        judgment.first_score = score
    judgment.score_text, judgment.score = score_text, score
    judgment.justification, judgment.submitted_at = justification, now
    judgment.save()
    return True


def lacks_first_score(judgment: Judgment) -> bool:
    """Whether its score was kept while it was typed, and never sent by a button."""
    return judgment.score is not None and judgment.first_score is None


def _as_kept(typed: str, score: float | None, levels: Sequence[str]) -> str:
    """The text of a score: as typed, or on a graded scale the name of the level."""
    if levels:
        return "" if score is None else levels[int(score)]
    return typed[:LONGEST]


def _go_to(assignment: Assignment, page: int, now: datetime) -> None:
    """Bring a worker to one of their pages; an earlier one is a step back."""
    furthest = max(assignment.furthest, min(page, assignment.last))
    changes = {"position": page, "furthest": furthest}
    if page < assignment.position:
        steps = "revise_steps" if assignment.failed_finishes else "back_steps"
        changes[steps] = getattr(assignment, steps) + 1
    move(assignment, "judge", assignment.state, now, **changes)
