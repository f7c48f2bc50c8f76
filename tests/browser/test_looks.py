"""How the pages look and what assistive technology makes of them, measured in the browser."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Locator, StorageState, expect

from tests.browser.conftest import DESKTOP, Site, Visits
from tests.browser.looks import look
from tests.browser.walks import judging, preparation
from tests.browser.worker import DOCUMENTS, LINES, PHONE, SMALL, Person

Somebody = Callable[..., Person]
OnDocument = Callable[..., Person]
LINE = 21  # pixels, of the small text in the bar


@pytest.mark.parametrize(  # the others: test_states
    "walk", [preparation, pytest.param(judging, marks=pytest.mark.nightly)]
)
def test_every_page(somebody: Somebody, walk: Callable[[Person], Iterator[None]]) -> None:
    person = somebody(reduced_motion="reduce")  # so that no colour is still on its way
    for _ in walk(person):
        look(person.page)


def test_when_no_work_is_left(visit: Visits, somebody: Somebody) -> None:
    holder = somebody("plain")
    holder.press("continue")
    person = Person(
        visit(reduced_motion="reduce", timezone_id="Asia/Kolkata", locale="en-GB"), "plain"
    )
    person.enter()
    assert person.step == "no-work"
    look(person.page)
    time = person.page.locator("main time")
    moment = datetime.fromisoformat(time.get_attribute("datetime") or "")
    there = moment.astimezone(ZoneInfo("Asia/Kolkata"))
    assert f"{there:%H:%M}" in time.inner_text()
    assert "UTC" not in person.text
    holder.page.get_by_text("Stop and leave", exact=True).click()
    holder.press("leave")


def box(locator: Locator) -> dict[str, float]:
    found = locator.bounding_box()
    assert found
    return {**found, "right": found["x"] + found["width"], "bottom": found["y"] + found["height"]}


@pytest.fixture(scope="module")
def revising(site: Site, browser: Browser) -> StorageState:
    """The cookies of somebody who may go to every document."""
    with browser.new_context(base_url=site.url) as context:
        Person(context.new_page(), "lamps").hurry(DOCUMENTS, score="5")
        return context.storage_state()


@pytest.fixture
def on_document(visit: Visits, revising: StorageState) -> Callable[..., Person]:
    """Opens a window on the document with a word, which is looked at and left as it is."""

    def open_window(word: str, **options: Any) -> Person:
        person = Person(visit(storage_state=revising, **options), "lamps")
        person.go_to_document(word)
        return person

    return open_window


def test_the_topic_stays_beside_the_document(on_document: OnDocument) -> None:
    person = on_document("A taller tower")
    topic, document = person.page.locator(".topic"), person.page.locator(".document")
    person.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    person.page.wait_for_function("() => scrollY > 200")
    assert box(topic)["right"] < box(document)["x"]
    bar = box(person.page.locator(".bar"))
    assert bar["y"] == 0
    assert bar["bottom"] <= box(topic)["y"]
    assert box(topic)["bottom"] <= DESKTOP["height"]
    inside, seen = topic.evaluate("e => [e.scrollHeight, e.clientHeight]")
    assert inside > seen  # a long narrative scrolls inside
    topic.evaluate("e => e.scrollTo(0, e.scrollHeight)")
    expect(person.page.get_by_text("Not relevant: the life of the keepers")).to_be_in_viewport()


def test_the_topic_lies_folded_above_on_a_phone(on_document: OnDocument) -> None:
    person = on_document("A taller tower", **PHONE)
    topic, narrative = person.page.locator(".topic"), person.page.locator(".topic-text")
    expect(narrative).to_be_hidden()
    assert box(topic)["bottom"] <= box(person.page.locator(".document"))["y"]
    person.score.scroll_into_view_if_needed()
    expect(topic).to_be_in_viewport()
    topic.locator("summary").click()
    expect(narrative).to_be_visible()
    assert box(topic)["height"] <= 0.61 * PHONE["viewport"]["height"]
    person.score.focus()
    assert box(topic)["bottom"] <= box(person.score)["y"]
    topic.locator("summary").click()
    person.score.focus()
    assert box(topic)["bottom"] <= box(person.score)["y"]


def test_lines_of_60_to_70_characters(on_document: OnDocument) -> None:
    person = on_document("A taller tower")
    lines = person.page.locator(".document p").first.evaluate(
        """p => {
            const range = document.createRange(), lines = {};
            for (let i = 0; i < p.firstChild.length; i++) {
                range.setStart(p.firstChild, i);
                range.setEnd(p.firstChild, i + 1);
                const top = Math.round(range.getBoundingClientRect().top / 5);
                lines[top] = (lines[top] || 0) + 1;
            }
            return Object.values(lines);
        }"""
    )[:-1]
    assert 60 <= sum(lines) / len(lines) <= 70
    style = person.page.locator(".document").evaluate(
        "e => [getComputedStyle(e).fontSize, getComputedStyle(e).lineHeight]"
    )
    assert style == ["18px", "28.8px"]


def test_the_answer_sits_directly_under_the_document(person: Person) -> None:
    person.hurry(1)
    document, score = box(person.page.locator(".document")), box(person.score)
    previous, reason = box(person.page.locator(".previous")), box(person.reason)
    label = box(person.page.locator("label[for=score]"))
    assert 0 < label["y"] - document["bottom"] < 80
    assert abs(document["right"] - reason["right"]) < 8  # one edge, as lines are ragged
    assert previous["x"] > score["right"]
    assert score["y"] < previous["y"] < score["bottom"]
    assert reason["y"] > score["bottom"]
    assert person.score.get_attribute("inputmode") == "decimal"
    assert person.page.evaluate("scrollY") == 0


def test_the_bar_says_where_one_is(person: Person) -> None:
    person.hurry(2)
    place = person.page.locator(".bar-place")
    assert "Document 3 of 8, 2 answered, 5 to come" in (place.text_content() or "")
    marks = place.locator(".marks > *").evaluate_all("all => all.map(one => one.className)")
    assert marks == ["done", "done", "now", "", "", "", "", ""]
    assert place.get_by_role("link", name="Document 2, answered").count() == 1
    person.press("back")
    marks = place.locator(".marks > *").evaluate_all("all => all.map(one => one.className)")
    assert marks == ["done", "now", "part", "", "", "", "", ""]


def test_practice_lines_have_one_scale(somebody: Somebody) -> None:
    """They are drawn as long as they are, on a ground that the narrowest screen holds."""
    person = somebody(viewport=SMALL)
    person.press("continue")
    person.press("continue")
    ground = person.page.locator("svg.line")
    for _ in range(LINES):
        assert box(ground)["width"] == 280
        drawn = box(person.page.locator("svg line"))
        assert drawn["x"] > box(ground)["x"]
        assert drawn["right"] < box(ground)["right"]
        person.page.reload()
        assert box(person.page.locator("svg line")) == drawn
        person.score.fill(f"{person.line:g}")
        person.press("next")


def test_no_example_numbers(person: Person) -> None:
    """They would act as a modulus."""
    person.press("continue")
    assert not re.search(r"\d", person.text)
    person.press("continue")
    assert not re.search(r"\d", person.text)
    person.hurry()
    person.page.locator("#instructions summary").click()
    assert set(re.findall(r"\d+", person.page.locator(".help-sheet").inner_text())) == {"8"}
    assert not re.search(r"\d", person.page.locator("#page-form").inner_text())
    assert person.score.get_attribute("placeholder") is None


def test_no_countdown(person: Person) -> None:
    person.hurry()
    before = person.page.locator("body").inner_text()
    person.page.wait_for_timeout(1200)
    assert person.page.locator("body").inner_text() == before
    assert "second" not in before


def test_untrusted_documents(on_document: OnDocument) -> None:
    person = on_document("Burners")
    document = person.page.locator(".document")
    expect(document.locator("h1, h2, caption, td em, em")).not_to_have_count(0)
    assert document.locator("script, img, a, [style], [class]:not(.title)").count() == 0
    assert person.page.title().startswith("Document")
    person.page.set_viewport_size(SMALL)
    expect(document.locator("pre")).to_have_attribute("tabindex", "0")


def test_less_motion_and_paper(person: Person) -> None:
    button = person.button("continue")
    duration = "e => getComputedStyle(e).transitionDuration"
    person.page.emulate_media(reduced_motion="reduce")
    assert button.evaluate(duration) == "0s"
    person.page.emulate_media(reduced_motion="no-preference", media="print", color_scheme="dark")
    expect(button).to_be_hidden()
    ground = "getComputedStyle(document.body).backgroundColor"
    assert person.page.evaluate(ground) == "rgb(255, 255, 255)"


def test_the_focus_is_seen(person: Person) -> None:
    for target in (person.button("continue"), person.page.locator(".leave summary")):
        target.focus()
        person.page.keyboard.press("Shift+Tab")
        person.page.keyboard.press("Tab")
        width = target.evaluate("e => getComputedStyle(e).outlineWidth")
        assert width == "3px"


def test_the_policy_allows_nothing_inline(visit: Visits) -> None:
    page = visit()
    answer = page.goto("/study/lamps/")
    assert answer
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert page.locator("[style], style, script:not([src])").count() == 0


def test_the_bar_and_deep_lists_stay_on_a_phone(somebody: Somebody) -> None:
    page = somebody(**PHONE).hurry().page
    assert "about" in page.locator(".bar-place > p").inner_text()
    assert box(page.locator(".bar-place > p"))["height"] < 2 * LINE
    page.locator(".document").evaluate(
        "(article, html) => { article.innerHTML = html }",
        "<ul><li>An item of some words" * 14,
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert box(page.locator(".document li").last)["width"] > 200


def test_welcome_takes_two_screens_of_a_phone(somebody: Somebody) -> None:
    page = somebody(**PHONE).page
    agree = box(page.get_by_role("button", name="I agree, begin"))
    assert agree["bottom"] <= 2 * PHONE["viewport"]["height"]
