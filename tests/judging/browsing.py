"""A browser without JavaScript: it reads pages and sends their forms, as a worker would."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html.parser import HTMLParser

import pytest
from django.test import Client

from judging.models import Assignment, PooledDocument, Study
from judging.pages import identity
from tests.cast import WORDS, Person, right_score
from tests.factory import NOON
from web import clock

VOID = {"meta", "link", "input", "br", "hr", "line"}


class Page(HTMLParser):
    """What a page says about itself."""

    def __init__(self, response) -> None:
        super().__init__()
        self.response = response
        self.status = response.status_code
        self.html = response.content.decode()
        self.main: dict[str, str] = {}
        self.forms: list[dict] = []
        self.lines: list[dict[str, str]] = []
        self.options: dict[str, str] = {}  # value of a radio button: its label
        self._label = self._textarea = self._select = ""
        self._ids: dict[str, str] = {}
        self.text = self.main_text = ""
        self._in_main = False
        self.feed(self.html)

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        if tag == "main":
            self.main, self._in_main = given, True
        elif tag == "form":
            self.forms.append({"id": given.get("id"), "fields": {}, "buttons": []})
        elif tag == "line":
            self.lines.append(given)
        elif tag == "label":
            self._label = given.get("for", "")
        elif tag in ("textarea", "select", "option", "input"):
            self._take_field(tag, given, self.forms[-1]["fields"])
        elif tag == "button" and given.get("name", "display") != "display":
            assert given["name"] == "action"
            near = self.forms[-1]
            form = next((f for f in self.forms if f["id"] == given.get("form")), near)
            (form if "form" in given else near)["buttons"].append(given["value"])

    def _take_field(self, tag, given, fields):
        if tag == "textarea":
            self._textarea = given["name"]
            fields[self._textarea] = ""
        elif tag == "select":
            self._select = given["name"]
            fields[self._select] = ""
        elif tag == "option":
            fields[self._select] = given["value"] if "selected" in given else fields[self._select]
        elif given.get("type") == "checkbox":
            fields[given["name"]] = None  # until it is ticked
        elif given.get("type") == "radio":
            self._ids[given["id"]] = given["value"]
            fields.setdefault(given["name"], None)
        else:
            fields[given["name"]] = given.get("value", "")

    def handle_endtag(self, tag):
        if tag == "textarea":  # its first line end belongs to the markup
            fields = self.forms[-1]["fields"]
            fields[self._textarea] = fields[self._textarea].removeprefix("\n")
            self._textarea = ""
        elif tag == "label":
            self._label = ""
        elif tag == "main":
            self._in_main = False

    def handle_data(self, data):
        if self._textarea:
            self.forms[-1]["fields"][self._textarea] += data
        elif self._label in self._ids:
            self.options[self._ids[self._label]] = data
        self.text += data
        if self._in_main:
            self.main_text += data

    @property
    def step(self) -> str:
        return self.main.get("data-step", "")

    @property
    def position(self) -> int:
        return int(self.main.get("data-position", 0))

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
    """One browser of one worker, with its cookies; it knows the right answers."""

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
        return self.post(self.path, {**self.page.form(action), **typed, "action": action})

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

    def walk_to(self, step: str, clock: "Clock") -> Page:
        """From Welcome to a step of the unit; `line` is a line of the practice.

        Revise is reached by judging too fast.
        """
        self.get()
        self.press("continue")
        if step == "line":
            self.press("continue")
        elif step != "practice":
            self.practise()
            if step != "instructions":
                self.press("continue")
            if step in ("document", "revise"):
                self.answer()
            if step == "revise":
                self.judge_all(clock, seconds=1)
        return self.page

    def come_to_documents(self) -> Page:
        """The same at one stroke."""
        self.get()
        arrival = identity.arrival_of_cookie(self.study.pk, self.cookies[self.cookie_name])
        person = Person(self.study, arrival.pseudonym, clock.now())
        person.platform, person.external_id = arrival.platform, arrival.external_id
        person.ids = arrival.ids
        person.come_to_documents()
        return self.get()

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
