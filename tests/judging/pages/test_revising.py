"""After a failed Finish: what the worker is told, and how they find what to change."""

import re

import pytest
from django.db import transaction

from judging.models import Assignment, CheckFailure, PooledDocument, Study
from tests.factory import GRADED, make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


def answer_to_finish(browser: Browser, form: dict[str, str], fails: str) -> tuple:
    """The checks that fail, the answer to the form, and the page after it.

    The form is always the same; which documents are the anchors, and how long they should have
    been read, is not.
    """
    with transaction.atomic():
        if "c" in fails:
            swap_anchors(browser.study)
        if "d" in fails:
            Study.objects.filter(pk=browser.study.pk).update(minimum_seconds=21)
        response = browser.client.post(browser.path, form)
        page = Browser(browser.study, browser.client).get()
        failures = set(CheckFailure.objects.values_list("check_name", flat=True))
        transaction.set_rollback(True)
    by_chance = ("Expires", "X-Request-ID")
    headers = sorted((k, v) for k, v in response.headers.items() if k not in by_chance)
    return failures, (response.status_code, str(headers), response.content, page.without_csrf)


def swap_anchors(study: Study) -> None:
    anchors = PooledDocument.objects.filter(study_topic__study=study)
    h_k, n_k = anchors.get(role="h_k").pk, anchors.get(role="n_k").pk
    for key, role in ((h_k, "other"), (n_k, "h_k"), (h_k, "n_k")):
        anchors.filter(pk=key).update(role=role)


def test_the_answer_is_the_same_whichever_check_failed(judging, clock):
    """Letter by letter, but for drawn tokens: of the answer and of the page that follows."""
    judging.person().judge_up_to(8)
    clock.wait(8 * 20)
    form = judging.get().sent("finish", score=judging.right_score(), justification="because")
    answers = [answer_to_finish(judging, form, fails) for fails in ("c", "d", "cd")]
    assert [failures for failures, _ in answers] == [{"anchors"}, {"time"}, {"anchors", "time"}]
    assert len({answer for _, answer in answers}) == 1


@pytest.mark.parametrize("pays", [True, False])
def test_the_last_finish_that_is_allowed(db, clock, pays):
    browser = Browser(make_study(topics=2, most_failed_finishes=2, pay_after_limit=pays))
    browser.come_to("revise")
    browser.press("back")
    page = browser.judge("finish")
    assert (page.step, page.buttons) == ("failed", ["again"])
    assert "as often as is allowed" in page.words
    assert bool(page.code) == pays
    assert ("no pay" in page.words) != pays


def listed(page) -> list[tuple[str, str, str]]:
    """Where each document of the list leads, its title, and what was given to it."""
    (answers,) = re.findall(r'<ol class="answers">(.*?)</ol>', page.html, re.DOTALL)
    return re.findall(r'<a href="([^"]+)">(.*?)</a>\s*<p>(.*?)</p>', answers, re.DOTALL)


def test_the_documents_are_listed_with_what_was_given_and_opening_one_is_a_back_step(
    judging, clock
):
    titles = []
    for number in range(1, 9):
        titles.append(re.search(r'<h2 class="title">(.*?)</h2>', judging.page.html)[1])
        judging.judge("next" if number < 8 else "finish", score=f"1/{number}", words=f"so {number}")
    assert judging.page.step == "revise"
    assert listed(judging.page) == [
        (f"{judging.address}{n}/", title, f"You gave <strong>1/{n}</strong>: so {n}")
        for n, title in enumerate(titles, 1)
    ]
    page = judging.get(listed(judging.page)[2][0])
    assert (page.step, page.position) == ("document", 3)
    assignment = Assignment.objects.get()
    assert (assignment.revise_steps, assignment.back_steps) == (1, 0)


def test_levels_are_listed_by_name(db, clock):
    browser = Browser(make_study(**GRADED))
    assert "You gave <strong>Key</strong>" in str(listed(browser.come_to("revise")))


def test_a_document_without_a_title_is_listed_and_not_by_its_id(judging, clock):
    documents = PooledDocument.objects.first().document.collection.documents
    documents.update(title="", text="words", cleaned="words")
    ids = set(PooledDocument.objects.values_list("doc_id", flat=True))
    seen = [judging.get("")]
    while judging.page.step == "document":
        judging.judge("next" if "next" in judging.page.buttons else "finish", score="5")
        seen.append(judging.page)
    assert seen[-1].step == "revise"
    assert [title for _, title, _ in listed(seen[-1])] == ["A document without a title"] * 8
    assert not [doc_id for page in seen for doc_id in ids if doc_id in page.html]


@pytest.mark.parametrize(("most", "words"), [(2, "1 more time."), (3, "2 more times."), (None, "")])
def test_the_presses_that_are_left_are_said_where_they_are_used(db, clock, most, words):
    browser = Browser(make_study(most_failed_finishes=most))
    for shown in (browser.come_to("revise"), browser.press("back")):
        assert ("You can press Finish" in shown.words) is bool(words)
        assert words in shown.words


@pytest.mark.parametrize(("attempts", "words"), [(2, "1 try is left to you."), (None, "")])
def test_the_tries_that_are_left_are_said(db, clock, attempts, words):
    browser = Browser(make_study(topics=3, attempts=attempts))
    browser.get()
    browser.person().fail("lines")
    page = browser.get()
    assert page.step == "failed"
    assert ("left to you" in page.words) is bool(words)
    assert words in page.words
