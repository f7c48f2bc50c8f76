"""How far a worker has come: what is answered, what is open, and what they gave."""

from collections.abc import Collection
from dataclasses import dataclass

from judging.models import Judgment

NOW, ANSWERED, INCOMPLETE, TO_COME = "now", "done", "part", ""


@dataclass(frozen=True)
class Progress:
    """The pages of a set, one mark a page, and the same in words."""

    marks: tuple[str, ...]
    answered: int

    @property
    def words(self) -> str:
        """What stands where, for those who do not see the marks.

        >>> Progress(("done", "now", "part", ""), 1).words
        '1 answered, 1 incomplete, 1 to come'
        """
        incomplete, to_come = self.marks.count(INCOMPLETE), self.marks.count(TO_COME)
        parts = [f"{self.answered} answered" if self.answered else "none answered"]
        parts += [f"{incomplete} incomplete"] if incomplete else []
        parts += [f"{to_come} to come"] if to_come else []
        return ", ".join(parts)


def progress(now: int, answered: Collection[int], furthest: int, last: int) -> Progress:
    """The marks of pages 1 to `last`, of which `now` is shown.

    answered: the pages that have all that is asked for; furthest: the last page that was opened.
    """

    def mark(page: int) -> str:
        if page == now:
            return NOW
        if page in answered:
            return ANSWERED
        return INCOMPLETE if page <= furthest else TO_COME

    return Progress(tuple(mark(page) for page in range(1, last + 1)), len(answered))


@dataclass(frozen=True)
class Answer:
    """What a worker gave to one document."""

    position: int
    title: str
    score: str
    justification: str


def answers(token: str) -> list[Answer]:
    """What was given to each document of an assignment, in the order of its pages."""
    judgments = Judgment.objects.filter(assignment__token=token).order_by("position")
    return [
        Answer(*row)
        for row in judgments.values_list(
            "position", "document__document__title", "score_text", "justification"
        )
    ]
