"""Whole ways through a study, as people go them."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.studies import RELEVANCE
from tests.browser.worker import DOCUMENTS, LINES, PHONE, Person

Somebody = Callable[..., Person]


@pytest.mark.parametrize(
    "options", [pytest.param({}, marks=pytest.mark.whole), PHONE], ids=["desktop", "phone"]
)
def test_a_whole_set(somebody: Somebody, options: dict[str, Any]) -> None:
    person = somebody(**options)
    assert person.step == "welcome"
    assert "10 minutes" in person.text
    assert "$0.20" in person.text
    person.press("continue")
    assert person.step == "practice"
    person.press("continue")
    for line in range(1, LINES + 1):
        expect(person.page.locator(".bar")).to_contain_text(f"line {line} of {LINES}")
        person.score.fill(f"{person.line}")
        person.press("next")
    assert person.step == "instructions"
    person.press("continue")
    assert person.step == "topic"
    person.right_option.check()
    person.press("continue")
    before = None
    for position in range(1, DOCUMENTS + 1):
        assert (person.step, person.position) == ("document", position)
        expect(person.page.locator(".bar")).to_contain_text(f"Document {position} of {DOCUMENTS}")
        if before:
            assert f"You gave the previous document {before}" in person.text
        before = f"{person.relevance:g}"
        person.judge()
    assert person.step == "done"
    assert len(person.code) == 10
    expect(person.button("again")).to_have_text("Judge another topic")


def test_two_sets_and_their_codes(person: Person) -> None:
    person.hurry(DOCUMENTS)
    first = person.code
    person.press("again")
    assert person.step == "practice"
    person.page.get_by_text("Stop and leave", exact=True).click()
    person.press("leave")
    expect(person.page.locator(".codes code")).to_have_text([first])
    person.press("again")
    person.hurry(DOCUMENTS)
    assert person.step == "done"
    assert person.code != first
    assert {first, person.code} <= set(person.page.locator(".codes code").all_inner_texts())
    assert person.button("again").count() == 0
    assert "no other topic" in person.text


def focus_with_tab(person: Person, target: Locator) -> None:
    for _ in range(12):
        person.page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    pytest.fail(f"Tab does not reach {target}")


def test_with_the_keyboard_alone(person: Person) -> None:
    keys = person.page.keyboard

    def press(action: str) -> None:
        focus_with_tab(person, person.button(action))
        with person.page.expect_navigation():
            keys.press("Enter")

    press("continue")
    press("continue")
    for _ in range(LINES):
        focus_with_tab(person, person.score)
        keys.type(f"{person.line:g}")
        with person.page.expect_navigation():
            keys.press("Enter")
    press("continue")
    keys.press("Tab")  # the link past the bar
    with person.page.expect_event("framenavigated"):
        keys.press("Enter")
    focus_with_tab(person, person.page.locator("input[name=answer]").first)
    keys.press("Space")
    while not person.right_option.is_checked():
        keys.press("ArrowDown")
    press("continue")
    for position in range(1, DOCUMENTS + 1):
        assert person.position == position
        focus_with_tab(person, person.score)
        keys.type(f"{person.relevance:g}")
        keys.press("Enter")
        keys.type("It says how.")
        press("finish" if position == DOCUMENTS else "next")
    assert person.step == "done"


def test_without_scripts(somebody: Somebody) -> None:
    person = somebody(java_script_enabled=False)
    person.hurry()
    person.score.fill("12")
    person.score.press("Enter")  # sends the form: there is nothing to stop it
    expect(person.page.locator("#errors a")).to_have_text(["Give a reason"])
    assert person.typed == ("12", "")
    person.judge()
    assert person.position == 2
    person.type("draft", "half a")
    person.press("back")
    assert person.position == 1
    person.press("next")
    assert person.typed == ("draft", "half a")
    person.page.locator("#instructions summary").click()
    expect(person.page.get_by_text("There is always a larger number")).to_be_visible()
    person.page.locator("#instructions summary").click()
    person.hurry(DOCUMENTS - 1)
    person.judge()
    assert person.step == "done"


def test_revising_after_a_failed_finish(person: Person) -> None:
    person.hurry(DOCUMENTS, score="5")  # H_k and N_k alike
    assert person.step == "revise"
    assert "not accurate enough" in person.text
    person.press("back")
    assert person.position == DOCUMENTS
    assert person.typed == ("5", "It says how.")
    position = DOCUMENTS
    while person.relevance < max(RELEVANCE.values()):
        expect(person.button("finish")).to_be_visible()
        person.press("back")
        position -= 1
        assert person.position == position
    person.score.fill(f"{person.relevance:g}")
    person.press("finish")
    assert person.step == "done"


def test_lines_in_the_wrong_order(person: Person) -> None:
    person.press("continue")
    person.press("continue")
    for _ in range(LINES):
        person.score.fill(f"{1000 - person.line}")
        person.press("next")
    assert person.step == "failed"
    assert "did not rise with the lengths" in person.text
    person.press("again")
    assert person.step == "practice"


def test_the_wrong_answer(person: Person) -> None:
    person.hurry(to="topic")
    person.press("continue")
    expect(person.page.locator("#errors a")).to_have_text(["Choose one of the four answers."])
    expect(person.page.locator("#errors")).to_be_focused()
    person.page.locator("#errors a").click()
    expect(person.page.locator("input[name=answer]").first).to_be_focused()
    wrong = "One that lists the names of lighthouse keepers"
    person.page.get_by_label(wrong, exact=True).check()
    person.press("continue")
    assert person.step == "failed"
    assert "not the right one" in person.text
    person.press("again")
    assert person.step == "practice"


def test_not_taking_part(person: Person) -> None:
    expect(person.button("leave")).to_be_hidden()
    person.page.get_by_text("I do not want to take part").click()
    person.press("leave")
    assert person.step == "left"
    assert "not taking part" in person.text
    person.page.get_by_role("link", name="read about the study again").click()
    assert person.step == "welcome"


@pytest.mark.parametrize(
    "where",
    [
        *("practice", "document", "revise"),
        *(pytest.param(name, marks=pytest.mark.whole) for name in ("instructions", "topic")),
    ],
)
def test_leaving_with_a_question_first(person: Person, where: str) -> None:
    person.hurry(DOCUMENTS if where == "revise" else 0, score="5", to=where)
    assert person.step == where
    expect(person.button("leave")).to_be_hidden()
    person.page.get_by_text("Stop and leave", exact=True).click()
    expect(person.page.get_by_text("Do you want to stop?")).to_be_visible()
    person.press("leave")
    assert person.step == "left"
    person.enter()
    assert person.step == "left"
    expect(person.button("again")).to_be_visible()


def test_no_page_ahead_can_be_reached(person: Person) -> None:
    person.go_to(3)
    assert person.step == "welcome"
    person.hurry(1)
    person.go_to(DOCUMENTS)
    assert person.position == 2
    person.go_to(1)
    assert person.position == 1


def test_no_work(somebody: Somebody) -> None:
    """A study of one set: nobody else gets one while it is taken, nor after it is done."""
    first, waiting = somebody("small"), somebody("small")
    first.press("continue")
    waiting.press("continue")
    assert waiting.step == "no-work"
    assert "are with other people" in waiting.text
    first.hurry(DOCUMENTS)
    assert first.step == "done"
    assert first.button("again").count() == 0
    waiting.page.get_by_role("link", name="Look again").click()
    assert waiting.step == "no-work"
    assert "nothing left" in waiting.text


def test_studies_that_take_nobody(somebody: Somebody) -> None:
    person = somebody("draft")
    assert person.step == "closed"
    assert "has not begun" in person.text
    person = somebody("ended")
    assert person.step == "closed"
    assert "has ended" in person.text
    assert "lamps@institute.example" in person.text


def test_a_welcome_without_texts(somebody: Somebody) -> None:
    """Where a study has no consent text, contact or payment, the page still says what is so."""
    person = somebody("plain")
    assert "Nothing is paid." in person.text
    assert "Ethics" not in person.text
    assert "About this study" not in person.text
    assert "demonstration" in person.page.locator(".notice").inner_text()


def test_who_a_platform_sent_stays_who_they_are(somebody: Somebody) -> None:
    person = somebody()
    person.page.goto("/study/lamps/?PROLIFIC_PID=anna&STUDY_ID=1&SESSION_ID=2")
    assert person.page.url.endswith("/study/lamps/")
    person.press("continue")
    code = person.page.locator(".resume-code code").inner_text()
    elsewhere = somebody()
    elsewhere.page.goto("/study/lamps/?PROLIFIC_PID=anna")
    assert elsewhere.step == "resume"
    elsewhere.page.get_by_label("Your resume code").fill("not the code")
    elsewhere.press("resume")
    expect(elsewhere.page.locator("#errors")).to_be_focused()
    elsewhere.page.get_by_label("Your resume code").fill(code.lower())
    elsewhere.press("resume")
    assert elsewhere.step == "practice"
    same_submission = somebody()
    same_submission.page.goto("/study/lamps/?PROLIFIC_PID=anna&SESSION_ID=2")
    assert same_submission.step == "practice"


def test_revising_from_the_list(person: Person) -> None:
    person.hurry(DOCUMENTS, score="5")
    assert person.step == "revise"
    links = person.page.locator(".answers a")
    expect(links).to_have_count(DOCUMENTS)
    links.nth(2).click()
    assert (person.step, person.position, person.typed[0]) == ("document", 3, "5")
    expect(person.button("finish")).to_be_visible()
