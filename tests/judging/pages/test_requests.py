"""Headers, methods, forgery and weird input on the worker's pages."""

from typing import Any

import pytest
from django.test import Client
from lxml import html

from judging.collections.cleaning import clean_text
from judging.models import Assignment, Document, Judgment, Topic, Visit
from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


def test_no_page_may_be_stored(browser, clock):
    responses = [browser.get().response]
    browser.come_to_documents()
    responses += [browser.page.response, browser.client.get(browser.address)]
    responses += [browser.client.post("1/"), browser.judge_all(clock).response][1:]
    for response in responses:
        assert "no-store" in response["Cache-Control"]
        assert "private" in response["Cache-Control"]


def test_head_is_answered_like_get_and_changes_nothing(judging, clock):
    def rows() -> list[dict[str, Any]]:
        kept = (model.objects.order_by("pk").values() for model in (Assignment, Visit))
        return [row for rows in kept for row in rows]

    judging.judge()
    judging.judge()
    before = rows()
    clock.wait(60)
    for path, status in (("1/", 200), ("3/", 200), ("4/", 302), ("", 302)):
        response = judging.client.head(judging.address + path)
        assert (response.status_code, response.content) == (status, b"")
    assert rows() == before
    response = Client().head(judging.address)  # for somebody new
    assert (response.status_code, response.content) == (200, b"")


def test_other_methods_are_refused(judging):
    for method in ("put", "patch", "delete", "options", "trace"):
        for path in ("", "1/"):
            assert getattr(judging.client, method)(judging.address + path).status_code == 405


def test_forms_from_elsewhere_are_refused(study):
    """Every form carries a token, and without it nothing is done."""
    browser = Browser(study, Client(enforce_csrf_checks=True))
    browser.walk_to_documents()  # with it, everything works
    assert browser.page.position == 1
    form = browser.page.form("next")
    del form["csrfmiddlewaretoken"]
    for path in ("", "1/"):
        for action in ("next", "back", "finish", "leave", "continue", "again"):
            data = {**form, "score": "5", "justification": "x", "action": action}
            assert browser.client.post(browser.address + path, data).status_code == 403
    assert Assignment.objects.get().state == "judging"
    assert not Judgment.objects.exists()


def test_zero_bytes(judging):
    judging.press("next", score="5\0", justification="a\0b")
    assert (Judgment.objects.get().score, Judgment.objects.get().justification) == (5, "ab")


def multipart(charset: str, **fields: bytes) -> dict:
    """A form in a character set of its own."""
    parts = b"".join(
        b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value)
        for name, value in fields.items()
    )
    return {
        "data": parts + b"--x--\r\n",
        "content_type": f"multipart/form-data; boundary=x; charset={charset}",
    }


@pytest.mark.parametrize("path", ["", "1/"])
def test_halves_of_characters(judging, path):
    """A client may name a character set in which they can be written."""
    surrogate = b"+2AA-"
    assert surrogate.decode("utf-7") == "\ud800"
    for fields in (
        {"action": b"next", "score": b"5" + surrogate, "justification": b"x" + surrogate},
        {"action": b"next", "score": surrogate, "justification": surrogate},
        {"action": b"leave", "page": surrogate},
        {"action": surrogate},
        {"action": b"back", "visible_seconds": surrogate},
    ):
        response = judging.client.post(judging.address + path, **multipart("utf-7", **fields))
        assert response.status_code in (302, 303)
    assert Assignment.objects.get().state == "judging"


def test_halves_of_characters_in_the_address_and_in_practice(study):
    browser = Browser(study)
    browser.get("?id=%2B2AA-x", content_type="text/plain; charset=utf-7")
    assert browser.press("continue").step == "practice"
    browser.press("continue")
    form = multipart("utf-7", action=b"next", score=b"+2AA-")
    assert browser.client.post(browser.address, **form).status_code == 303


def test_bytes_that_are_no_text(judging):
    response = judging.client.post(
        judging.path,
        b"action=next&score=5&justification=%ff%fe%c3",
        content_type="application/x-www-form-urlencoded",
    )
    assert response.status_code == 302
    assert Judgment.objects.get().justification


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        *((text, None) for text in ("", "x", "nan", "inf", "-1", "1e400", "9" * 400, "1e7")),
        *(("٣", 3), ("12.5", 12.5)),
    ],
)
def test_what_the_browser_says_of_its_time(judging, said, kept):
    judging.press("next", score="5", justification="x", visible_seconds=said)
    assert Visit.objects.order_by("id").first().visible_seconds == kept


def test_markup_in_everything_a_researcher_may_write(db, clock):
    nasty = "<script>alert(1)</script>\"'&"
    study = make_study(title=nasty, consent=nasty, contact=nasty, ethics_approval=nasty)
    Topic.objects.update(title=nasty, description=nasty, narrative=nasty)
    study.topics.update(question=nasty, options=[nasty, "b", "c", "d"], answer=nasty)
    Document.objects.update(title=nasty, text=nasty, cleaned=clean_text(nasty, False))
    browser = Browser(study)
    pages = [browser.get()]
    browser.walk_to_documents()
    pages.append(browser.page)
    pages += [browser.judge(words=nasty), browser.get("1/"), browser.judge_all(clock)]
    for page in pages:
        assert "alert(1)" in page.text
        assert "<script>" not in page.html


def test_no_page_shows_an_id_of_a_document_or_a_role(browser, clock):
    for number, document in enumerate(Document.objects.all()):
        text = f"Text {number}"
        document.title, document.text = f"Title {number}", text
        document.cleaned = clean_text(text, document.is_html)
        document.save()
    pages = [browser.get()]
    browser.come_to_documents()
    while browser.page.position < 8:
        pages.append(browser.page)
        browser.judge()
    pages += [browser.page, browser.judge("finish"), browser.press("back"), browser.get("4/")]
    browser.get("1/")
    pages.append(browser.judge_all(clock))
    assert pages[-1].step == "done"
    for page in pages:
        for secret in ("D401", "h_k", "n_k", "H_k", "anchor", "relevance label"):
            assert secret not in page.html


def test_no_page_shows_an_example_of_a_score(browser, clock):
    """It would act as a modulus. Instructions have no numbers but a worker's own."""
    page = browser.come_to("instructions")
    own = "".join(html.fromstring(page.html).find_class("ratios")[0].itertext())
    assert own in page.main_text
    text = page.main_text.replace(own, "").replace("8 documents", "")
    assert not {char for char in text if char.isdigit()}
