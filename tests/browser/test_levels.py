"""Judging by levels in a browser: at a desk, on a phone, by keyboard alone, without scripts."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visits
from tests.browser.studies import LEVELS, RELEVANCE
from tests.browser.test_journeys import focus_with_tab
from tests.browser.worker import DOCUMENTS, Person

REASON = "It says how."
FINGER = 44  # pixels


class Grader(Person):
    """Somebody who judges by levels."""

    def level(self, name: str) -> Locator:
        return self.page.get_by_label(name, exact=True)

    @property
    def chosen(self) -> list[str]:
        """The names of the levels that are chosen: one or none."""
        return [name for name in LEVELS if self.level(name).is_checked()]

    @property
    def fitting(self) -> int:
        return sum(self.relevance >= least for least in (2, 10, 35))

    def grade(self, level: int | None = None, reason: str = REASON) -> None:
        self.level(LEVELS[self.fitting if level is None else level]).check()
        self.reason.fill(reason)
        self.press("finish" if self.position == DOCUMENTS else "next")


@pytest.fixture
def somebody(visit: Visits) -> Callable[..., Grader]:
    def come(**options: Any) -> Grader:
        person = Grader(visit(**options), "levels")
        person.enter()
        return person

    return come


@pytest.fixture
def judging(visit: Visits) -> Grader:
    return Grader(visit(), "levels").hurry()


def test_every_level_is_as_high_as_a_finger(judging: Grader) -> None:
    judging.page.set_viewport_size({"width": 320, "height": 640})
    options = judging.page.locator(".levels .option")
    expect(options).to_have_count(len(LEVELS))
    for option in options.all():
        box = option.bounding_box()
        assert box
        assert box["height"] >= FINGER
        assert box["x"] + box["width"] <= 320


def test_with_the_keyboard_alone(somebody: Callable[..., Grader]) -> None:
    """Levels by the keys 1 to 4 and by arrows; what stands where one types is text."""
    person = somebody()
    assert "a scale of 4 levels" in person.text
    person.hurry(to="instructions")
    assert all(name in person.text for name in LEVELS)
    person.hurry()
    keys = person.page.keyboard
    for position, wanted in enumerate(range(len(LEVELS)), start=1):
        assert (person.position, person.chosen) == (position, [])
        if wanted:
            assert f"You gave the previous document {LEVELS[wanted - 1]}" in person.text
        if position % 2:
            keys.press(str(wanted + 1))
            expect(person.level(LEVELS[wanted])).to_be_focused()
        else:
            focus_with_tab(person, person.level(LEVELS[0]))
            keys.press("Space")
            for _ in range(wanted):
                keys.press("ArrowDown")
        assert person.chosen == [LEVELS[wanted]]
        keys.press("Enter")
        expect(person.reason).to_be_focused()
        keys.type("1 reason, or 2.")
        assert person.chosen == [LEVELS[wanted]]
        assert person.reason.input_value() == "1 reason, or 2."
        focus_with_tab(person, person.button("next"))
        with person.page.expect_navigation():
            keys.press("Enter")
    assert person.position == len(LEVELS) + 1


def test_other_keys_choose_nothing(judging: Grader) -> None:
    expect(judging.page.locator("#keys")).to_be_visible()
    for key in ("5", "0", "Control+2", "Alt+2"):
        judging.page.keyboard.press(key)
        assert judging.chosen == [], key


def test_keys_can_be_turned_off(judging: Grader) -> None:
    """As one who speaks to the computer may want; for later pages as well."""
    page = judging.page
    page.get_by_role("button", name="Turn these keys off").click()
    page.keyboard.press("1")
    assert judging.chosen == []
    page.reload()
    page.keyboard.press("1")
    assert judging.chosen == []
    page.get_by_role("button", name="Turn these keys on").click()
    page.keyboard.press("1")
    assert judging.chosen == [LEVELS[0]]


def test_without_scripts(somebody: Callable[..., Grader]) -> None:
    person = somebody(java_script_enabled=False)
    person.hurry()
    expect(person.page.locator("#keys")).to_be_hidden()
    person.reason.fill("no level yet")
    person.press("next")
    expect(person.page.locator("#errors a")).to_have_text(["Choose a level"])
    assert person.reason.input_value() == "no level yet"
    person.grade(2)
    person.press("back")
    assert (person.chosen, person.reason.input_value()) == ([LEVELS[2]], REASON)
    person.press("next")
    assert person.position == 2
    person.hurry(DOCUMENTS, score="2")
    assert person.step == "revise"  # no level is above another
    person.press("back")
    while person.relevance < max(RELEVANCE.values()):
        assert person.chosen == [LEVELS[2]]
        person.press("back")
    person.level(LEVELS[3]).check()
    person.press("finish")
    assert person.step == "done"


def test_a_chosen_level_survives(judging: Grader) -> None:
    """A reload, a look elsewhere, a refusal: what is chosen and typed stays."""
    judging.level(LEVELS[2]).check()
    judging.page.reload()
    assert judging.chosen == [LEVELS[2]]
    judging.press("next")
    expect(judging.page.locator("#errors a")).to_have_text(["Give a reason"])
    assert judging.chosen == [LEVELS[2]]
    judging.reason.fill(REASON)
    judging.enter()
    assert (judging.chosen, judging.reason.input_value()) == ([LEVELS[2]], REASON)
    judging.press("next")
    judging.press("back")
    assert (judging.chosen, judging.reason.input_value()) == ([LEVELS[2]], REASON)


def test_the_summary_of_errors_leads_to_the_levels(judging: Grader) -> None:
    judging.press("next")
    expect(judging.page.locator("#errors")).to_be_focused()
    judging.page.locator("#errors a").first.click()
    expect(judging.level(LEVELS[0])).to_be_focused()
    expect(judging.page.get_by_role("group", name="How relevant is this document")).to_be_visible()
