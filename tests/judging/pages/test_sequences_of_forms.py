"""Forms of one page, refused, accepted, repeated and late, from two tabs: the answer is safe.

What was once acknowledged is what is stored, or something replaced it that is complete and was
shown later.
"""

from dataclasses import dataclass, field

import pytest
from django.db import transaction
from django.http import HttpResponse
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from judging.models import Judgment
from tests.judging.browsing import Browser, Page, stopped_clock
from tests.judging.invariants import broken

PAGE = 2  # it has a page before it and one after it
REFUSED, REDIRECT, OLDER = 303, 302, 409
SCORES = ("40", "7", "0", "1.500", "", "forty")
REASONS = ("because it says so", "it names its source", "", "  ")
LONGEST = 6  # forms


@dataclass(frozen=True)
class Send:
    """A button of the page as a tab shows it; `first`: the tab has asked for the page anew."""

    tab: int
    action: str
    score: str
    reason: str
    first: bool


@dataclass(frozen=True)
class Repeat:
    """A form that was sent before, byte by byte."""

    number: int


TABS = st.integers(0, 1)
SENDS = st.builds(
    Send,
    TABS,
    st.sampled_from(["next", "next", "next", "back", "draft", "keep", "report", "keep-answer"]),
    st.sampled_from(SCORES),
    st.sampled_from(REASONS),
    st.booleans(),
)
REPEATS = st.builds(Repeat, st.integers(0, LONGEST))


def is_complete(form: dict[str, str]) -> bool:
    return form["score"] in ("40", "7") and bool(form["justification"].strip())


def content(form: dict[str, str]) -> tuple[str, str]:
    return form["score"], form["justification"].strip()


@dataclass
class Tabs:
    """Two tabs of one worker on one page, and what the worker was led to believe is stored."""

    browser: Browser
    forms: dict[int, dict[str, str]] = field(default_factory=dict)  # as each tab shows it
    sent: list[dict[str, str]] = field(default_factory=list)
    acknowledged: tuple[str, str] | None = None
    since: int = 0  # the version at which the acknowledged answer came

    @property
    def path(self) -> str:
        return f"{self.browser.address}{PAGE}/"

    def open(self, tab: int) -> None:
        page = Page(self.browser.client.get(self.path))
        self.forms[tab] = page.form("next")

    def take(self, step: Send | Repeat) -> None:
        if isinstance(step, Repeat):
            if self.sent:
                self.post(self.sent[step.number % len(self.sent)])
            return
        if step.first or step.tab not in self.forms:
            self.open(step.tab)
        typed = {"score": step.score, "justification": step.reason, "action": step.action}
        form = {**self.forms[step.tab], **typed}
        self.sent.append(form)
        self.post(form)

    def post(self, form: dict[str, str]) -> None:
        before = self.stored()
        response: HttpResponse = self.browser.client.post(self.path, form)
        self.look(form, response, before)

    def stored(self) -> tuple[str, str] | None:
        row = Judgment.objects.filter(position=PAGE).first()
        return row.answer if row else None

    def look(
        self, form: dict[str, str], response: HttpResponse, before: tuple[str, str] | None
    ) -> None:
        """Compare what is stored with what this form may have done."""
        gives = form["action"] in ("next", "back") and is_complete(form)
        is_older = int(form["since"]) < self.since
        if gives and (not is_older or content(form) == self.acknowledged):
            assert response.status_code == REDIRECT
            if content(form) != self.acknowledged:
                self.acknowledged = content(form)
                self.since = Judgment.objects.get(position=PAGE).version
        elif form["action"] in ("next", "back", "keep", "report") and is_older:
            assert response.status_code == (
                OLDER if content(form) != self.acknowledged else response.status_code
            )
        elif form["action"] == "next":
            assert response.status_code == REFUSED
            assert Page(self.browser.client.get(response["Location"])).typed == content(form)
        assert self.stored() == self.acknowledged


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=st.lists(SENDS | REPEATS, min_size=2, max_size=LONGEST))
@pytest.mark.django_db
def test_an_acknowledged_answer_stays(study, steps):
    with transaction.atomic(), stopped_clock() as clock:
        browser = Browser(study)
        browser.come_to_documents()
        clock.wait(20)
        browser.judge()
        tabs = Tabs(browser)
        for step in steps:
            clock.wait(1)
            tabs.take(step)
        assert broken() == []
        transaction.set_rollback(True)
