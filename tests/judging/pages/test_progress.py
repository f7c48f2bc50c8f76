"""The marks of the bar, and their words: what is stored, not where one stands."""

import re

import pytest

pytestmark = pytest.mark.django_db


def marks(page) -> list[str]:
    return [kind for _, kind in _marks(page)]


def _marks(page) -> list[tuple[str, str]]:
    """Where each mark leads, if anywhere, and its kind."""
    (bar,) = re.findall(r'<(?:span|nav) class="marks"[^>]*>(.*?)</(?:span|nav)>\n', page.html)
    return re.findall(r'<(?:span|a)(?: href="([^"]+)")?(?: class="(now|done|part)")?>', bar)


def links(page) -> dict[str, str]:
    """Where the marks lead, by what they say."""
    found = re.findall(
        r'<a href="([^"]+)" class="\w+"><span class="unseen">(.*?)</span>', page.html
    )
    return {words: address for address, words in found}


def spoken(page) -> str:
    found = re.search(r'Document \d of 8<span class="unseen">, (.*?)</span>', page.html)
    return found[1]


def test_on_the_first_document(judging):
    assert marks(judging.page) == ["now", *[""] * 7]
    assert spoken(judging.page) == "none answered, 7 to come"


def test_what_is_answered_is_done(judging):
    judging.judge()
    judging.judge()
    assert marks(judging.page) == ["done", "done", "now", *[""] * 5]
    assert spoken(judging.page) == "2 answered, 5 to come"


def test_a_page_left_without_an_answer_is_incomplete(judging):
    judging.judge()
    judging.press("back", score="5", justification=" ")
    assert marks(judging.page) == ["now", "part", *[""] * 6]
    assert spoken(judging.page) == "1 answered, 1 incomplete, 6 to come"


def test_an_answer_that_was_emptied_is_incomplete(judging):
    judging.judge()
    judging.judge()
    judging.press("back", score="", justification="no number any more")
    judging.press("back", score="", justification="")
    assert marks(judging.page) == ["now", "part", "part", *[""] * 5]


def test_marks_lead_to_the_pages_that_were_opened(judging):
    judging.judge()
    judging.judge()
    judging.press("back", score="5", justification=" ")
    address = judging.address
    assert links(judging.page) == {
        "Document 1, answered": f"{address}1/",
        "Document 3, incomplete": f"{address}3/",
    }
    assert judging.get(links(judging.page)["Document 3, incomplete"]).position == 3


def test_practice_lines_have_no_links(browser):
    browser.get()
    browser.press("continue")
    browser.press("continue")
    browser.press("next", score="5")
    assert links(browser.page) == {}


def test_all_are_answered_where_they_revise(failed):
    """The last page too, though they stand before it; and none is to come."""
    page = failed.get("3/")
    assert marks(page) == ["done", "done", "now", *["done"] * 5]
    assert spoken(page) == "8 answered"
    assert spoken(failed.get("1/")) == "8 answered"


def test_practice_lines(browser):
    browser.get()
    browser.press("continue")
    browser.press("continue")
    assert marks(browser.page) == ["now", "", ""]
    browser.press("next", score="5")
    assert marks(browser.page) == ["done", "now", ""]
