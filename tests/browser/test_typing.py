"""What a person types is theirs: it is never lost, and never sent by surprise."""

from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site, Visits
from tests.browser.worker import DOCUMENTS, Person

TYPED = ("1/3", "Half of it is about\nsomething else")


@pytest.fixture
def judging(visit: Visits) -> Person:
    """A person on the second document, who has typed something."""
    person = Person(visit(), "lamps").hurry(1)
    person.type(*TYPED)
    return person


@pytest.fixture
def arrived(visit: Visits) -> Person:
    """The same, who came there from the first document in this window."""
    person = Person(visit(), "lamps").hurry()
    person.judge()
    person.type(*TYPED)
    return person


def test_survives_a_reload_the_back_button_a_jump_and_the_instructions(judging: Person) -> None:
    page = judging.page
    page.reload()
    assert judging.typed == TYPED
    judging.press("back")
    assert judging.position == 1
    judging.press("next")
    assert judging.typed == TYPED
    judging.go_to(1)
    judging.press("next")
    assert judging.typed == TYPED
    help_, sheet = page.locator("#instructions"), page.locator(".help-sheet")
    help_.locator("summary").click()
    expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    help_.locator("summary").click()
    page.locator(".document").click(position={"x": 5, "y": 5}, force=True)
    judging.score.focus()
    expect(sheet).to_be_hidden()
    assert judging.typed == TYPED


def test_enter_moves_from_the_number_to_the_reason_and_never_means_back(
    judging: Person, somebody: Callable[..., Person]
) -> None:
    judging.score.press("Enter")
    expect(judging.reason).to_be_focused()
    assert judging.position == 2
    judging.page.keyboard.press("ControlOrMeta+End")
    judging.page.keyboard.press("Enter")
    judging.page.keyboard.type("and more")
    assert judging.typed == (TYPED[0], f"{TYPED[1]}\nand more")
    unscripted = somebody(java_script_enabled=False).hurry(1)
    unscripted.type("3", "because")
    unscripted.score.press("Enter")
    assert unscripted.position == 3


def test_survives_a_reload_in_the_practice(person: Person) -> None:
    person.press("continue")
    person.press("continue")
    person.score.fill("two")
    person.page.reload()
    expect(person.score).to_have_value("two")
    person.press("next")
    person.score.fill("2")
    person.enter()
    expect(person.score).to_have_value("2")
    person.press("next")
    expect(person.score).to_have_value("")


def test_survives_the_browsers_history(arrived: Person) -> None:
    arrived.page.go_back()
    assert arrived.position == 1
    arrived.page.go_forward()
    assert arrived.position == 2
    assert arrived.typed == TYPED


def test_a_note_and_all_else_survive_a_reload_and_lost_cookies(judging: Person) -> None:
    page = judging.page
    page.get_by_text("There is something wrong with this document").click()
    page.get_by_label("What is wrong?").select_option("broken")
    page.get_by_label("In your words").fill("It ends in the mid")
    page.reload()
    expect(page.get_by_label("In your words")).to_be_visible()
    code = page.locator(".resume-code code").inner_text()
    page.context.clear_cookies()
    judging.press("next")
    assert judging.step == "unknown"
    expect(page.locator("#kept-code")).to_contain_text(code)
    page.get_by_role("link", name="enter your resume code").click()
    expect(page.get_by_label("Your resume code")).to_have_value(code)  # the tab has kept it
    judging.press("resume")
    assert judging.typed == TYPED
    expect(page.get_by_label("In your words")).to_have_value("It ends in the mid")
    expect(page.get_by_label("What is wrong?")).to_have_value("broken")


def test_survives_a_refused_form(judging: Person) -> None:
    judging.score.fill("-4")
    judging.press("next")
    assert judging.position == 2
    expect(judging.page.locator("#errors")).to_be_focused()
    assert judging.page.title().startswith("Error: ")
    judging.page.locator("#errors a").click()
    expect(judging.score).to_be_focused()
    assert judging.typed == ("-4", TYPED[1])
    judging.page.reload()
    assert judging.typed == ("-4", TYPED[1])


def test_survives_a_lost_connection(judging: Person) -> None:
    judging.page.context.set_offline(True)
    judging.page.locator("button[value=next]").click()
    expect(judging.page.locator("#offline")).to_contain_text("There is no connection just now")
    assert judging.typed == TYPED
    judging.page.context.set_offline(False)
    judging.press("next")
    assert judging.position == 3


def test_the_server_keeps_what_is_typed(somebody: Callable[..., Person]) -> None:
    """Half a minute after it was typed, and not again as long as nothing changes."""
    person = somebody().hurry(1)
    person.page.clock.install()
    person.page.reload()
    drafts = []
    person.page.on("request", lambda request: drafts.append(request.post_data or ""))
    person.type("7", "half a sen")
    with person.page.expect_response(lambda answer: answer.request.method == "POST") as kept:
        person.page.clock.run_for(31_000)
    assert kept.value.status == 200
    person.page.clock.run_for(120_000)
    assert len([draft for draft in drafts if "action=draft" in draft]) == 1
    person.page.evaluate("sessionStorage.clear()")
    person.page.reload()
    assert person.typed == ("7", "half a sen")


