"""A browser without JavaScript: it reads pages and sends their forms, as a worker would."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import lxml.html
import pytest
from django.test import Client

from judging.models import Assignment, PooledDocument, Study
from judging.pages import identity
from tests.cast import WORDS, Person, right_score
from tests.factory import NOON
from tests.factory.completed import complete
from web import clock


class Page:
    """What a page says about itself."""

    def __init__(self, response) -> None:
        self.response = response
        self.status = response.status_code
        self.html = response.content.decode()
        self.tree = lxml.html.document_fromstring(self.html or "<p>")
        self.text = self.tree.text_content()
        self._main = next(self.tree.iter("main"), self.tree)
        self.main_text = self._main.text_content()
        self.lines = [dict(line.attrib) for line in self.tree.iter("line")]
        self.options: dict[str, str] = {}  # value of a radio button: its label
        self.forms: list[dict] = []
        self._labels = {label.get("for"): label.text_content() for label in self.tree.iter("label")}
        for element in self.tree.iter("form", "input", "textarea", "select", "button"):
            self._take(element)

    def _take(self, element) -> None:
        if element.tag == "form":
            self.forms.append({"id": element.get("id"), "fields": {}, "buttons": []})
        elif element.tag != "button":
            self._take_field(element, element.get("name"), self.forms[-1]["fields"])
        elif element.get("name", "display") != "display":
            assert element.get("name") == "action"
            named = [form for form in self.forms if form["id"] == element.get("form", "")]
            (named or self.forms)[-1]["buttons"].append(element.get("value"))

    def _take_field(self, element, name, fields) -> None:
        if element.tag == "textarea":  # its first line end belongs to the markup
            fields[name] = (element.text or "").removeprefix("\n")
        elif element.tag == "select":
            chosen = element.xpath("option[@selected]/@value")
            fields[name] = chosen[0] if chosen else ""
        elif element.get("type") == "checkbox":
            fields[name] = None  # until it is ticked
        elif element.get("type") == "radio":
            self.options[element.get("value")] = self._labels.get(element.get("id"), "")
            fields.setdefault(name, None)
        else:
            fields[name] = element.get("value", "")

    @property
    def step(self) -> str:
        return self._main.get("data-step", "")

    @property
    def position(self) -> int:
        return int(self._main.get("data-position", 0))

    @property
    def buttons(self) -> list[str]:
        """Of all forms, in the order of the markup, but for those that every page has."""
        everywhere = ("leave", "keep", "report")
        return [b for form in self.forms for b in form["buttons"] if b not in everywhere]

    @property
    def can_leave(self) -> bool:
        return any("leave" in form["buttons"] for form in self.forms)

    def form(self, action: str) -> dict[str, str]:
        """The fields of the form that has this button."""
        (form,) = [form for form in self.forms if action in form["buttons"]]
        return {name: value for name, value in form["fields"].items() if value is not None}

    def sent(self, action: str, **typed: str) -> dict[str, str]:
        """What a button of this page sends, with what is typed into the form's fields."""
        return {**self.form(action), **typed, "action": action}

    @property
    def typed(self) -> tuple[str, str]:
        fields = self.form("next" if "next" in self.buttons else "finish")
        return fields["score"], fields.get("justification", "")

    @property
    def code(self) -> str:
        found = re.search(r'<p class="code"><code[^>]*>([0-9A-F]+)</code>', self.html)
        return found[1] if found else ""

    @property
    def words(self) -> str:
        """All text, with single blanks."""
        return " ".join(self.text.split())

    @property
    def without_csrf(self) -> str:
        """The page, letter by letter, but for the token against forged forms."""
        return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", self.html)


