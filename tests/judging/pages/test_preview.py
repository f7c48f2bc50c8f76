"""A preview shows every page as workers see it, to the team alone, and stores nothing."""

import re
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from judging.models import Membership, Role, Study
from judging.pages.preview.pages import pages_of
from judging.studies.configuration.settings import create_study
from tests.factory import GRADED, OPTIONS, make_study
from tests.judging.browsing import Browser, Page

pytestmark = pytest.mark.django_db


def at_desk(role: str, study: Study) -> Client:
    """Somebody by their role in a study; `outsider` has one in none."""
    user = User.objects.create_user(role)
    if role != "outsider":
        Membership.objects.create(study=study, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def path(study: Study, name: str = "") -> str:
    return f"/studies/{study.slug}/set-up/preview/{name}{'/' * bool(name)}"


def rows() -> dict[str, int]:
    """How many rows every table has."""
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def draft(**settings: Any) -> Study:
    """A study of two topics that lacks everything that a draft can lack."""
    whole = make_study(topics=2)
    config = {"title": "Lamps", "unit_size": 3, "topics": {"401": {}, "402": {}}, **settings}
    return create_study(f"{whole.slug}-draft", whole.collection.slug, config)


STUDIES = {
    "open": partial(make_study, consent="Freely.", contact="rosa@example.org", unit_size=4),
    "levels, limits, platforms": partial(
        make_study,
        **GRADED | {"opened": False, "entry": "platforms", "unit_size": 3},
        most_failed_finishes=2,
        check_before_finish=True,
    ),
    "draft": draft,
}


@pytest.mark.parametrize("kind", STUDIES)
def test_pages_store_nothing_and_lead_to_one_another(kind: str) -> None:
    study = STUDIES[kind]()
    client = at_desk("viewer", study)
    pages = pages_of(study)
    before, addresses = rows(), set()
    with CaptureQueriesContext(connection) as queries:
        for page, following in zip(pages, [*pages[1:], None], strict=True):
            here = path(study, page.name)
            response = client.get(here)
            assert response.status_code == 200, here
            assert "worker" not in response.cookies
            body = response.content.decode().split("<body", 1)[1]
            addresses.update(re.findall(r'(?:href|action)="([^"]+)"', body))
            leads_to = client.post(here, {"action": "next", "score": "5", "page": "x"}).url
            assert leads_to == path(study, following.name if following else "")
        assert client.get(path(study)).status_code == 200
    assert {query["sql"].split()[0] for query in queries} == {"SELECT"}
    assert rows() == before
    there = {path(study), *(path(study, page.name) for page in pages)}
    assert {a for a in addresses if not a.startswith(("#", "mailto:"))} <= there


def test_the_team_sees_every_page_and_nobody_else() -> None:
    study = make_study(unit_size=3)
    team, outsider = [at_desk(role, study) for role in Role.values], at_desk("outsider", study)
    for name in ("", *(page.name for page in pages_of(study))):
        address = path(study, name)
        assert outsider.get(address).status_code == 404, name
        assert outsider.post(address).status_code in (404, 405), name
        assert Client().get(address).url == f"/login/?next={address}"
        if name in ("", "topic"):
            assert [client.get(address).status_code for client in team] == [200] * len(team)


def test_pages_are_those_of_workers(browser: Browser, study: Study) -> None:
    """Where a page has nothing of a worker's own, the two are the same."""
    Study.objects.update(ratios_after_practice=False)  # of a worker's own numbers
    client = at_desk("viewer", study)
    seen = [browser.get(), browser.press("continue")]
    browser.practise()
    seen.append(browser.page)
    for page in seen:
        preview = Page(client.get(path(study, page.step)))
        assert preview.main_text == page.main_text
        assert preview.buttons == page.buttons
    worker, preview = browser.press("continue"), Page(client.get(path(study, "topic")))
    assert sorted(worker.options.values()) == sorted(preview.options.values())
    worker = browser.answer()
    preview = Page(client.get(path(study, "document-1")))
    assert (preview.step, preview.position, preview.buttons) == ("document", 1, worker.buttons)
    assert re.search(r"Text of D401-\d{3}\.", preview.main_text)


def test_where_buttons_lead() -> None:
    study = make_study()
    client = at_desk("viewer", study)
    ways = {
        ("welcome", "leave"): "not-taking-part",
        ("topic", "leave"): "left",
        ("topic", "keep"): "topic",
        ("document-3", "back"): "document-2",
        ("done", "again"): "practice",
    }
    for (name, action), target in ways.items():
        address = path(study, name) + "?topic=401"
        assert client.post(address, {"action": action}).url == path(study, target) + "?topic=401"


def test_a_draft_says_in_its_place_what_is_missing() -> None:
    study = draft()
    study.collection.topics.filter(query_id="402").update(title="")
    client = at_desk("editor", study)
    listed = Page(client.get(path(study) + "?topic=402")).words
    for line in (
        "There is no consent text.",
        "Topic 402 has no title.",
        "Topic 402 has no question with four options and an answer.",
        "No units are planned",
    ):
        assert line in listed
    topic = Page(client.get(path(study, "topic") + "?topic=402"))
    assert "[The title is missing]" in topic.main_text
    assert "[The question is missing]" in topic.main_text
    assert list(topic.options.values()) == ["[An option is missing]"] * 4
    document = Page(client.get(path(study, "document-1")))
    assert "Text of D401-000." in document.main_text
    assert "No units are planned" in document.words


def test_a_study_of_almost_nothing_can_be_previewed() -> None:
    study = make_study(opened=False)
    study.topics.all().delete()
    study.collection.documents.all().delete()
    client = at_desk("editor", study)
    for page in pages_of(study):
        assert client.get(path(study, page.name)).status_code == 200, page.name
    assert "The study has no topic." in Page(client.get(path(study))).words
    document = Page(client.get(path(study, "document-8"))).words
    assert "[The text of this document is missing]" in document


def test_the_topic_is_chosen() -> None:
    study = make_study(topics=2)
    client = at_desk("viewer", study)
    topic = client.get(path(study, "topic") + "?topic=402").content.decode()
    assert "What about 402?" in topic
    assert OPTIONS[0] in topic
    document = client.get(path(study, "document-2") + "?topic=402").content.decode()
    assert "Text of D402-" in document
    assert client.get(path(study) + "?topic=999").status_code == 404
    assert client.get(path(study, "nowhere")).status_code == 404
