"""Judging the documents of a unit: open a page, judge, step back.

These run for every document that every worker reads, so each is one call of a function in the
database (made by the migration `pages`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection

from judging.levels import chosen, parse_level
from judging.numbers import NotAScore, parse_score

OPEN_PAGE = "SELECT * FROM judging_open_page(%s, %s, %s, %s)"
JUDGE = """
    SELECT * FROM judging_judge(%(slug)s, %(pseudonym)s, %(token)s, %(page)s, %(typed)s, %(number)s,
                         %(level)s, %(words)s, %(visible)s, %(step)s, %(wordless)s, %(now)s)
"""
LONGEST_JUSTIFICATION = 2000
MOST_PAGES = 32_767  # of a unit, in its column


@dataclass(frozen=True)
class Submission:
    """What one document's form says; the score as typed, or a level by its number from 0."""

    position: int
    score_text: str
    justification: str
    visible_seconds: float | None = None


@dataclass(frozen=True)
class Page:
    """One document as its worker sees it."""

    position: int
    token: str
    last: int
    furthest: int
    is_revised: bool
    study_title: str
    crowd: str
    levels: list[str]  # of a graded study, lowest first
    topic: str
    description: str
    narrative: str
    title: str
    text: str
    is_html: bool
    score_text: str
    justification: str
    previous_score: str
    codes: list[str]  # of the units completed before

    @property
    def typed(self) -> str:
        """The score as its form says it."""
        if self.score_text not in self.levels:
            return "" if self.levels else self.score_text
        return str(self.levels.index(self.score_text))

    @property
    def can_finish(self) -> bool:
        return self.is_revised or self.position == self.last


@dataclass(frozen=True)
class Result:
    """Where a form led: the page to show next, and what is to be corrected there."""

    position: int | None  # None: nothing changed; the worker's true page is elsewhere
    errors: dict[str, str] = field(default_factory=dict)
    finished: bool = False


STALE = Result(None)


def check_submission(
    submission: Submission, levels: Sequence[str]
) -> tuple[float | None, dict[str, str]]:
    """The score, if there is one, and what is to be corrected, by field.

    levels: those of a graded study; none, and the score is a magnitude.
    """
    errors = {}
    score = None
    typed = submission.score_text
    try:
        score = parse_level(typed, levels) if levels else parse_score(typed)
    except NotAScore as refusal:
        errors["score"] = str(refusal)
    words = submission.justification.strip()
    if not words:
        of = "chose this level" if levels else "gave this number"
        errors["justification"] = f"Say in a few words why you {of}."
    elif len(words) > LONGEST_JUSTIFICATION:
        errors["justification"] = (
            f"Shorten your reason to {LONGEST_JUSTIFICATION:,} characters; it has {len(words):,}."
        )
    return score, errors


def is_said(words: str) -> bool:
    """Whether a trimmed justification is one."""
    return 1 <= len(words) <= LONGEST_JUSTIFICATION


def what_is_missing(page: Page) -> dict[str, str]:
    """What has to be corrected on a page as it is stored."""
    stored = Submission(page.position, page.typed, page.justification)
    return check_submission(stored, page.levels)[1]


def open_page(slug: str, pseudonym: str, position: int, now: datetime) -> Page | None:
    """Serve a document page: its visit begins or goes on, any other ends.

    Opening a page before the current one counts as a step back. None: the worker has not come
    this far, or has no documents to judge.
    """
    if not 1 <= position <= MOST_PAGES:
        return None
    with connection.cursor() as cursor:
        cursor.execute(OPEN_PAGE, [slug, pseudonym, position, now])
        row = cursor.fetchone()
    return Page(position, *row) if row else None


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
    if not 1 <= submission.position <= MOST_PAGES:
        return STALE
    score, errors = check_submission(submission, ())  # as the magnitude that it is in most studies
    words = submission.justification.strip()
    with connection.cursor() as cursor:
        cursor.execute(
            JUDGE,
            {
                "slug": slug,
                "pseudonym": pseudonym,
                "token": token,
                "page": submission.position,
                "typed": submission.score_text,
                "number": score,
                "level": chosen(submission.score_text),
                "words": words,
                "visible": submission.visible_seconds,
                "step": -1 if back else 1,
                "wordless": not is_said(words),
                "now": now,
            },
        )
        row = cursor.fetchone()
    if row is None:
        return STALE
    position, levels = row
    if levels:
        errors = check_submission(submission, levels)[1]
    return Result(position, {} if back else errors)
