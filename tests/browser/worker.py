"""A scripted person who works through a study in a browser."""

import re
from html import unescape

from playwright.sync_api import APIResponse, Locator, Page

from tests.browser.studies import RELEVANCE, RIGHT

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
SMALL = {"width": 320, "height": 640}
DOCUMENTS = len(RELEVANCE)
LINES = 3
ON_THE_WAY = ("welcome", "practice", "instructions", "topic", "document")


class Person:
    """One person, in one window."""

    def __init__(self, page: Page, slug: str) -> None:
        self.page = page
        self.slug = slug

    # --- where they are ---------------------------------------------------------------------

    def enter(self) -> None:
        self.page.goto(f"/study/{self.slug}/")

    def go_to(self, position: int) -> None:
        self.page.goto(self._address(position))

    def go_to_document(self, word: str) -> None:
        """To the one with that word, of documents that are all judged."""
        for position in range(1, DOCUMENTS + 1):
            if word in self.page.context.request.get(self._address(position)).text():
                return self.go_to(position)
        raise LookupError(f"no document has {word}")

    def _address(self, position: int) -> str:
        return f"/study/{self.slug}/{position}/"

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
        """Press a button and see the page that comes: a click only waits for its beginning."""
        self.button(action).click()
        self.page.wait_for_load_state()

    def type(self, score: str, reason: str) -> None:
        self.score.fill(score)
        self.reason.fill(reason)

    @property
    def line(self) -> float:
        line = self.page.locator("svg line")
        return float(line.get_attribute("x2") or 0) - float(line.get_attribute("x1") or 0)

    @property
    def relevance(self) -> float:
        title = self.page.locator(".document > .title")
        return RELEVANCE[title.inner_text() if title.count() else ""]

    @property
    def right_option(self) -> Locator:
        return self.page.get_by_label(RIGHT, exact=True)

    @property
    def code(self) -> str:
        return self.page.locator(".code code").inner_text()

    # --- how they work ----------------------------------------------------------------------

    def judge(self, score: str | None = None, reason: str = "It says how.") -> None:
        self.type(score or f"{self.relevance:g}", reason)
        self.press("finish" if self.position == DOCUMENTS else "next")

    # --- the same without looking, for tests of what comes later ----------------------------
    # A page in a window takes ten times as long as its form.

    def hurry(self, last: int = 0, score: str | None = None, *, to: str = "document") -> "Person":
        """On from where they are to a step, or past the document at `last`.

        The forms are sent without a window.
        """
        shown = self.page.context.request.get(f"/study/{self.slug}/")
        while (step := _found(r'data-step="(.*?)"', shown.text())) in ON_THE_WAY:
            if step == to and not (step == "document" and _position(shown.text()) <= last):
                break
            shown = self._send(shown, self._answer(step, shown.text(), score))
        self.enter()
        return self

    def _answer(self, step: str, html: str, score: str | None) -> dict[str, str]:
        if step == "document":
            title = re.search(r'<h2 class="title">(.*?)</h2>', html)
            typed = score or f"{RELEVANCE[unescape(title[1]) if title else '']:g}"
            action = "finish" if _position(html) == DOCUMENTS else "next"
            return {"action": action, "score": typed, "justification": "It says how."}
        if step == "topic":
            option = rf'value="(\d)" [^>]*>\s*<label [^>]*>{re.escape(RIGHT)}<'
            return {"action": "continue", "answer": _found(option, html)}
        ends = re.findall(r' x\d="([\d.]+)"', html)
        if step == "practice" and ends:
            return {"action": "next", "score": f"{float(ends[1]) - float(ends[0]):g}"}
        return {"action": "continue"}

    def _send(self, shown: APIResponse, fields: dict[str, str]) -> APIResponse:
        for name in ("csrfmiddlewaretoken", "page"):
            fields[name] = _found(rf'name="{name}" value="([^"]*)"', shown.text())
        answer = self.page.context.request.post(shown.url, form=fields)
        assert answer.ok, answer.text()
        return answer


def _position(html: str) -> int:
    return int(_found(r'data-position="(\d+)"', html))


def _found(pattern: str, html: str) -> str:
    found = re.search(pattern, html)
    assert found, html
    return found[1]
