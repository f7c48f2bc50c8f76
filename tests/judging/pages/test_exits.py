"""Every end of a worker's way says how to go back to the platform that sent them."""

import re
from decimal import Decimal

import pytest

from judging import flow
from judging.models import Assignment, Payment, Study
from judging.studies.conduct.closing import close_study
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.browsing import Browser, Page

pytestmark = pytest.mark.django_db

CREDIT = "https://a.sona-systems.com/webstudy_credit.aspx?experiment_id=9&survey_code=XXXX"
REDIRECT = "https://connect.cloudresearch.com/participant/project/AB/complete"
PLATFORMS = {
    "prolific": (
        {"completion_code": "C1DONE"},
        "?PROLIFIC_PID=5f1e&STUDY_ID=s&SESSION_ID=t",
        "https://app.prolific.com/submissions/complete?cc=C1DONE",
    ),
    "connect": ({"completion_address": REDIRECT}, "?participantId=5f1e", REDIRECT),
    "sona": ({"completion_address": CREDIT}, "?id=71", CREDIT.replace("XXXX", "71")),
}
PROLIFIC = {"platform": "prolific", "completion_code": "C1DONE"}
COME = PLATFORMS["prolific"][1]
DONE = PLATFORMS["prolific"][2]
OUT = {"screen_out_code": "C2OUT", "screen_out_reward": Decimal("0.30")}
BONUS = {"further_units": "bonus", "submission_minutes": 90}
RETURN = "Please return your submission"
STOP = "If you would rather stop"


def back(page: Page) -> list[str]:
    """Where the buttons of the way back lead."""
    return [
        a.replace("&amp;", "&") for a in re.findall(r'"button primary" href="([^"]+)"', page.html)
    ]


def comes(study: Study, query: str = COME) -> Browser:
    browser = Browser(study)
    browser.get(query)
    return browser


def done(study: Study, clock, query: str = COME) -> Browser:
    browser = comes(study, query)
    browser.complete(clock)
    return browser


def fails_practice(browser: Browser) -> Page:
    browser.person().fail("lines")
    assert browser.get().step == "failed"
    return browser.page


@pytest.mark.parametrize("platform", PLATFORMS)
def test_done_leads_back_and_shows_our_code_as_the_receipt(clock, platform):
    settings, query, address = PLATFORMS[platform]
    page = done(make_study(topics=2, platform=platform, **settings), clock, query).page
    assert back(page) == [address]
    assert page.code == Assignment.objects.get().completion_code
    assert "Your receipt" in page.words
    assert page.buttons == []  # one submission pays one unit


def test_a_code_of_connect_is_entered_by_hand(clock):
    study = make_study(platform="connect", completion_code="CONN3CT")
    page = done(study, clock, "?participantId=5f1e").page
    assert back(page) == []
    assert "Enter this code on Connect" in page.words
    assert "CONN3CT" in page.html


def test_who_came_otherwise_is_not_sent_to_the_platform(clock):
    assert back(done(make_study(**PROLIFIC), clock, "?id=7").page) == []


def test_a_study_without_a_platform_is_as_before(clock):
    page = done(make_study(topics=2), clock).page
    assert back(page) == []
    assert "If a participant platform sent you here, enter the code there" in page.words
    assert page.buttons == ["again"]


def test_a_further_unit_is_a_bonus_and_done_says_until_when(clock):
    browser = done(make_study(topics=2, payment=Decimal("1.50"), **PROLIFIC, **BONUS), clock)
    assert back(browser.page) == [DONE]
    assert "Another topic, for a bonus" in browser.page.words
    assert "$1.50 as a bonus" in browser.page.words
    assert browser.page.words.count("13:30 UTC") == 2
    browser.press("again")
    browser.complete(clock)
    kinds = Payment.objects.order_by("pk").values_list("kind", flat=True)
    assert (list(kinds), back(browser.page)) == (["base", "bonus"], [DONE])


def test_a_first_failure_begins_again_and_the_last_asks_for_a_return(clock):
    browser = comes(make_study(topics=3, attempts=2, **PROLIFIC))
    page = fails_practice(browser)
    assert (page.buttons, back(page), STOP in page.words) == (["again"], [], True)
    page = fails_practice(browser)
    assert (page.buttons, back(page), RETURN in page.words) == ([], [], True)
    assert "Cancel participation" in page.words


