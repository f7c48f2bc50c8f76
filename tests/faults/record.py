"""What the workers' browsers know for certain: what they sent, and what they were told."""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import urlsplit

ON_A_DOCUMENT = ("next", "back", "finish")
DOCUMENT_PAGE = re.compile(r"/study/[^/]+/(\d+)/$")
# It may look like a completion code, by chance.
RESUME_CODE = re.compile(r'<p class="(?:resume-code|code way-back)">.*?</p>', re.DOTALL)
CODE = re.compile(r"<code[^>]*>([0-9A-F]{10})</code>")
Answer = tuple[str, str | None]  # as Browser.send gives it: address and text, or where to go
LONGEST_ANSWER = 30.0  # seconds
Method = TypeVar("Method", bound=Callable[..., Any])


def document_page(address: str) -> int | None:
    """Which document's page an address is of, if of any."""
    found = DOCUMENT_PAGE.search(urlsplit(address).path)
    return int(found[1]) if found else None


@dataclass
class Form:
    """What a worker said on a document's page, however often it had to be sent."""

    number: int  # in the order in which they were first sent
    token: str
    position: int
    action: str
    score_text: str
    justification: str
    taken: bool = False  # an answer said so
    unanswered: int = (
        0  # requests that nothing was heard of: the site may deal with them, even late
    )


def last_taken(forms: Sequence[Form]) -> int:
    """Which of the forms of a page was acknowledged last; -1: none was."""
    return max((n for n, form in enumerate(forms) if form.taken), default=-1)


@dataclass(frozen=True)
class Trouble:
    """A request that the site did not answer as it should, for reasons of its own."""

    # cut: no whole answer came; error: of the site's own; refusal: of what was asked; slow: it came
    kind: str
    what: str
    began: float
    ended: float


def kept(method: Method) -> Method:
    """A method by which the record grows: what it is called with is noted before.

    Others may look at the record meanwhile, in other threads: while they do it does not grow.
    """

    @wraps(method)
    def noting(self: "Record", *said: Any) -> Any:
        with self.growing:
            self.note(method.__name__, said)
            return method(self, *said)

    return noting  # type: ignore[return-value]


