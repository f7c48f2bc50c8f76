"""The foot of every page: pay, rights, contact and resume code; how a set that is over is told."""

import lxml.html
import pytest

from judging import flow
from judging.models import Worker
from judging.studies.conduct.closing import close_study
from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


def about(page) -> str:
    found = lxml.html.document_fromstring(page.html).find('.//details[@class="about"]')
    return " ".join(found.text_content().split()) if found is not None else ""


def stays_in_reach(page) -> bool:
    said = about(page)
    return all(w in said for w in ("$1.00", "Taking part is voluntary", "rosa@example.org"))


@pytest.mark.parametrize(
    "step", ["practice", "line", "instructions", "topic", "document", "revise", "done"]
)
def test_pay_rights_and_contact_stay_in_reach(browser, clock, step):
    page = browser.complete(clock) if step == "done" else browser.come_to(step)
    assert page.step == ("practice" if step == "line" else step)
    assert stays_in_reach(page)


def test_they_stay_in_reach_where_there_is_nothing_to_do(study, browser):
    browser.come_to("topic")
    failed = browser.answer(right=False)
    left = Browser(study)
    left.come_to_documents()
    assert (failed.step, left.press("leave").step) == ("failed", "left")
    close_study(study.slug)
    assert all(map(stays_in_reach, (failed, left.page, Browser(study).get())))


@pytest.mark.parametrize(
    ("minutes", "said"), [(1, "for 1 minute,"), (1.5, "for 1.5 minutes,"), (60, "for 60 minutes,")]
)
def test_how_long_an_expired_set_was_kept(db, clock, minutes, said):
    browser = Browser(make_study(expiry_minutes=minutes))
    browser.come_to_documents()
    browser.judge()
    clock.wait(60 * minutes + 1)
    flow.expire_overdue(clock.now)
    page = browser.get()
    assert page.step == "failed"
    assert f"We heard nothing from you {said}" in page.words
    assert "your browser" not in page.words  # which did nothing wrong


@pytest.mark.parametrize(("minutes", "said"), [(1, "for 1 minute ("), (90, "for 90 minutes (")])
def test_the_welcome_says_how_long_a_set_is_kept(db, minutes, said):
    assert said in Browser(make_study(expiry_minutes=minutes)).get().words


def test_the_welcome_says_how_often_one_may_finish(db):
    assert "as often as you like" in Browser(make_study()).get().words
    study = make_study(most_failed_finishes=3)
    assert "you can press Finish 3 times in all" in Browser(study).get().words


@pytest.mark.parametrize(
    ("retention", "days"), [(None, "30 days"), (90, "30 days"), (7, "7 days"), (0, "1 day")]
)
def test_the_welcome_says_how_long_backups_hold_what_is_deleted(db, retention, days):
    """Which is what `operations.backup.tasks` goes by; tests/operations/test_dumping.py."""
    words = Browser(make_study(retention_days=retention)).get().words
    assert f"Whatever is deleted here may stay in backups for up to {days}." in words


def test_the_resume_code_stands_in_the_foot(browser):
    assert "Your resume code is" not in browser.get().words, "nobody new has one"
    assert not Worker.objects.exists()
    browser.come_to_documents()
    code = Worker.objects.get().resume_code
    assert code
    for path in ("", "1/"):
        assert f"Your resume code is {code}." in browser.get(path).words
    assert browser.press("leave").step == "left"
    assert code in browser.page.words
