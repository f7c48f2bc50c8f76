from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from judging.models import Judgment
from judging.pages.forms import reading_of

NOW, ANSWERED, INCOMPLETE, TO_COME = "now", "done", "part", ""


@dataclass(frozen=True)
class Mark:
    """address: leads there, if the worker has come so far."""

    page: int
    state: str
    address: str = ""


@dataclass(frozen=True)
class Progress:
    marks: tuple[Mark, ...]
    answered: int

    @property
    def states(self) -> str:
        """What the marks show; with the study, all that they depend on.

        >>> Progress((Mark(1, "done"), Mark(2, "now"), Mark(3, "part"), Mark(4, "")), 1).states
        'done now part '
        """
        return " ".join(mark.state for mark in self.marks)

    @property
    def words(self) -> str:
        """What stands where, for those who do not see the marks.

        >>> Progress((Mark(1, "done"), Mark(2, "now"), Mark(3, "part"), Mark(4, "")), 1).words
        '1 answered, 1 incomplete, 1 to come'
        """
        states = [mark.state for mark in self.marks]
        incomplete, to_come = states.count(INCOMPLETE), states.count(TO_COME)
        parts = [
            ngettext("{number} answered", "{number} answered", self.answered),
            ngettext("{number} incomplete", "{number} incomplete", incomplete),
            ngettext("{number} to come", "{number} to come", to_come),
        ]
        numbers = (self.answered, incomplete, to_come)
        texts = [part.format(number=n) for part, n in zip(parts, numbers, strict=True) if n]
        return ", ".join(texts if self.answered else [gettext("none answered"), *texts])


def progress(
    now: int,
    answered: Collection[int],
    furthest: int,
    last: int,
    address: Callable[[int], str] | None = None,
) -> Progress:
    """The marks of pages 1 to `last`, of which `now` is shown; 0: none of them.

    answered: complete pages; furthest: the last page opened; address: of pages that were opened.
    """

    def mark(page: int) -> Mark:
        if page == now:
            return Mark(page, NOW)
        if page > furthest:
            return Mark(page, TO_COME)
        state = ANSWERED if page in answered else INCOMPLETE
        return Mark(page, state, address(page) if address else "")

    return Progress(tuple(mark(page) for page in range(1, last + 1)), len(answered))


@dataclass(frozen=True)
class Answer:
    position: int
    title: str
    score: str
    justification: str
    is_given: bool = True  # else something else was typed since

    @property
    def reading(self) -> str:
        return reading_of(self.score)


def answers(token: str) -> list[Answer]:
    judgments = Judgment.objects.filter(assignment__token=token).order_by("position")
    return [
        Answer(
            judgment.position,
            judgment.document.document.title if judgment.document.document else "",
            judgment.score_text,
            judgment.justification,
            judgment.draft is None,
        )
        for judgment in judgments.select_related("document__document").defer(
            "document__document__text"
        )
    ]