@dataclass
class Record:
    """Everything that the browsers of a run have seen."""

    forms: dict[tuple[str, int], list[Form]] = field(default_factory=dict)  # by token and position
    # Tokens of what a worker asked to leave; where the page has none, the worker.
    left: set[str] = field(default_factory=set)
    codes: dict[str, set[str]] = field(default_factory=dict)  # whom each code was shown to
    seen: dict[str, str] = field(default_factory=dict)  # by worker, the page they saw last
    # Workers who asked for a unit and heard nothing: they may have one without knowing it.
    asked: set[str] = field(default_factory=set)
    vanished: set[str] = field(default_factory=set)  # workers who closed their browser for good
    away: set[str] = field(default_factory=set)  # workers who were sent away, with all others
    strays: list[str] = field(default_factory=list)  # who came back to another page than theirs
    troubles: list[Trouble] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    by_number: dict[int, Form] = field(default_factory=dict)
    _finishing: dict[str, Form] = field(default_factory=dict)  # by token, the latest Finish
    growing: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    def note(self, method: str, said: tuple[Any, ...]) -> None:
        """What it was told, before it knows it; for who keeps it."""

    @kept
    def sent(self, pseudonym: str, address: str, fields: dict[str, str]) -> Form | None:
        """A form is about to be sent; None: it is not a document's."""
        action, token = fields["action"], fields["page"].partition(":")[0]
        if action == "leave":
            self.left.add(pseudonym if token == "revise" else token)
        page = document_page(address)
        if page is None or action not in ON_A_DOCUMENT:
            return None
        said = (action, fields["score"], fields["justification"].strip())
        forms = self.forms.setdefault((token, page), [])
        if not forms or (forms[-1].action, forms[-1].score_text, forms[-1].justification) != said:
            self.counts["forms"] += 1
            forms.append(Form(self.counts["forms"], token, page, *said))
            self.by_number[forms[-1].number] = forms[-1]
        return forms[-1]

    def acknowledged(self) -> dict[tuple[str, int], int]:
        """By page, which of its forms was acknowledged last, as of now."""
        with self.growing:
            latest = {key: last_taken(forms) for key, forms in self.forms.items()}
        return {key: last for key, last in latest.items() if last >= 0}

    def answered(self, form: Form, answer: Answer) -> None:
        """An answer came to a document's form."""
        address, text = answer
        self.heard(form.number, address, text is not None)

    @kept
    def heard(self, number: int, address: str, has_text: bool) -> None:
        """An answer came, with a text or saying where to go."""
        form = self.by_number[number]
        if has_text:
            self.counts["older"] += 1  # an answer of which nothing was heard came before
        elif document_page(address):
            self._take(form)
        elif form.action == "finish":
            self._take_finish(form)

    def _take_finish(self, form: Form) -> None:
        """A Finish leads to where they stand, and so does one of a unit that is complete already.

        That is no answer to what is in this form if another Finish was sent of which nothing was
        heard: then it is that one which may have been taken.
        """
        earlier = self._finishing.get(form.token)
        if earlier and earlier is not form and earlier.unanswered:
            form.unanswered += 1
        else:
            self._take(form)

    def _take(self, form: Form) -> None:
        self.counts["acknowledged"] += not form.taken
        form.taken = True

    def unanswered(self, form: Form) -> None:
        """Nothing was heard of a request that was sent."""
        self.unheard(form.number)

    @kept
    def unheard(self, number: int) -> None:
        """Nothing was heard of it."""
        form = self.by_number[number]
        form.unanswered += 1
        if form.action == "finish":
            self._finishing[form.token] = form

    @kept
    def saw(self, pseudonym: str, step: str) -> None:
        """A worker is on a page of this kind."""
        self.seen[pseudonym] = step

    @kept
    def asks(self, pseudonym: str) -> None:
        """A worker asked for a unit, and heard nothing."""
        self.asked.add(pseudonym)

    @kept
    def vanishes(self, pseudonym: str) -> None:
        """A worker closed the browser for good."""
        self.vanished.add(pseudonym)

    @kept
    def went_away(self, pseudonyms: Iterable[str]) -> None:
        """Workers were interrupted by us. They come back; their units may have expired by then."""
        self.away.update(pseudonyms)

    @kept
    def count(self, what: str) -> None:
        """One more of it."""
        self.counts[what] += 1

    @kept
    def returned(self, pseudonym: str, before: int, after: int) -> None:
        """A worker who was on one document's page opened the study anew, and came to this one."""
        self.counts["returned"] += 1
        if after != before:
            self.strays.append(f"worker {pseudonym} was on page {before} and came back to {after}")

    def told(self, pseudonym: str, html: str) -> None:
        """A page came, with the codes that it shows."""
        for code in CODE.findall(RESUME_CODE.sub("", html)):
            if pseudonym not in self.codes.get(code, ()):
                self.shown(pseudonym, code)

    @kept
    def shown(self, pseudonym: str, code: str) -> None:
        """A code was shown to a worker."""
        self.codes.setdefault(code, set()).add(pseudonym)

    def trouble(self, kind: str, what: str, began: float) -> None:
        """The site failed to answer as it should."""
        self.fails(kind, what, began, time.monotonic())

    @kept
    def fails(self, kind: str, what: str, began: float, ended: float) -> None:
        """It failed from one moment to another."""
        self.troubles.append(Trouble(kind, what, began, ended))

    def took(self, what: str, began: float) -> None:
        """An answer came, or none did, by now."""
        seconds = time.monotonic() - began
        self.slowest = max(self.slowest, seconds)
        if seconds > LONGEST_ANSWER:
            self.trouble("slow", f"{what}: {seconds:.1f} s", began)
