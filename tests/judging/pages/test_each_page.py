"""The worker's pages, each in the state it belongs to, as contracts name them."""

import pytest

from judging.models import Assignment, Document, Study, Topic, Worker
from judging.studies.conduct.closing import close_study
from tests.factory import OPTIONS, make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


def test_welcome(browser):
    page = browser.get()
    assert (page.status, page.step, page.buttons) == (200, "welcome", ["continue"])
    assert page.can_leave
    for said in ("You take part freely.", "rosa@example.org", "Board 17/4", "30 days", "$1.00"):
        assert said in page.text
    assert "  minutes" not in page.text
    assert not Worker.objects.exists()  # nothing is stored before consent


def test_the_way_to_the_first_document(browser, clock):
    browser.get()
    page = browser.press("continue")
    assert (page.step, page.buttons, page.lines) == ("practice", ["continue"], [])
    assert page.can_leave
    assert browser.path == browser.address
    page = browser.press("continue")
    lengths = []
    for _ in range(3):
        assert (page.step, page.buttons, len(page.lines)) == ("practice", ["next"], 1)
        line = page.lines[0]
        assert browser.get().lines == [line]  # a reload draws it at the same place
        lengths.append(int(line["x2"]) - int(line["x1"]))
        page = browser.press("next", score=str(lengths[-1]))
    assert lengths == Assignment.objects.get().lines
    assert (page.step, page.buttons, page.can_leave) == ("instructions", ["continue"], True)
    page = browser.press("continue")
    assert (page.step, page.buttons, page.can_leave) == ("topic", ["continue"], True)
    for said in ("topic 401", "What about 401?", "All that matters is relevant.", "Which one?"):
        assert said in page.text
    assert "How to judge the documents" in page.text  # the instructions, to be read again
    order = Assignment.objects.get().option_order
    assert list(page.options.values()) == [OPTIONS[n] for n in order]
    assert list(page.options) == ["0", "1", "2", "3"]  # which is right does not show in the values
    page = browser.answer()
    assert (page.step, page.position, page.buttons) == ("document", 1, ["next"])
    assert browser.path == f"{browser.address}1/"
    assert page.can_leave
    assert page.typed == ("", "")
    assert "topic 401" in page.text
    assert "<details" in page.html
    assert "How to judge the documents" in page.text


def test_documents_and_their_buttons_up_to_done(judging, clock):
    wanted = [["next"], *(["next", "back"] for _ in range(2, 8)), ["finish", "back"]]
    for position, buttons in enumerate(wanted, 1):
        assert (judging.page.position, judging.page.buttons) == (position, buttons)
        clock.wait(20)
        page = judging.judge("next" if position < 8 else "finish")
    assert (page.status, page.step) == (200, "done")
    assert page.code == Assignment.objects.get().completion_code
    assert page.buttons == []  # the only topic is done
    assert judging.get("3/").step == "done"


def test_next_and_finish_stand_before_back_in_the_markup(failed):
    """So that Enter never means Back."""
    failed.press("back")
    for position in range(1, 9):
        page = failed.get(f"{position}/")
        buttons = ["next"] * (position < 8) + ["finish"] + ["back"] * (position > 1)
        assert page.buttons == buttons
        (form,) = [f for f in page.forms if "finish" in f["buttons"]]
        assert form["buttons"] == [*buttons, "report", "keep"]


def test_what_was_given_is_shown_on_its_page_and_beside_the_next(judging):
    judging.judge(score=" 2 1/2 ", words='<b>&amp; so "on"')
    assert "You gave the previous document 2 1/2" in judging.page.words
    assert judging.get("1/").typed == (" 2 1/2 ", '<b>&amp; so "on"')


def test_revise(failed):
    page = failed.page
    assert (page.step, page.buttons, page.can_leave) == ("revise", ["back"], True)
    assert failed.path == failed.address
    page = failed.press("back")
    assert (page.step, page.position) == ("document", 8)


def test_done_offers_another_topic_and_every_later_page_lists_the_code(db, clock):
    browser = Browser(make_study(topics=2))
    page = browser.complete(clock)
    assert page.buttons == ["again"]
    first = page.code
    pages = [browser.press("again"), browser.press("continue")]
    assert [page.step for page in pages] == ["practice", "practice"]
    browser.come_to("instructions")
    pages += [browser.press("continue"), browser.answer()]
    assert all(f"<code>{first}</code>" in page.html for page in pages)
    page = browser.judge_all(clock)
    assert (page.step, page.buttons) == ("done", [])
    assert page.code != first
    assert first in page.text


@pytest.mark.parametrize("check", ["lines", "question"])
def test_failed(db, check):
    for topics, again in ((2, ["again"]), (1, ["again"] if check == "lines" else [])):
        browser = Browser(make_study(topics=topics))
        browser.get()
        browser.person().fail(check)
        page = browser.get()
        assert (page.status, page.step, page.buttons) == (200, "failed", again)
        assert ("These were the lines" in page.words) == (check == "lines")
        assert len(page.lines) == 3 * (check == "lines")
        assert ("This is the topic once more" in page.words) == (check == "question")
        assert not again or browser.press("again").step == "practice"


