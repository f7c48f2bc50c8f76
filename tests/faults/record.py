"""What the workers' browsers know for certain: what they sent, and what they were told."""

import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

ON_A_DOCUMENT = ("next", "back", "finish")
DOCUMENT_PAGE = re.compile(r"/study/[^/]+/(\d+)/$")
# It may look like a completion code, by chance.
RESUME_CODE = re.compile(r'<p class="(?:resume-code|code way-back)">.*?</p>', re.DOTALL)
CODE = re.compile(r"<code[^>]*>([0-9A-F]{10})</code>")
Answer = tuple[str, str | None]  # as Browser.send gives it: address and text, or where to go
LONGEST_ANSWER = 30.0  # seconds


def document_page(address: str) -> int | None:
    """Which document's page an address is of, if of any."""
    found = DOCUMENT_PAGE.search(urlsplit(address).path)
    return int(found[1]) if found else None


@dataclass
class Form:
    """What a worker said on a document's page, however often it had to be sent.

    taken: an answer said so. unanswered: requests that nothing was heard of; the site may deal with
    them, even late.
    """

    token: str
    position: int
    action: str
    score_text: str
    justification: str
    taken: bool = False
    unanswered: int = 0


def last_taken(forms: Sequence[Form]) -> int:
    """Which of the forms of a page was acknowledged last; -1: none was."""
    return max((n for n, form in enumerate(forms) if form.taken), default=-1)


@dataclass(frozen=True)
class Trouble:
    """A request that the site did not answer as it should, for reasons of its own.

    kind: "cut", no whole answer came; "error" of the site's own; "refusal" of what was asked;
    "slow", it came late.
    """

    kind: str
    what: str
    began: float
    ended: float


@dataclass
class Record:
    """Everything that the browsers of a run have seen."""

    forms: dict[tuple[str, int], list[Form]] = field(default_factory=dict)  # by token and position
    # Tokens of what a worker asked to leave; where the page has none, the worker.
    left: set[str] = field(default_factory=set)
    # Whom each code was shown to.
    codes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    seen: dict[str, str] = field(default_factory=dict)  # by worker, the page they saw last
    # Workers who asked for a unit and heard nothing: they may have one without knowing it.
    asked: set[str] = field(default_factory=set)
    vanished: set[str] = field(default_factory=set)  # workers who closed their browser for good
    strays: list[str] = field(default_factory=list)  # who came back to another page than theirs
    troubles: list[Trouble] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    # Checks look at the forms from another thread, in the midst of the crowd's work.
    growing: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    _finishing: dict[str, Form] = field(default_factory=dict)  # by token, the latest Finish

    def sent(self, pseudonym: str, address: str, fields: dict[str, str]) -> Form | None:
        """A form is about to be sent; None: it is not a document's."""
        action, token = fields["action"], fields["page"].partition(":")[0]
        if action == "leave":
            self.left.add(pseudonym if token == "revise" else token)
        page = document_page(address)
        if page is None or action not in ON_A_DOCUMENT:
            return None
        said = Form(token, page, action, fields["score"], fields["justification"].strip())
        with self.growing:
            forms = self.forms.setdefault((token, page), [])
            if not forms or not _say_the_same(forms[-1], said):
                forms.append(said)
            return forms[-1]

    def acknowledged(self) -> dict[tuple[str, int], int]:
        """By page, which of its forms was acknowledged last, as of now."""
        with self.growing:
            latest = {key: last_taken(forms) for key, forms in self.forms.items()}
        return {key: last for key, last in latest.items() if last >= 0}

    def answered(self, form: Form, answer: Answer) -> None:
        address, text = answer
        if text is not None:
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
        form.unanswered += 1
        if form.action == "finish":
            self._finishing[form.token] = form

    def returned(self, pseudonym: str, before: int, after: int) -> None:
        """A worker who was on one document's page opened the study anew, and came to this one."""
        if after != before:
            self.strays.append(f"worker {pseudonym} was on page {before} and came back to {after}")

    def told(self, pseudonym: str, html: str) -> None:
        for code in CODE.findall(RESUME_CODE.sub("", html)):
            self.codes[code].add(pseudonym)

    def trouble(self, kind: str, what: str, began: float) -> None:
        self.troubles.append(Trouble(kind, what, began, time.monotonic()))

    def took(self, what: str, began: float) -> None:
        seconds = time.monotonic() - began
        self.slowest = max(self.slowest, seconds)
        if seconds > LONGEST_ANSWER:
            self.trouble("slow", f"{what}: {seconds:.1f} s", began)


def _say_the_same(one: Form, other: Form) -> bool:
    return (one.action, one.score_text, one.justification) == (
        *(other.action, other.score_text, other.justification),
    )
