"""What is typed into the forms of the worker's pages, once, twice and late."""

import pytest

from judging.flow import documents
from judging.models import Assignment, Judgment
from judging.pages.forms import CHOOSE_ANSWER
from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("score", "words"), [("", "because"), ("5", ""), ("-1", ""), ("1,500", "x")]
)
def test_a_refused_form_shows_what_was_typed_and_says_what_is_wrong(judging, score, words):
    page = judging.press("next", score=score, justification=words)
    assert (page.status, page.step, page.position) == (200, "document", 1)
    assert page.typed == (score, words)
    assert "Please correct this" in page.text
    assert judging.get().typed == (score, words)


def test_a_judgment_is_stored_whole_or_not_at_all(judging, monkeypatch):
    """What fails after it was written down is not acknowledged, and can be sent again."""
    form = judging.page.sent("next", score="7", justification="because")
    with monkeypatch.context() as patch:
        patch.setattr(documents, "_go_to", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            judging.post("1/", form)
    assert not Judgment.objects.exists()
    assert judging.post("1/", form).position == 2
    assert Judgment.objects.get().score == 7


def test_a_refused_practice_score(browser):
    browser.come_to("line")
    page = browser.press("next", score="<none>")
    assert (page.status, page.step, page.form("next")["score"]) == (200, "practice", "<none>")
    assert "is not a number" in page.words
    assert "<none>" not in page.html
    assert Assignment.objects.get().practice_step == 1


def test_no_answer_is_no_failure(browser):
    browser.come_to("topic")
    for answer in (None, "", "4", "-1", "x", "٣", "0 ", "1" * 5000):
        page = browser.press("continue", **({} if answer is None else {"answer": answer}))
        assert (page.status, page.step) == (200, "topic")
        assert str(CHOOSE_ANSWER) in page.words
    assert Assignment.objects.get().state == "topic"


@pytest.mark.parametrize("step", ["welcome", "line", "topic"])
def test_a_refused_form_leads_to_a_page_that_is_not_sent_again(clock, step):
    """The browser's Back and Reload ask for it; once the worker has gone on it is no more."""
    browser = Browser(make_study(consent_by="checkbox"))
    browser.get() if step == "welcome" else browser.come_to(step)
    action, typed = ("next", "12 cm <b>") if step == "line" else ("continue", "")
    response = browser.client.post(browser.address, browser.page.sent(action, score=typed))
    assert response.status_code == 303
    for _ in range(2):
        page = browser.get(response["Location"])
        assert (page.status, browser.path) == (200, response["Location"])
        assert "Please correct this" in page.words
        assert step != "line" or page.form(action)["score"] == typed
    if step == "topic":
        browser.answer()
    else:
        browser.press(action, **{"score": "5"} if step == "line" else {"agreed": "on"})
    assert browser.page.status == 200
    assert "Please correct this" not in browser.get(response["Location"]).words
    assert "?" not in browser.path


def test_line_ends_are_kept_as_one_character(judging):
    judging.judge(words="one\r\ntwo")
    assert Judgment.objects.get().justification == "one\ntwo"
    assert judging.get("1/").typed[1] == "one\ntwo"


def test_the_longest_text_that_may_come(judging):
    page = judging.press("next", score="9" * 20_000, justification="x" * 40_000)
    assert page.position == 1
    assert len(page.typed[1]) == 20_000
    page = judging.press("next", score="5", justification="x" * 2001)
    assert page.position == 1
    assert "Shorten your reason to 2,000 characters; it has 2,001." in page.words
    assert len(page.typed[1]) == 2001
    assert judging.press("next", score="5", justification="x" * 2000).position == 2


def test_more_than_the_server_takes(judging):
    response = judging.client.post(judging.path, {"justification": "x" * 3_000_000})
    assert response.status_code == 413


def test_a_form_of_an_earlier_step_changes_nothing(browser):
    welcome = browser.get().sent("continue")
    browser.come_to("instructions")
    assert browser.post("", welcome).step == "instructions"
    assert Assignment.objects.get().state == "instructions"


def test_a_practice_form_sent_twice(browser):
    form = browser.come_to("line").sent("next", score="7")
    for _ in range(3):
        browser.post("", form)
    assert Assignment.objects.get().line_scores == [7]


def test_a_document_form_sent_twice(judging):
    form = judging.page.sent("next", score="7", justification="x")
    for _ in range(3):
        page = judging.post("1/", form)
    assert page.position == 2
    assert Judgment.objects.count() == 1
    assert Assignment.objects.get().back_steps == 0


def test_late_forms_of_a_set_do_not_touch_the_next(db, clock):
    browser = Browser(make_study(topics=3))
    late = browser.come_to_documents().sent("leave")
    again = browser.press("leave").sent("again")
    for form in (again, again, late):
        assert browser.post("", form).step == "practice"
    assert browser.post("1/", late).step == "practice"
    assert Assignment.objects.filter(state="practice").count() == 1
    assert Assignment.objects.count() == 2


def test_a_second_tab(judging):
    """It shows the same worker; what each sends is kept, and each goes on from there."""
    judging.judge()
    judging.judge()
    tab = Browser(judging.study)
    tab.client.cookies = judging.client.cookies
    assert tab.get().position == 3
    tab.get("1/")
    assert tab.judge(score="77").position == 2
    assert judging.judge(score="33").position == 4
    kept = Judgment.objects.filter(score__in=[77, 33])
    assert set(kept.values_list("position", flat=True)) == {1, 3}


@pytest.mark.parametrize("data", [{}, {"action": ""}, {"action": "dance"}, {"action": "again"}])
def test_an_action_that_the_page_does_not_have(judging, data):
    assert judging.post("1/", data).position == 1
    assert judging.post("", data).position == 1
    assert Assignment.objects.count() == 1
    assert not Judgment.objects.exists()


def test_finish_before_the_last_page(judging):
    page = judging.judge(score="5")
    assert judging.post("2/", page.sent("next", score="5") | {"action": "finish"}).position == 2
    assert Judgment.objects.count() == 1
