"""A study is renamed: its people stay its people, and nobody else's."""

from collections.abc import Callable
from typing import Any

import pytest

from judging.models import Assignment, FormerSlug, Participant, Study, Worker
from judging.studies.conduct.closing import close_study
from judging.studies.configuration.removal import delete_study, rename
from judging.studies.personal_links import personal_links
from tests.factory import make_study
from tests.judging.browsing import Browser


@pytest.fixture
def done(study: Study, browser: Browser, clock: Any) -> Browser:
    """Somebody who has completed a unit of a study that then was closed and renamed."""
    browser.complete(clock)
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
    was = code()
    Study.objects.filter(pk=make_study().pk).update(slug=done.study.slug)
    page = done.get()
    assert (page.status, page.step) == (200, "welcome")
    done.press("continue")
    assert len(set(Worker.objects.values_list("pseudonym", flat=True))) == 2, "they are strangers"
    assert was in done.client.get("/study/renamed/me/").content.decode(), "and known there"


@pytest.mark.parametrize("again", [delete_study, lambda slug, _: rename(slug, None, slug="third")])
def test_a_name_of_a_study_that_is_gone_leads_nowhere(
    done: Browser, again: Callable[[str, None], Any]
) -> None:
    """Nor to the study that had the name before that one; renamed, it takes the name along."""
    old = done.study.slug
    Study.objects.filter(pk=make_study(opened=False).pk).update(slug=old)
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


@pytest.mark.parametrize("cookies", [1, 2])
@pytest.mark.parametrize("action", ["next", "draft"])
def test_a_document_that_was_open_is_answered_under_the_new_name(
    judging: Browser, cookies: int, action: str
) -> None:
    """By a browser that knows one study, and by one that has a cookie of another, too."""
    if cookies == 2:
        Browser(make_study(), judging.client).get()
    form = judging.page.sent("next", score="7", justification="Lamps.") | {"action": action}
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
    form = judging.page.sent("next", score="7", justification="Lamps.")
    judging.client.post(f"/study/{other.slug}/1/", form)
    assert not Assignment.objects.get().judgments.exists()
