"""Ways of a worker that stop at every page worth a look, each in a state of its own."""

import re
from collections.abc import Iterator

from playwright.sync_api import expect

from tests.browser.worker import DOCUMENTS, LINES, Person


def preparation(person: Person) -> Iterator[None]:
    yield
    person.page.get_by_text("I do not want to take part").click()
    yield
    person.press("continue")
    yield
    person.press("continue")
    yield
    person.press("next")
    assert person.page.locator("#errors").count()
    yield
    for _ in range(LINES):
        person.score.fill(f"{person.line:g}")
        person.press("next")
    yield
    person.press("continue")
    yield
    person.press("continue")
    assert person.page.locator("#errors").count()
    yield


def judging(person: Person) -> Iterator[None]:
    person.hurry()
    for _ in range(DOCUMENTS):
        if person.page.locator(".document table").count():
            yield
            person.page.locator("#instructions summary").click()
            yield
            person.page.keyboard.press("Escape")
        elif "Leuchtturm" in person.text:
            person.press("finish" if person.position == DOCUMENTS else "next")
            assert person.page.locator("#errors").count()
            person.page.get_by_text("Stop and leave", exact=True).click()
            yield
        person.judge("5")
    assert person.step == "revise"
    yield
    person.press("back")
    yield
    person.press("back")
    yield


def endings(person: Person) -> Iterator[None]:
    person.hurry(DOCUMENTS)
    assert person.step == "done"
    yield
    code = person.code
    person.page.get_by_role("link", name="Your page").first.click()
    assert person.step == "me"
    yield
    person.page.locator("#code").fill(code)
    person.press("withdraw")
    yield
    person.page.goto("/study/lamps/")
    person.press("again")
    person.press("continue")
    for _ in range(LINES):
        person.score.fill("1")
        person.press("next")
    assert person.step == "failed"
    yield
    person.press("again")
    person.page.get_by_text("Stop and leave", exact=True).click()
    person.press("leave")
    assert person.step == "left"
    yield
    person.page.goto("/study/lamps/resume/")
    person.page.locator("#code").fill("nobody")  # the tab has filled in the right one
    person.press("resume")
    expect(person.page.locator("#errors")).to_be_focused()
    yield
    for slug in ("draft", "ended", "plain", "nothing"):
        person.page.goto(f"/study/{slug}/")
        yield
    person.page.goto("/login/")
    yield
    person.page.get_by_label("User name").fill("nobody")
    person.page.get_by_label("Password").fill("knows")
    person.page.get_by_role("button", name="Log in").click()
    expect(person.page.locator("#errors")).to_be_focused()
    yield
    person.page.context.clear_cookies(name="csrftoken")
    person.page.get_by_role("button", name="Log in").click()
    expect(person.page.locator("h1")).to_have_text("Please go back and try again")
    yield


def rarely(person: Person) -> Iterator[None]:
    page = person.hurry().page
    page.get_by_text("There is something wrong with this document").click()
    yield
    person.press("report")
    expect(page.locator("#kind_error")).to_be_visible()
    yield
    page.locator("#kind").select_option(index=1)
    person.press("report")
    expect(page.locator(".fault p[autofocus]")).to_be_visible()
    yield
    page.context.set_offline(True)
    person.judge()
    expect(page.locator("#offline")).not_to_be_empty()
    yield
    page.context.set_offline(False)
    page.context.clear_cookies(name=re.compile("worker-"))
    person.judge()
    assert person.step == "unknown"
    yield
    page.goto("/study/lamps/nothing/")
    assert person.step == "lost"
    yield


def tried_out(person: Person) -> Iterator[None]:
    """A rehearsal, of which people say what should be changed."""
    yield
    person.hurry(DOCUMENTS)
    assert person.step == "done"
    yield
    person.page.locator("#comment").fill("Nothing.")
    person.page.reload()
    expect(person.page.locator("#comment")).to_have_value("Nothing.")
    person.press("comment")
    yield