def test_survives_a_server_that_was_killed(judging: Person, site: Site) -> None:
    down = Person(judging.page.context.new_page(), judging.slug)
    down.go_to(2)
    down.type(*TYPED)
    site.kill()
    try:
        down.press("next")  # while nobody answers
        down.page.wait_for_url("chrome-error://**")
    finally:
        site.start()
    down.go_to(2)
    assert down.typed == TYPED
    judging.press("next")  # as if nothing had been
    assert judging.position == 3
    judging.go_to(2)
    assert judging.typed == TYPED


def test_survives_cookies_that_are_refused(judging: Person) -> None:
    judging.page.context.clear_cookies(name="csrftoken")
    judging.press("next")
    expect(judging.page.locator("h1")).to_contain_text("no longer recognise")
    expect(judging.main).to_contain_text("does not accept cookies")
    judging.page.go_back()
    assert judging.typed == TYPED
    judging.press("next")
    assert judging.position == 3


def test_a_newer_answer_from_another_tab_is_not_overwritten(judging: Person) -> None:
    judging.press("next")
    other = Person(judging.page.context.new_page(), judging.slug)
    other.go_to(2)
    other.type("7", "Read once more.")
    other.press("next")
    judging.go_to(2)
    assert judging.typed == ("7", "Read once more.")


def test_two_tabs_on_one_document(judging: Person) -> None:
    other = Person(judging.page.context.new_page(), judging.slug)
    other.enter()
    assert other.position == 2
    other.judge("3")
    assert other.position == 3
    judging.press("next")  # older than the answer, which stays; what it held is there to copy
    assert (judging.position, judging.typed[0]) == (2, "3")
    assert "You changed this answer in another tab" in judging.text
    assert TYPED[0] in judging.text
    judging.judge()
    other.hurry(DOCUMENTS)
    assert other.step == "done"
    judging.judge("99")
    assert judging.step == "done"
    assert judging.code == other.code


def test_a_double_click_goes_one_document_further(person: Person) -> None:
    person.hurry()
    person.type("3", "because")
    person.button("next").dblclick()
    person.page.wait_for_url("**/2/")
    expect(person.main).to_have_attribute("data-position", "2")
    person.enter()
    assert person.position == 2


def drafts(page: Page) -> list[str]:
    return page.evaluate("Object.keys(sessionStorage).filter(key => key.startsWith('draft:'))")


def test_nothing_stays_in_the_browser_after_leaving(arrived: Person) -> None:
    assert len(drafts(arrived.page)) == 2
    arrived.page.locator(".leave summary").click()
    arrived.press("leave")
    assert arrived.step == "left"
    assert drafts(arrived.page) == []


def test_where_the_browser_stores_nothing(visit: Visits) -> None:
    """Some browsers refuse access to the storage: then all is as without scripts."""
    page = visit()
    page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException() } })"
    )
    person = Person(page, "lamps")
    person.enter()
    person.hurry(1)
    person.score.fill("3")
    person.score.press("Enter")
    expect(person.reason).to_be_focused()


REFUSALS = {
    "": "Enter a number above zero: a whole number, a decimal or a fraction.",
    "0": "Zero is not possible.",
    "twelve": "“twelve” is not a number.",
    "1,500": "could mean two things. Write 1500 or 1.5,",
    "9" * 70: "at most 64 characters",
}


def test_a_refusal_says_what_is_wanted(judging: Person) -> None:
    for score, said in REFUSALS.items():
        judging.score.fill(score)
        judging.press("next")
        expect(judging.page.locator("#score_error")).to_contain_text(said)
        expect(judging.page.locator("#errors li")).to_have_count(1)
        expect(judging.score).to_have_attribute("aria-invalid", "true")
        described = judging.score.get_attribute("aria-describedby") or ""
        assert described.split()[0] == "score_error"
        assert judging.typed == (score, TYPED[1])


def test_finish_leads_to_the_document_that_is_not_complete(person: Person) -> None:
    person.hurry(DOCUMENTS, score="5")
    person.press("back")
    person.go_to(2)
    person.type("", "no number yet")
    person.press("back")
    person.press("finish")
    assert person.position == 2
    expect(person.page.locator("#errors h2")).to_contain_text("Before you can finish")
    expect(person.page.locator("#score_error")).to_be_visible()
    person.go_to(DOCUMENTS)
    assert person.page.locator("#errors").count() == 0


def test_pasted_characters_are_counted_where_the_study_says_so(visit: Visits) -> None:
    person = Person(visit(), "levels").hurry()
    person.reason.evaluate(
        """(box) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", "twelve chars");
            box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        }"""
    )
    with person.page.expect_request(lambda request: request.method == "POST") as sent:
        person.press("next")
    form = parse_qs(sent.value.post_data or "")
    assert form["pasted_characters"] == ["12"]
    assert form["hidden_seconds"] == ["0.0"]
    hidden = person.page.locator("input[name=pasted_characters]")
    expect(hidden).to_have_value("12")  # the page came back, since nothing was chosen
