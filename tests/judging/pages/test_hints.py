"""The setting `hints`: what to give the first document, and one off the topic."""

import pytest

from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db
FIRST = "This is the first: give any number that leaves room above and below."
OFF_TOPIC = "give it a small number, in relation to the one before"


def shown(browser: Browser) -> tuple[bool, bool]:
    """Whether the form of a document gives the one hint, and the other."""
    form = browser.page.html.split('id="page-form"')[1]  # below the sheet of instructions
    return FIRST in form, OFF_TOPIC in form


@pytest.mark.parametrize("hints", [True, False])
def test_hints_stand_where_they_help_and_nowhere_without_the_setting(hints):
    browser = Browser(make_study(hints=hints))
    browser.come_to_documents()
    assert (OFF_TOPIC in browser.page.words) == hints  # in the instructions
    assert shown(browser) == (hints, False)
    for refused in ("0", "-3", "−0.5"):
        browser.judge(score=refused)
        assert shown(browser) == (hints, hints)
    for refused in ("", "many", "5cm"):
        browser.press("next", score=refused, justification="")
        assert shown(browser) == (hints, False)
    browser.judge()
    assert shown(browser) == (False, False)
    browser.judge(score="0")
    assert shown(browser) == (False, hints)
    browser.judge()
    assert shown(browser) == (False, False)
