"""Somebody who reads hostile documents, and looks closely at each."""

import re

from playwright.sync_api import Page, expect

from judging.collections.cleaning import ELEMENTS
from tests.browser.hostile.studies import LAST_WORDS, RIGHT
from tests.browser.worker import LINES, Person

ALLOWED = {"colspan", "rowspan"}
# Of what a document's page holds, the elements and the attributes that came with the document.
HELD = """article => {
    const ours = article.querySelector(":scope > .title");
    const inside = [...article.querySelectorAll("*")].filter(one => one !== ours);
    return [
        inside.map(one => one.localName),
        inside.flatMap(one => one.getAttributeNames()),
    ].map(names => [...new Set(names)]);
}"""


class Reader(Person):
    """One person, whose scores follow what the titles say."""

    @property
    def relevance(self) -> float:
        title = self.page.locator("article.document > .title").inner_text()
        found = re.search(r"worth (\d+)", title)
        assert found, title
        return float(found[1])

    def to_documents(self) -> "Reader":
        self.press("continue")
        self.press("continue")
        for _ in range(LINES):
            self.score.fill(f"{self.line:g}")
            self.press("next")
        self.press("continue")
        self.page.get_by_label(re.compile(f"^{RIGHT}")).check()
        self.press("continue")
        return self

    @property
    def last(self) -> int:
        found = re.search(r"of (\d+)", self.page.locator("h1").inner_text())
        assert found
        return int(found[1])

    def look_at_document(self) -> None:
        """It holds reading elements alone, and the words before and after the payload."""
        article = self.page.locator("article.document")
        elements, attributes = article.evaluate(HELD)
        assert set(elements) <= ELEMENTS
        assert set(attributes) <= ALLOWED
        expect(article).to_contain_text("the first words")
        article.click()

    def has_last_words(self) -> bool:
        return LAST_WORDS in self.page.locator("article.document").inner_text()

    def answer_by_keyboard(self, reason: str) -> None:
        keys = self.page.keyboard
        position, last = self.position, self.last
        self.score.focus()
        keys.type(f"{self.relevance:g}")
        keys.press("Enter")
        expect(self.reason).to_be_focused()
        keys.insert_text(reason)
        tab_to(self.page, "finish" if position == last else "next")
        with self.page.expect_navigation():
            keys.press("Enter")
        self.page.wait_for_load_state()


def tab_to(page: Page, action: str) -> None:
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == action:
            return
    raise AssertionError(f"Tab does not reach {action}")
