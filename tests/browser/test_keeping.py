"""Before a set would be given back the page says so, and one button keeps it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visits
from tests.browser.looks import look
from tests.browser.worker import PHONE, Person

Somebody = Callable[..., Person]
TYPED = ("1/3", "Half a sen")


def notice(page: Page) -> Locator:
    return page.locator("[role=status] #kept")


@pytest.fixture
def waiting(visit: Visits) -> Callable[..., Person]:
    """Somebody on the second document, in a browser whose clock is set by hand."""

    def wait(**options) -> Person:
        page = visit(**options)
        page.clock.install()
        person = Person(page, "lamps")
        person.enter()
        return person.hurry(1)

    return wait


@pytest.mark.parametrize(
    "options", [pytest.param({}, marks=pytest.mark.whole), PHONE], ids=["desktop", "phone"]
)
def test_the_page_says_it_five_minutes_before(waiting: Callable[..., Person], options) -> None:
    person = waiting(**options)
    page = person.page
    person.type(*TYPED)
    expect(notice(page)).to_be_hidden()
    page.clock.fast_forward("54:00")
    expect(notice(page)).to_be_hidden()
    page.clock.fast_forward("01:10")
    expect(notice(page)).to_be_visible()
    expect(notice(page)).to_be_in_viewport()
    expect(notice(page)).to_contain_text("are kept until")
    assert "UTC" not in notice(page).inner_text()  # but in the time of the place
    seconds = "Number(document.getElementById('kept').dataset.seconds)"
    person.page.get_by_role("button", name="Keep them longer").click()
    expect(notice(page)).to_be_hidden()
    assert page.evaluate(seconds) > 3500
    assert (person.position, person.typed) == (2, TYPED)
    page.clock.fast_forward("54:00")
    expect(notice(page)).to_be_hidden()
    person.press("next")
    expect(page.locator("#score_error")).to_have_count(0)


def test_it_is_said_again_without_a_connection(waiting: Callable[..., Person]) -> None:
    person = waiting()
    person.page.clock.fast_forward("56:00")
    person.page.context.set_offline(True)
    person.page.get_by_role("button", name="Keep them longer").click()
    expect(notice(person.page)).to_contain_text("no connection")
    person.page.context.set_offline(False)
    person.page.get_by_role("button", name="Keep them longer").click()
    expect(notice(person.page)).to_be_hidden()


def test_the_notice_looks_like_the_rest(visit: Visits) -> None:
    page = visit(reduced_motion="reduce")
    page.clock.install()
    person = Person(page, "lamps")
    person.enter()
    person.press("continue")
    page.clock.fast_forward("06:00")  # practice is held ten minutes
    expect(notice(page)).to_be_visible()
    look(page)
    person.press("keep")
    expect(notice(page)).to_be_hidden()


def test_without_scripts_it_is_said_always(somebody: Somebody) -> None:
    person = somebody(java_script_enabled=False).hurry(1)
    expect(notice(person.page)).to_be_visible()
    expect(notice(person.page)).to_contain_text("UTC, 60 minutes from now")
    person.type(*TYPED)
    person.press("keep")
    assert (person.position, person.typed) == (2, TYPED)
    assert person.page.locator("#errors").count() == 0
    person.score.press("Enter")  # and Enter does not mean to keep
    assert person.position == 3
