"""A scripted person who works through a study in a browser."""

import re
from html import unescape

from playwright.sync_api import Locator, Page

from tests.browser.studies import RELEVANCE, RIGHT

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
SMALL = {"width": 320, "height": 640}
DOCUMENTS = len(RELEVANCE)
LINES = 3


class Person:
    """One person, in one window."""

    def __init__(self, page: Page, slug: str) -> None:
        self.page = page
        self.slug = slug

    # --- where they are ---------------------------------------------------------------------

    def enter(self) -> None:
        self.page.goto(f"/study/{self.slug}/")

    def go_to(self, position: int) -> None:
        self.page.goto(f"/study/{self.slug}/{position}/")

    @property
    def main(self) -> Locator:
        return self.page.locator("main")

    @property
    def step(self) -> str:
        return self.main.get_attribute("data-step") or ""

    @property
    def position(self) -> int:
        return int(self.main.get_attribute("data-position") or 0)

    @property
    def text(self) -> str:
        return self.main.inner_text()

    # --- what they see and do ---------------------------------------------------------------

    @property
    def score(self) -> Locator:
        return self.page.locator("input[name=score]")

    @property
    def reason(self) -> Locator:
        return self.page.locator("textarea[name=justification]")

    @property
    def typed(self) -> tuple[str, str]:
        return self.score.input_value(), self.reason.input_value()

    def button(self, action: str) -> Locator:
        return self.page.locator(f"button[name=action][value={action}]")

    def press(self, action: str) -> None:
        self.button(action).click()

    def type(self, score: str, reason: str) -> None:
        self.score.fill(score)
        self.reason.fill(reason)

    @property
    def line(self) -> float:
        """How long the practice line is."""
        line = self.page.locator("svg line")
        return float(line.get_attribute("x2") or 0) - float(line.get_attribute("x1") or 0)

    @property
    def relevance(self) -> float:
        """What this document is worth, by its title."""
        title = self.page.locator(".document > .title")
        return RELEVANCE[title.inner_text() if title.count() else ""]

    @property
    def right_option(self) -> Locator:
        return self.page.get_by_label(RIGHT, exact=True)

    @property
    def code(self) -> str:
        return self.page.locator(".code code").inner_text()

    # --- how they work ----------------------------------------------------------------------

    def practise(self) -> None:
        """From the welcome through the lines."""
        self.press("continue")
        self.press("continue")
        for _ in range(LINES):
            self.score.fill(f"{self.line / 10:g}")
            self.press("next")

    def read_and_answer(self) -> None:
        """From the instructions to the first document."""
        self.press("continue")
        self.right_option.check()
        self.press("continue")

    def to_documents(self) -> "Person":
        self.practise()
        self.read_and_answer()
        return self

    def judge(self, score: str | None = None, reason: str = "It says how.") -> None:
        """Answer for this document and go on."""
        self.type(score or f"{self.relevance:g}", reason)
        self.press("finish" if self.position == DOCUMENTS else "next")

    def judge_all(self, score: str | None = None) -> None:
        for _ in range(self.position, DOCUMENTS + 1):
            self.judge(score)

    # --- the same without looking, for tests of what comes later ----------------------------

    def hurry(self, last: int = 0, score: str | None = None) -> "Person":
        """To the first document, or past the one at `last`: the forms are sent without a window."""
        self._send(action="continue")
        html = self._send(action="continue")
        for _ in range(LINES):
            x1, x2 = map(float, re.findall(r' x\d="([\d.]+)"', html))
            html = self._send(action="next", score=f"{x2 - x1:g}")
        html = self._send(action="continue")
        option = re.search(rf'value="(\d)" [^>]*>\s*<label [^>]*>{re.escape(RIGHT)}<', html)
        assert option
        html = self._send(action="continue", answer=option[1])
        for position in range(1, last + 1):
            title = re.search(r'<h2 class="title">(.*?)</h2>', html)
            typed = score or f"{RELEVANCE[unescape(title[1]) if title else '']:g}"
            action = "finish" if position == DOCUMENTS else "next"
            html = self._send(action=action, score=typed, justification="It says how.")
        self.enter()
        return self

    def _send(self, **fields: str) -> str:
        request = self.page.context.request
        shown = request.get(f"/study/{self.slug}/")
        html = shown.text()
        for name in ("csrfmiddlewaretoken", "page"):
            found = re.search(rf'name="{name}" value="([^"]*)"', html)
            assert found, html
            fields[name] = found[1]
        answer = request.post(shown.url, form=fields)
        assert answer.ok, answer.text()
        return answer.text()