@dataclass
class Browser:
    """A browser of one worker, with its cookies; it knows the right answers."""

    study: Study
    client: Client = field(default_factory=Client)
    page: Page = field(init=False)
    path: str = ""

    @property
    def address(self) -> str:
        return f"/study/{self.study.slug}/"

    def get(self, path: str = "", **given) -> Page:
        """Go to an address, and on to where it leads."""
        return self._follow(self.client.get(self._full(path), **given), path)

    def post(self, path: str, data: dict[str, str]) -> Page:
        return self._follow(self.client.post(self._full(path), data), path)

    def _full(self, path: str) -> str:
        return path if path.startswith("/") else self.address + path

    def _follow(self, response, path: str) -> Page:
        self.path = self._full(path)
        for _ in range(5):
            if response.status_code not in (302, 303):
                self.page = Page(response)
                return self.page
            self.path = response["Location"]
            response = self.client.get(self.path)
        raise AssertionError(f"redirected in circles: {self.path}")

    def press(self, action: str, **typed: str) -> Page:
        """Press a button of the page shown, with what is typed into the form's fields."""
        return self.post(self.path, self.page.sent(action, **typed))

    # --- the right things to do ---
    @property
    def assignment(self) -> Assignment:
        return Assignment.objects.get(token=self.token)

    @property
    def token(self) -> str:
        found = re.search(r'name="page" value="([\w-]+)[:"]', self.page.html)
        return found[1] if found else ""

    def practise(self) -> Page:
        self.press("continue")
        return self.measure_lines()

    def measure_lines(self) -> Page:
        while self.page.step == "practice":
            (line,) = self.page.lines
            self.press("next", score=str(int(line["x2"]) - int(line["x1"])))
        return self.page

    def answer(self, right: bool = True) -> Page:
        answer = self.assignment.study_topic.answer
        value = next(v for v, label in self.page.options.items() if (label == answer) == right)
        return self.press("continue", answer=value)

    def walk_to_documents(self) -> Page:
        """From Welcome to the first document, page by page."""
        self.get()
        self.press("continue")
        self.practise()
        self.press("continue")
        return self.answer()

    def person(self) -> Person:
        """Whom flow sees in them."""
        seen = identity.arrival_of_cookie(self.study.pk, self.cookies[self.cookie_name])
        ids = seen.platform, seen.external_id, seen.ids
        person = Person(self.study, seen.pseudonym, clock.now(), *ids)
        person.worker = self.study.workers.filter(pseudonym=person.name).first()
        return person

    def come_to(self, step: str) -> Page:
        """At one stroke from Welcome to a step of the unit; `line` is a line of the practice."""
        self.get()
        states = {"line": "practice", "document": "judging", "revise": "revising"}
        self.person().come_to(states.get(step, step))
        self.get()
        return self.press("continue") if step == "line" else self.page

    def come_to_documents(self) -> Page:
        return self.come_to("document")

    def complete(self, clock: "Clock") -> Page:
        """At one stroke from Welcome to the end of the unit, ten minutes later."""
        self.get()
        person = self.person()
        comes = {"platform": person.platform, "external_id": person.external_id}
        complete(self.study, person.name, at=person.now, ids=person.ids, **comes)
        clock.wait(600)
        assert self.get().step == "done"
        return self.page

    @property
    def cookies(self) -> dict[str, str]:
        return {name: cookie.value for name, cookie in self.client.cookies.items()}

    @property
    def cookie_name(self) -> str:
        """What the cookie of this study is called."""
        return identity.cookie_name(self.study.pk)

    def right_score(self) -> str:
        key = self.assignment.order[self.page.position - 1]
        return right_score(self.study, PooledDocument.objects.get(pk=key).role)

    def judge(self, action: str = "next", score: str = "", words: str = WORDS) -> Page:
        return self.press(action, score=score or self.right_score(), justification=words)

    def judge_all(self, clock: "Clock | None" = None, seconds: float = 20) -> Page:
        """Judge from the page shown to the last, and finish."""
        while self.page.step == "document":
            if clock:
                clock.wait(seconds)
            self.judge("next" if "next" in self.page.buttons else "finish")
        return self.page


@dataclass
class Clock:
    """The time that pages see."""

    now: datetime = NOON

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@contextmanager
def stopped_clock() -> Iterator[Clock]:
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("web.clock.now", lambda: clock.now)
        yield clock
