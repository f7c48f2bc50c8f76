"""What is typed into the forms of the worker's pages, once, twice and late."""

import pytest

from judging.flow import documents
from judging.models import Assignment, Judgment, Study
from judging.pages.forms import CHOOSE_ANSWER
from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    return Study.objects.get(pk=study_for_all.pk)


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
    typed = {**judging.page.form("next"), "score": "7", "justification": "because"}
    with monkeypatch.context() as patch:
        patch.setattr(documents, "_go_to", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            judging.post("1/", {**typed, "action": "next"})
    assert not Judgment.objects.exists()
    assert judging.post("1/", {**typed, "action": "next"}).position == 2
    assert Judgment.objects.get().score == 7


def test_a_refused_practice_score(browser):
    browser.get()
    browser.press("continue")
    browser.press("continue")
    page = browser.press("next", score="<none>")
    assert (page.status, page.step, page.form("next")["score"]) == (200, "practice", "<none>")
    assert "is not a number" in page.words
    assert "<none>" not in page.html
    assert Assignment.objects.get().practice_step == 1


@pytest.mark.parametrize("answer", [None, "", "4", "-1", "x", "٣", "0 ", "1" * 5000])
def test_no_answer_is_no_failure(browser, answer):
    browser.get()
    browser.press("continue")
    browser.practise()
    browser.press("continue")
    page = browser.press("continue", **({} if answer is None else {"answer": answer}))
    assert (page.status, page.step) == (200, "topic")
    assert str(CHOOSE_ANSWER) in page.words
    assert Assignment.objects.get().state == "topic"


@pytest.mark.parametrize("step", ["welcome", "line", "topic"])
def test_a_refused_form_leads_to_a_page_that_is_not_sent_again(clock, step):
    """The browser's Back and Reload ask for it; once the worker has gone on it is no more."""
    browser = Browser(make_study(consent_by="checkbox"))
    browser.get()
    if step != "welcome":
        browser.press("continue", agreed="on")
    if step == "line":
        browser.press("continue")
    if step == "topic":
        browser.practise()
        browser.press("continue")
    action, typed = ("next", "12 cm <b>") if step == "line" else ("continue", "")
    fields = browser.page.form(action)
    form = {name: text for name, text in fields.items() if text is not None} | {"action": action}
    response = browser.client.post(browser.address, form | {"score": typed})
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


def test_back_stores_a_draft_without_a_word(judging):
    judging.judge()
    page = judging.press("back", score="ma", justification="half a")
    assert (page.status, page.position) == (200, 1)
    assert judging.get("2/").typed == ("ma", "half a")


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
    browser.get()
    welcome = browser.page.form("continue")
    browser.press("continue")
    browser.practise()
    before = Assignment.objects.get()
    assert browser.post("", {**welcome, "action": "continue"}).step == "instructions"
    assert Assignment.objects.count() == 1
    assert Assignment.objects.get().state == before.state


def test_a_practice_form_sent_twice(browser):
    browser.get()
    browser.press("continue")
    browser.press("continue")
    form = {**browser.page.form("next"), "score": "7", "action": "next"}
    for _ in range(3):
        browser.post("", form)
    assert Assignment.objects.get().line_scores == [7]


def test_a_document_form_sent_twice(judging):
    form = {**judging.page.form("next"), "score": "7", "justification": "x", "action": "next"}
    for _ in range(3):
        page = judging.post("1/", form)
    assert page.position == 2
    assert Judgment.objects.count() == 1
    assert Assignment.objects.get().back_steps == 0


def test_again_sent_twice(db, clock):
    browser = Browser(make_study(topics=3))
    browser.come_to_documents()
    browser.judge_all(clock)
    form = {**browser.page.form("again"), "action": "again"}
    for _ in range(3):
        assert browser.post("", form).step == "practice"
    assert Assignment.objects.count() == 2


def test_a_late_leave_does_not_end_the_next_unit(db, clock):
    browser = Browser(make_study(topics=3))
    browser.come_to_documents()
    late = {**browser.page.form("leave"), "action": "leave"}
    browser.press("leave")
    browser.press("again")
    assert browser.post("1/", late).step == "practice"
    assert browser.post("", late).step == "practice"
    assert Assignment.objects.filter(state="practice").count() == 1


def test_a_second_tab(judging):
    """It shows the same worker; what each sends is kept, and each goes on from there."""
    judging.judge()
    judging.judge()
    tab = Browser(judging.study)
    tab.client.cookies = judging.client.cookies
    assert tab.get().position == 3
    tab.get("1/")
    tab.judge(score="77")
    assert tab.page.position == 2
    assert judging.judge(score="33").position == 4
    assert set(Judgment.objects.filter(score__in=[77, 33]).values_list("position", flat=True)) == {
        1,
        3,
    }


@pytest.mark.parametrize("data", [{}, {"action": ""}, {"action": "dance"}, {"action": "again"}])
def test_an_action_that_the_page_does_not_have(judging, data):
    assert judging.post("1/", data).position == 1
    assert judging.post("", data).position == 1
    assert Assignment.objects.count() == 1
    assert not Judgment.objects.exists()


def test_finish_before_the_last_page(judging):
    page = judging.press("next", score="5", justification="x")
    assert page.position == 2
    form = {**page.form("next"), "score": "5", "justification": "x", "action": "finish"}
    assert judging.post("2/", form).position == 2
    assert Judgment.objects.count() == 1