def test_prolific_itself_asks_for_a_return_where_it_has_a_code_for_it(clock):
    study = make_study(topics=3, attempts=2, return_code="C3BACK", **PROLIFIC)
    asks = "https://app.prolific.com/submissions/complete?cc=C3BACK"
    browser = comes(study)
    page = fails_practice(browser)
    assert (back(page), asks in page.html) == ([], True)
    assert back(fails_practice(browser)) == [asks]
    assert back(comes(study, "?PROLIFIC_PID=other").press("leave")) == [asks]


def test_a_paid_screen_out_where_it_is_switched_on(clock):
    browser = comes(make_study(topics=3, attempts=2, **PROLIFIC, **OUT))
    assert back(fails_practice(browser)) == []
    page = fails_practice(browser)
    assert back(page) == ["https://app.prolific.com/submissions/complete?cc=C2OUT"]
    assert "$0.30" in page.words
    assert RETURN not in page.words


@pytest.mark.parametrize("screen_out", [{}, OUT], ids=["", "screen-out"])
def test_who_comes_to_a_full_study_is_asked_for_a_return_and_not_paid(clock, screen_out):
    study = make_study(topics=3, most_workers=1, **PROLIFIC, **screen_out)
    complete(study, "ben")
    page = comes(study).page
    assert "all the people it needs" in page.words
    assert (page.step, RETURN in page.words, back(page)) == ("closed", True, [])
    assert "can close this page" not in page.words


@pytest.mark.parametrize("how", ["full", "closed"])
@pytest.mark.parametrize("screen_out", [{}, OUT], ids=["", "screen-out"])
def test_whose_practice_fails_when_nobody_begins_any_more(clock, screen_out, how):
    study = make_study(topics=3, **PROLIFIC, **screen_out)
    browser = comes(study)
    fails_practice(browser)
    if how == "full":
        complete(study, "ben")
        Study.objects.update(most_workers=1)
    else:
        close_study(study.slug)
    page = browser.get()
    assert (page.step, page.buttons, STOP in page.words) == ("failed", [], False)
    assert (RETURN in page.words, "$0.30" in page.words) == (not screen_out, bool(screen_out))


def test_who_leaves_is_no_screen_out(clock):
    study = make_study(**PROLIFIC, **OUT)
    browser = comes(study)
    browser.press("continue")
    browser.press("leave")
    close_study(study.slug)
    page = browser.get()
    assert (page.step, RETURN in page.words, back(page)) == ("left", True, [])


def test_the_question_is_asked_again_in_the_same_order(clock):
    browser = comes(make_study(topics=2, **PROLIFIC))
    assert "you may answer once more" in browser.come_to("topic").words
    before = browser.page.options
    stale = browser.page.sent("continue", answer="0")
    page = browser.answer(right=False)
    assert (page.step, page.options) == ("topic", before)
    assert "That was not the right answer" in page.words
    assert browser.post(browser.address, stale).step == "topic"  # the old form, sent once more
    assert browser.answer().step == "document"


def test_after_the_last_wrong_answer_on_the_only_topic_there_is_no_way_on(clock):
    browser = comes(make_study(**PROLIFIC))
    browser.come_to("topic")
    browser.answer(right=False)
    page = browser.answer(right=False)
    assert (page.step, page.buttons, RETURN in page.words) == ("failed", [], True)


@pytest.mark.parametrize("has_begun", [False, True])
def test_who_leaves_is_asked_to_return_the_submission(clock, has_begun):
    browser = comes(make_study(**PROLIFIC))
    if has_begun:
        browser.press("continue")
    page = browser.press("leave")
    assert (page.step, RETURN in page.words) == ("left", True)


def test_a_unit_that_was_completed_before_leads_back_from_every_end(clock):
    browser = done(make_study(topics=3, **PROLIFIC, **BONUS), clock)
    browser.press("again")
    assert back(browser.press("leave")) == [DONE]
    browser.press("again")
    flow.expire_overdue(clock.now)
    Assignment.objects.filter(finished_at=None).update(deadline_at=clock.now)
    clock.wait(1)
    assert flow.expire_overdue(clock.now) == 1
    page = browser.get()
    assert (page.step, back(page)) == ("failed", [DONE])


def test_closed_and_full_say_how_to_return(clock):
    study = make_study(documents=8, redundancy=1, **PROLIFIC)
    first = comes(study)
    first.press("continue")
    second = comes(study, "?PROLIFIC_PID=other")
    assert (second.page.step, STOP in second.page.words) == ("no-work", True)
    close_study(study.slug)
    page = second.get()
    assert (page.step, RETURN in page.words) == ("closed", True)
