"""A study is renamed: its people stay its people, and nobody else's."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from judging.models import Assignment, FormerSlug, Participant, Study, Worker
from judging.studies.conduct.opening import close_study
from judging.studies.configuration.removal import delete_study, rename
from judging.studies.configuration.settings import create_study
from judging.studies.faults import BadStudy
from judging.studies.personal_links import personal_links
from tests.database import Elsewhere
from tests.factory import make_study
from tests.judging.browsing import Browser
from tests.judging.pages.test_own_page import completed


@pytest.fixture
def done(study: Study, browser: Browser, clock: Any) -> Browser:
    """Somebody who has completed a unit of a study that then was closed and renamed."""
    completed(browser, clock)
    close_study(study.slug)
    rename(study.slug, None, slug="renamed")
    return browser


def code() -> str:
    return str(Assignment.objects.get().completion_code)


def test_old_links_lead_to_the_page_of_ones_own(done: Browser) -> None:
    for path in ("me/", "", "resume/", "3/", "me/data.json", "nothing/of/it/"):
        response = done.client.get(f"{done.address}{path}?language=de")
        assert response.status_code == 307
        assert response["Location"] == f"/study/renamed/{path}?language=de"
    page = done.client.get(f"{done.address}me/", follow=True).content.decode()
    assert code() in page
    assert Worker.objects.get().resume_code in page


def test_a_form_of_an_open_page_is_sent_on(done: Browser) -> None:
    sent = {"action": "sure", "code": code()}
    response = done.client.post(f"{done.address}me/", sent, follow=True)
    assert response.status_code == 200
    assert Assignment.objects.get().state == "withdrawn"


def test_a_new_study_by_the_old_name_does_not_get_its_people(done: Browser) -> None:
    old = done.study.slug
    other = make_study()
    Study.objects.filter(pk=other.pk).update(slug=old)
    page = done.get()
    assert (page.status, page.step) == (200, "welcome")
    done.press("continue")
    assert len(set(Worker.objects.values_list("pseudonym", flat=True))) == 2, "they are strangers"
    assert code_is_shown(done, "/study/renamed/me/"), "and known where they have judged"


def code_is_shown(browser: Browser, address: str) -> bool:
    first = Assignment.objects.filter(study__slug="renamed").get()
    return str(first.completion_code) in browser.client.get(address).content.decode()


@pytest.mark.parametrize("again", [delete_study, lambda slug, _: rename(slug, None, slug="third")])
def test_a_name_of_a_study_that_is_gone_leads_nowhere(
    done: Browser, again: Callable[[str, None], Any]
) -> None:
    """Nor to the study that had the name before that one; renamed, it takes the name along."""
    old = done.study.slug
    other = make_study(opened=False)
    Study.objects.filter(pk=other.pk).update(slug=old)
    again(old, None)
    is_deleted = again is delete_study
    answer = done.client.get(f"/study/{old}/")
    assert answer.status_code == (404 if is_deleted else 307)
    assert is_deleted or answer["Location"] == "/study/third/"


def test_a_deleted_study_leads_nowhere_by_any_name(done: Browser) -> None:
    delete_study("renamed", None, "renamed")
    assert not FormerSlug.objects.exists()
    for name in (done.study.slug, "renamed"):
        assert done.client.get(f"/study/{name}/me/").status_code == 404


def test_a_study_gets_its_first_name_back(done: Browser) -> None:
    old = done.study.slug
    rename("renamed", None, slug=old)
    assert code() in done.get("me/").html
    assert done.client.get("/study/renamed/me/")["Location"] == f"/study/{old}/me/"


def test_personal_links_outlive_a_name(db: None) -> None:
    study = make_study(platform="links")
    Participant.objects.create(study=study, external_id="otto")  # type: ignore[misc]
    [(_, link)] = personal_links(study, f"/study/{study.slug}/")
    close_study(study.slug)
    rename(study.slug, None, slug="renamed")
    browser = Browser(study)
    there = browser.client.get(link)["Location"]
    assert there == link.replace(study.slug, "renamed")
    assert browser.client.get(there)["Location"] == "/study/renamed/"
    assert browser.cookie_name in browser.client.cookies


# --- two at once -------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("second", ["rename", "create"])
def test_of_two_who_want_a_name_one_gets_it_and_the_other_is_told(second: str) -> None:
    first, other = make_study(opened=False), make_study(opened=False)
    home = other.collection.slug

    def want() -> str:
        try:
            if second == "rename":
                rename(other.slug, None, slug="wanted")
            else:
                create_study("wanted", home, {"title": "Another"})
        except BadStudy as refusal:
            return str(refusal)
        return "got it"

    with transaction.atomic():
        rename(first.slug, None, slug="wanted")
        late = Elsewhere(want)
        _wait_for_a_lock()
    assert "There is a study wanted already." in late.result()


def _wait_for_a_lock() -> None:
    waiting = 0
    while not waiting:
        with connection.cursor() as cursor:
            cursor.execute("SELECT FROM pg_locks WHERE NOT granted")
            waiting = cursor.rowcount


@pytest.mark.parametrize("cookies", [1, 2])
@pytest.mark.parametrize("action", ["next", "draft"])
def test_a_document_that_was_open_is_answered_under_the_new_name(
    judging: Browser, cookies: int, action: str
) -> None:
    """By a browser that knows one study, and by one that has a cookie of another, too."""
    if cookies == 2:
        Browser(make_study(), judging.client).get()
    form = judging.page.form("next") | {"action": action, "score": "7", "justification": "Lamps."}
    close_study(judging.study.slug)
    rename(judging.study.slug, None, slug="renamed")
    answer = judging.client.post(f"{judging.address}1/", form, follow=True)
    assert answer.redirect_chain[0] == ("/study/renamed/1/", 307)
    judgment = Assignment.objects.get().judgments.get()
    assert (judgment.draft or judgment.answer) == ("7", "Lamps.")


def test_the_cookie_of_another_study_opens_no_document(judging: Browser) -> None:
    other = make_study()
    for path in ("1/", "2/"):
        assert judging.client.get(f"/study/{other.slug}/{path}").url == f"/study/{other.slug}/"
    form = judging.page.form("next") | {"action": "next", "score": "7", "justification": "Lamps."}
    judging.client.post(f"/study/{other.slug}/1/", form)
    assert not Assignment.objects.get().judgments.exists()