def test_left(judging):
    page = judging.press("leave")
    assert (page.status, page.step) == (200, "left")
    assert Assignment.objects.get().state == "left"
    assert judging.get("1/").step == "left"


def test_leaving_at_the_welcome_leaves_no_trace(browser):
    browser.get()
    page = browser.press("leave")
    assert page.step == "left"
    assert not Worker.objects.exists()


@pytest.mark.parametrize(
    "step", ["practice", "line", "instructions", "topic", "document", "revise"]
)
def test_leaving_from_every_page(browser, clock, step):
    assert browser.come_to(step).step == ("practice" if step == "line" else step)
    assert browser.press("leave").step == "left"
    assert Assignment.objects.get().state == "left"


def test_leaving_from_a_page_that_asks_for_what_is_missing(judging, clock):
    """Finish led here, and the address says so."""
    judging.person().judge_up_to(8, 0).do("open 3, back 3 -")
    judging.get("8/")
    page = judging.judge("finish")
    assert (page.step, page.position, judging.path[-8:]) == ("document", 3, "/?finish")
    assert "Say in a few words" in page.text
    assert judging.press("leave").step == "left"
    assert Assignment.objects.get().state == "left"


def test_no_work_for_now(db, clock):
    study = make_study(documents=8, redundancy=1, practice_minutes=45)
    Browser(study).come_to_documents()
    clock.wait(600)
    page = Browser(study).get()
    assert (page.status, page.step, page.buttons) == (200, "no-work", [])
    until = f"{Assignment.objects.get().deadline_at:%H:%M} UTC, 35 minutes from now"
    assert until in page.words
    assert Worker.objects.count() == 1


def test_enough_people_for_now(db, clock):
    study = make_study(newcomers_an_hour=1, newcomers_a_day=9, contact="rosa@example.org")
    Browser(study).come_to_documents()
    clock.wait(600)
    page = Browser(study).get()
    words = page.words
    assert (page.status, page.step, page.buttons) == (200, "no-work", [])
    assert "takes 1 new person an hour and 9 a day" in words
    assert "50 minutes from now" in words
    assert "Nothing has been recorded" in words
    clock.wait(3000)
    assert Browser(study).get().step == "welcome"


def test_enough_people_for_good(db, clock):
    study = make_study(most_workers=1, topics=2)
    first, second = Browser(study), Browser(study)
    second.get()
    first.come_to_documents()
    assert second.press("continue").step == "no-work"
    assert first.judge_all(clock).step == "done"
    page = second.get()
    assert (page.status, page.step) == (200, "closed")
    assert "all the people it needs" in page.words
    assert first.press("again").step == "practice"  # who is in goes on


def test_somebody_who_failed_gave_the_place_to_somebody_else(db, clock):
    study = make_study(topics=2, most_workers=1)
    first, second = Browser(study), Browser(study)
    first.come_to_documents()
    first.press("leave")
    second.come_to_documents()
    assert first.get().buttons == []
    assert "may come back at any moment" in first.page.words
    second.judge_all(clock)
    assert "all the people it needs" in first.get().words


def test_no_work_for_good_and_no_work_left_when_agreeing(db, clock):
    """The last unit went while they read the welcome."""
    study = make_study(documents=8, redundancy=1)
    first, late = Browser(study), Browser(study)
    late.get()
    first.complete(clock)
    page = late.press("continue")
    assert (page.status, page.step) == (200, "no-work")
    page = Browser(study).get()
    assert page.step == "no-work"
    assert "in a while" not in page.text


def test_closed(study, browser):
    browser.get()
    close_study(study.slug)
    for page in (browser.press("continue"), Browser(study).get()):
        assert (page.status, page.step, page.buttons) == (200, "closed", [])
    assert not Worker.objects.exists()


def test_a_draft(db):
    page = Browser(make_study(opened=False)).get()
    assert (page.status, page.step, page.buttons) == (200, "closed", [])
    assert "not begun" in page.text


def test_closed_while_they_judge(study, failed, clock):
    close_study(study.slug)
    failed.get("1/")
    page = failed.judge_all(clock)
    assert page.step == "done"
    assert page.code
    assert page.buttons == []


def test_a_study_that_is_not_there(client):
    for path in ("/study/nowhere/", "/study/a%20b/", "/study//"):
        assert client.get(path).status_code == 404
    assert client.get("/study/nowhere/1/", follow=True).status_code == 404


def test_texts_say_their_language(browser, study, clock):
    Study.objects.update(text_language="de")
    Topic.objects.update(language="ar")
    assert 'class="asked" dir="auto" lang="ar"' in browser.come_to("topic").html
    article = 'aria-label="The document" dir="auto" lang="'
    page = browser.answer()
    assert f'{article}de"' in page.html
    assert 'class="topic-text" dir="auto" lang="ar"' in page.html
    Document.objects.update(language="fr")
    assert f'{article}fr"' in browser.get(browser.path).html
