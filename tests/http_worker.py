"""A scripted crowd worker over HTTP: reads pages, fills in their forms, presses their buttons.

It knows of the product what its users know: the step that a page says it is, the names of fields
and buttons. What it gives to documents comes from a function of what stands on the page.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType

import httpx
import lxml.html

MOST_STEPS = 300  # of one unit
# Where the parts of a page stand.
PARTS = {
    "document": "//article",
    "heading": "//h1",
    "question": "//legend",
    "errors": "//*[@id='errors']",
}


@dataclass
class Form:
    """A form: its fields as they stand, its radio buttons with their labels, its buttons."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, dict[str, str]] = field(default_factory=dict)  # name -> value -> label
    boxes: list[str] = field(default_factory=list)  # names of those to tick
    buttons: list[str] = field(default_factory=list)  # values of `action`, as they come


class Page:
    """One page of a worker, as it came over the wire."""

    def __init__(self, address: httpx.URL, status: int, html: str) -> None:
        self.address, self.status, self.html = address, status, html
        self._tree = lxml.html.document_fromstring(html or "<p>")
        main = next(self._tree.iter("main"), self._tree)
        self.step = main.get("data-step", "")
        self.position = int(main.get("data-position", 0)) or None
        lines = [(float(line.get("x1")), float(line.get("x2"))) for line in self._tree.iter("line")]
        self.line = lines[-1] if lines else None
        self.forms = [self._read(form) for form in self._tree.iter("form")]

    def words(self, part: str) -> str:
        """The words of a part of the page, with single blanks."""
        return " ".join(" ".join(map(_words, self._tree.xpath(PARTS[part]))).split())

    @property
    def codes(self) -> list[str]:
        """The completion codes it shows."""
        return [_words(code) for code in self._tree.iter("code")]

    @property
    def buttons(self) -> list[str]:
        """All buttons, in the order of the page."""
        return [button for form in self.forms for button in form.buttons]

    def form(self, button: str) -> Form:
        """The form that has a button."""
        for form in self.forms:
            if button in form.buttons:
                return form
        raise LookupError(f"no button {button} on the page {self.step or self.address}")

    def _read(self, element: lxml.html.FormElement) -> Form:
        form = Form(element.get("action", ""))
        for part in element.iter("input", "textarea", "button"):
            name, value = part.get("name", ""), part.get("value", "")
            if part.tag == "textarea":
                form.fields[name] = (part.text or "").removeprefix("\n")
            elif part.tag == "button":
                form.buttons += [value] * (name == "action")
            elif part.get("type") == "checkbox":
                form.boxes.append(name)
            elif part.get("type") == "radio":
                (label,) = self._tree.xpath("//label[@for=$name]", name=part.get("id"))
                form.choices.setdefault(name, {})[value] = _words(label)
                if part.get("checked") is not None:
                    form.fields[name] = value
            else:
                form.fields[name] = value
        return form


def _words(element: lxml.html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


@dataclass(frozen=True)
class Seen:
    """What a worker sees of a document when they judge it."""

    position: int
    text: str  # title and text, with single blanks
    revising: bool  # a Finish has failed before


Scorer = Callable[[Seen], str]
Answerer = Callable[[str, Sequence[str]], str]  # question, options -> the option they choose


class HttpWorker:
    """Somebody with a browser of their own.

    score: what they type into the number box.
    answer: which option they choose on the question on the topic.
    parameters: of the address they come by, such as PROLIFIC_PID.
    back_at: pages on which they press Back once before they go on.
    """

    def __init__(
        self,
        base: str,
        slug: str,
        score: Scorer,
        answer: Answerer,
        *,
        parameters: Mapping[str, str] | None = None,
        back_at: Sequence[int] = (),
        reason: str = "It fits what was asked for.",
    ) -> None:
        self.http = httpx.Client(base_url=base, follow_redirects=True, timeout=30)
        self.entry = f"/study/{slug}/"
        self.score, self.answer, self.reason = score, answer, reason
        self.parameters = dict(parameters or {})
        self.back_at = list(back_at)
        self.revising = False
        self.page: Page = None  # type: ignore[assignment] # until they come

    def __enter__(self) -> "HttpWorker":
        self.come()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.http.close()

    # --- what a browser does ----------------------------------------------------------------
    def come(self) -> Page:
        """Open the study's address."""
        return self._shown(self.http.get(self.entry, params=self.parameters))

    def open(self, position: int) -> Page:
        """Open a document's page by its address."""
        return self._shown(self.http.get(f"{self.entry}{position}/"))

    def press(self, button: str, **typed: str) -> Page:
        """Press a button, with its form as it stands but for what is typed."""
        form = self.page.form(button)
        target = self.page.address.join(form.action)
        return self._shown(self.http.post(target, data={**form.fields, **typed, "action": button}))

    def _shown(self, response: httpx.Response) -> Page:
        if response.status_code not in (200, 422):
            response.raise_for_status()
        self.page = Page(response.url, response.status_code, response.text)
        return self.page

    # --- what a worker does -----------------------------------------------------------------
    def take_a_step(self) -> Page:
        """Do what the page asks for."""
        return STEPS[self.page.step](self)

    def go_on_to(self, *steps: str) -> Page:
        """Do what is asked for until a page of one of these steps."""
        while self.page.step not in steps:
            self.take_a_step()
        return self.page

    def complete(self) -> str | None:
        """One more unit, until it is completed; its code, or None where there is no work."""
        if self.page.step in AFTER:
            if "again" not in self.page.buttons:
                return None
            self._begin_again()
        for _ in range(MOST_STEPS):
            if self.page.step not in STEPS:
                return self.page.codes[0] if self.page.step == "done" else None
            self.take_a_step()
        raise AssertionError(f"no end in sight: {self.page.step} after {MOST_STEPS} steps")

    def _begin(self) -> Page:
        return self.press("continue", **dict.fromkeys(self.page.form("continue").boxes, "on"))

    def _begin_again(self) -> Page:
        self.revising = False
        return self.press("again")

    def _practise(self) -> Page:
        if self.page.line is None:
            return self.press("continue")
        x1, x2 = self.page.line
        return self.press("next", score=f"{(x2 - x1) / 10:g}")

    def _answer(self) -> Page:
        options = self.page.form("continue").choices["answer"]
        chosen = self.answer(self.page.words("question"), list(options.values()))
        value = next(value for value, label in options.items() if label == chosen)
        return self.press("continue", answer=value)

    def _judge(self) -> Page:
        position = self.page.position
        assert position
        seen = Seen(position, self.page.words("document"), self.revising)
        return self.press(
            self._button(position),
            score=self.score(seen),
            justification=self.reason,
            visible_seconds=f"{position}.5",
        )

    def _button(self, position: int) -> str:
        """Next, and Finish at the end; in revision Back to the first page, and Finish there."""
        if self.revising:
            return "back" if position > 1 else "finish"
        if position in self.back_at:
            self.back_at.remove(position)
            return "back"
        return "next" if "next" in self.page.buttons else "finish"

    def _revise(self) -> Page:
        self.revising = True
        return self.press("back")


STEPS: dict[str, Callable[[HttpWorker], Page]] = {
    "welcome": HttpWorker._begin,
    "practice": HttpWorker._practise,
    "instructions": HttpWorker._begin,
    "topic": HttpWorker._answer,
    "document": HttpWorker._judge,
    "check": lambda worker: worker.press("finish"),
    "revise": HttpWorker._revise,
}
AFTER = ("done", "failed", "left")


def plain(text: str) -> str:
    """A document's text as `Seen` has it, so that it can be looked up."""
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())
