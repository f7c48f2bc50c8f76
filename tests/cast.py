"""The people of the tests, and how they go about judging.

Ada is careful. Ben is another worker, as careful. Carl hurries and errs. Dora comes from a
participant platform. Eve tries what she should not. Each has a clock of their own, so nobody
sleeps.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from judging import flow
from judging.flow.admission import Arrival, NoWork
from judging.flow.documents import DocumentPage, Result
from judging.flow.submission_checks import Submission
from judging.models import Assignment, PooledDocument, Study, Worker
from judging.pages.current_page import WorkerPage, current_page
from tests.factory import NOON, OPTIONS, roles

SCORES = {"h_k": "100", "n_k": "1", "other": "10"}
LEVELS = {"h_k": "3", "n_k": "0", "other": "1"}
WORDS = "It says what was asked for."


def right_score(study: Study, role: str) -> str:
    """What a careful worker gives to a document, as its form says it."""
    return (LEVELS if study.is_graded else SCORES)[role]


@dataclass(frozen=True)
class Unit:
    """What does not change while somebody has a unit."""

    token: str
    order: list[int]
    roles: list[str]


@dataclass
class Person:
    """A worker who goes through flow, as the pages do."""

    study: Study
    name: str = "ada"
    now: datetime = NOON
    platform: str = ""
    external_id: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    verified: bool = False
    scores: dict[str, str] = field(default_factory=dict)  # by role, in the place of right ones
    worker: Worker | None = field(default=None, init=False)
    _unit: "Unit | None" = field(default=None, init=False, repr=False)

    # --- where they are ---------------------------------------------------------------------
    @property
    def pseudonym(self) -> str:
        return self.worker.pseudonym if self.worker else self.name

    @property
    def current_page(self) -> WorkerPage:
        page = current_page(self.study.slug, Arrival(self.pseudonym))
        assert page
        return page

    @property
    def assignment(self) -> Assignment:
        """The latest, as it is in the database now."""
        return Assignment.objects.filter(worker=self.worker).latest("id")

    @property
    def unit(self) -> Unit:
        """Of the latest assignment; looked up once."""
        if self._unit is None:
            found = self.assignment
            self._unit = Unit(found.token, found.order, roles(found.order))
        return self._unit

    def document(self, position: int) -> PooledDocument:
        return PooledDocument.objects.get(pk=self.unit.order[position - 1])

    def position_of(self, role: str) -> int:
        return self.unit.roles.index(role) + 1

    def wait(self, seconds: float) -> "Person":
        self.now += timedelta(seconds=seconds)
        return self

    # --- what they do -----------------------------------------------------------------------
    def begin(self) -> NoWork | None:
        arrival = Arrival(
            self.name, self.platform, self.external_id, self.ids, verified=self.verified
        )
        worker, no_work = flow.admit(self.study, arrival, self.now)
        self.worker, self._unit = worker or self.worker, None
        return no_work

    def practise(self, *scores: float) -> None:
        """Score the three lines; by their true lengths, if no scores are given."""
        token, lines = self.unit.token, self.assignment.lines
        flow.start_practice(token, self.now)
        for line, score in enumerate(scores or lines, 1):
            flow.practise(token, line, score, self.now)

    def read(self) -> None:
        flow.read_instructions(self.unit.token, self.now)

    def answer(self, option: str | None = None, attempt: int | None = None) -> None:
        """Answer the question on the topic; rightly, if no option is given."""
        chosen = OPTIONS[0] if option is None else option
        attempt = attempt or self.assignment.wrong_answers + 1
        flow.answer(self.unit.token, chosen, self.now, attempt)

    def come_to(self, state: str) -> "Person":
        """From Welcome, or from a set that has ended, to a state of the next one.

        To revising by a Finish after no time at all.
        """
        if state == "revising":
            self.come_to_the_end(seconds=0).finish()
            return self
        assert self.begin() is None
        moves = {"practice": self.practise, "instructions": self.read, "topic": self.answer}
        while self.assignment.state != state:
            moves[self.assignment.state]()
        return self

    def come_to_documents(self) -> "Person":
        return self.come_to("judging")

    def fail(self, check: str) -> "Person":
        """From Welcome to a failed check: of the lines of the practice, or of the question."""
        if check == "lines":
            self.come_to("practice").practise(1, 1, 1)
        else:
            self.come_to("topic").answer("a wrong one")
        return self

    def open(self, position: int) -> DocumentPage | None:
        return flow.open_page(self.study.slug, self.pseudonym, position, self.now)

    def says(self, position: int, score: str | None = None, words: str = WORDS) -> Submission:
        """What they type on a page; a score that fits the document's role, if none is given."""
        if score is None:
            role = self.unit.roles[position - 1]
            score = self.scores.get(role) or right_score(self.study, role)
        return Submission(position, score, words)

    def next(self, position: int, *typed: str, token: str | None = None) -> Result:
        return self._judge(position, typed, token, back=False)

    def back(self, position: int, *typed: str, token: str | None = None) -> Result:
        return self._judge(position, typed, token, back=True)

    def _judge(self, position: int, typed: tuple, token: str | None, *, back: bool) -> Result:
        return flow.judge(
            self.study.slug,
            self.pseudonym,
            self.unit.token if token is None else token,
            self.says(position, *typed),
            back=back,
            now=self.now,
        )

    def finish(self, position: int | None = None, *typed: str, token: str | None = None) -> Result:
        position = position or len(self.unit.order)
        return flow.finish(
            self.study.slug,
            self.pseudonym,
            self.unit.token if token is None else token,
            self.says(position, *typed),
            now=self.now,
        )

    def finish_from_list(self) -> Result:
        return flow.finish_from_list(self.unit.token, self.now)

    def resume(self) -> None:
        flow.resume_revision(self.unit.token, self.now)

    def leave(self) -> bool:
        return flow.leave(self.unit.token, self.now)

    # --- longer ways ------------------------------------------------------------------------
    def do(self, steps: str) -> Any:
        """Take steps on documents: `open 2, wait 20, next 2 77, back 5, finish`; what comes last.

        What is typed into the number box may stand behind a page; `-` is nothing typed at all.
        """
        came = None
        for verb, *given in map(str.split, steps.split(", ")):
            if verb == "wait":
                self.wait(float(given[0]))
            else:
                typed = ["", ""] if given[1:] == ["-"] else given[1:]
                came = getattr(self, verb)(*map(int, given[:1]), *typed)
        return came

    def judge_up_to(
        self, last: int, seconds: float = 20, scores: dict[int, str] | None = None
    ) -> "Person":
        """Open, read and judge the pages before `last`, and open that one."""
        for position in range(self.assignment.position, last):
            self.open(position)
            self.wait(seconds)
            given = (scores or {}).get(position)
            self.next(position, *([given] if given else []))
        self.open(last)
        return self

    def come_to_the_end(self, seconds: float = 20) -> "Person":
        """From Welcome to the last document, which has been read but not judged."""
        self.come_to_documents()
        return self.judge_up_to(len(self.unit.order), seconds).wait(seconds)

    def complete(self) -> str:
        """A whole unit, without a fault; its completion code."""
        self.come_to_the_end()
        self.finish()
        assert self.assignment.state == "completed"
        return str(self.assignment.completion_code)


def ada(study: Study, **scores: str) -> Person:
    return Person(study, "ada", scores=scores)


def ben(study: Study) -> Person:
    return Person(study, "ben")


def carl(study: Study) -> Person:
    """Carl has rushed to the last page, reading none: his Finish fails check (d)."""
    return Person(study, "carl").come_to_the_end(seconds=1)


def dora(study: Study, device: str = "dora") -> Person:
    return Person(study, device, platform="prolific", external_id="5f1e")


def crowd(study: Study, count: int, *, verified: bool = True) -> list[Person]:
    """Many who are known to be different people, unless they are just visitors."""
    return [Person(study, f"worker-{number:02}", verified=verified) for number in range(count)]
