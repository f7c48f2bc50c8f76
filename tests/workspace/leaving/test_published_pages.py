"""The page of a study that everybody can read: when there is one, what is on it, how it ends."""

import re
from datetime import timedelta
from io import BytesIO
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.test import Client
from django.utils import timezone

from crowd.models import ModelRun
from evaluation.cache.stored import bring_up_to_date
from evaluation.pipeline import evaluate
from judging import flow
from judging.collections.changing import mark_free_to_share
from judging.models import Assignment, Study, TrailEntry
from judging.states import State
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.stages import CannotRun
from tests.desks import Api, desk_of, member, post_and_confirm
from tests.factory import NOON, later
from tests.factory.completed import PLATFORM_IDS, WORDS, busy_study
from workspace.models import PublishedPage
from workspace.publishing import published_pages
from workspace.publishing.published_pages import Wording, obstacles, publish
from workspace.tasks import purge

pytestmark = pytest.mark.django_db
LATER = later(4 * 86_400)
WORDING = Wording("CC-BY-4.0", ("Gödel, Kurt",), "See https://example.org/paper.")
SENT = {"action": "publish", "licence": "CC-BY-4.0", "may_publish": "on", "about": "<b>About</b>"}


@pytest.fixture
def closed(db):
    """A closed study, whose workers may withdraw for two days; Eve still judges."""
    study = busy_study(withdraw_days=2)
    close_study(study.slug)
    study.refresh_from_db()
    return study


@pytest.fixture
def over(closed):
    """What may be published."""
    flow.expire_overdue(LATER)
    Assignment.objects.filter(state=State.COMPLETED).update(finished_at=NOON - timedelta(days=9))
    evaluate(closed)
    return compared(closed)


def compared(study: Study) -> Study:
    """With the test of its systems computed anew."""
    study = Study.objects.get(pk=study.pk)
    list(obstacles(study, timezone.now() + timedelta(days=1)))  # asks for it
    bring_up_to_date()
    return study


def page_of(client: Client, study: Study, **sent: Any) -> Any:
    address = f"/studies/{study.slug}/share/page/"
    return client.post(address, sent) if sent else client.get(address)


def test_it_waits_until_nobody_judges_and_nobody_may_withdraw(closed):
    assert next(obstacles(closed, LATER)) == "1 unit is still being judged."
    flow.expire_overdue(LATER)
    Assignment.objects.filter(state=State.COMPLETED).update(finished_at=LATER - timedelta(days=2))
    (days, *_) = obstacles(closed, LATER)
    assert days == "Its workers may withdraw their answers until 5 March 2026, 12:00 UTC."
    (computed,) = obstacles(closed, LATER + timedelta(seconds=1))
    assert computed == "Which systems differ is being computed: come back in a minute."
    bring_up_to_date()
    assert not [*obstacles(closed, LATER + timedelta(seconds=1))]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"stage": "paused", "closed_at": None}, "It is not closed: judgments can still be added."),
        (
            {"demo": True, "crowd": "both", "payment": 0},
            "Its workers read that nothing is published, as it is a demonstration.",
        ),
        ({"withdraw_days": None}, "Its workers may withdraw their answers for as long as"),
    ],
)
def test_what_forbids_it_is_said_and_nothing_is_published(over, changed, why):
    Study.objects.filter(pk=over.pk).update(**changed)
    page = page_of(desk_of(over), over)
    assert why in page.content.decode()
    assert 'value="publish"' not in page.content.decode()
    with pytest.raises(CannotRun, match=why[:20]):
        publish(Study.objects.get(pk=over.pk), None, WORDING)
    assert not PublishedPage.objects.exists()


def test_artificial_workers_withdraw_nothing_and_are_named(over):
    Study.objects.filter(pk=over.pk).update(crowd="artificial", withdraw_days=None)
    page = publish(compared(over), None, WORDING)
    assert "Artificial workers judged: no number here" in Client().get(page.path).content.decode()


def test_that_a_model_judged_is_confirmed_by_its_owner_and_read_by_strangers(over):
    Study.objects.filter(pk=over.pk).update(crowd="model", payment=0, withdraw_days=None)
    study = compared(over)
    amounts = dict.fromkeys(("price_in", "price_out", "max_cost"), 1)
    ModelRun.objects.create(study=study, endpoint="ours", model="a-model", **amounts)
    permission = "I know that the page says: a language model judged"
    assert permission not in page_of(desk_of(study, "viewer"), study).content.decode()
    owner = desk_of(study)
    offered = page_of(owner, study).content.decode()
    assert permission in offered
    assert "consent text" not in offered
    assert page_of(owner, study, **SENT).status_code == 302
    page = PublishedPage.objects.get()
    html = Client().get(page.path).content.decode()
    assert "A language model judged: no number here comes from a person" in html
    assert "Conversations have numbers drawn at random" in html
    whole = ZipFile(BytesIO(page.release))
    read_me = whole.read(f"{study.slug}/README.md").decode()
    assert "A language model judged" in read_me
    assert "The language model a-model gave each document a number" in read_me
    assert not re.search(r"orkers (gave|put|agreed|are identified)|Consent and ethics", read_me)


def test_an_owner_publishes_and_a_stranger_reads(over):
    assert page_of(desk_of(over, "viewer"), over).status_code == 200
    assert page_of(desk_of(over, "editor"), over, **SENT).status_code == 403
    owner = desk_of(over)
    refused = page_of(owner, over, **SENT | {"may_publish": ""})
    assert (
        "This field is required" in refused.content.decode() or "Tick" in refused.content.decode()
    )
    assert page_of(owner, over, **SENT).status_code == 302
    page = PublishedPage.objects.get()
    answer = Client().get(page.path)
    html = answer.content.decode()
    assert (answer.status_code, answer["X-Robots-Tag"]) == (200, "noindex")
    assert "no-store" in answer["Cache-Control"]
    assert "&lt;b&gt;About&lt;/b&gt;" in html
    assert "Creative Commons Attribution 4.0" in html
    best = page.content["rankings"][0]["systems"][0]["run"]
    assert best in html
    for path, size, _ in published_pages.files_in(page.release):
        sent = Client().get(f"{page.path}files/{path}")
        assert (len(sent.content), sent["X-Robots-Tag"]) == (size, "noindex")
    assert Client().get(f"{page.path}files/../secret").status_code == 404
    whole = ZipFile(BytesIO(Client().get(f"{page.path}release.zip").content))
    assert f"{over.slug}/LICENSE" in whole.namelist()
    assert Client().get(f"/published/{uuid4()}/").status_code == 404


def test_nobody_is_alone_in_it_and_no_word_of_theirs(over):
    page = publish(over, None, WORDING)
    whole = ZipFile(BytesIO(page.release))
    text = "".join(whole.read(name).decode() for name in whole.namelist())
    names = {*over.workers.values_list("pseudonym", flat=True), *PLATFORM_IDS.values(), WORDS}
    text += str(page.content)
    assert not [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    assert "Text of D401" not in text
    judged = whole.read(f"{over.slug}/judgments.csv").decode().splitlines()[1:]
    topics = {}
    for row in Assignment.objects.filter(study=over, state=State.COMPLETED):
        topics.setdefault(row.study_topic.topic.query_id, set()).add(row.worker_id)
    crowded = {topic for topic, workers in topics.items() if len(workers) > 3}
    assert {line.split(",")[2] for line in judged} == crowded
    left_out = sum(8 for row in over.assignments.all() if row.state == State.COMPLETED)
    left_out -= len(judged)
    assert f"\n{left_out} judgments of topics that fewer than 4 workers judged are left out" in text


def test_it_is_frozen_until_it_is_withdrawn(over):
    page = publish(over, None, WORDING)
    before = Client().get(page.path).content
    Study.objects.filter(pk=over.pk).update(title="Another title")
    over.collection.runs.all().delete()
    evaluate(over)
    assert Client().get(page.path).content == before
    owner = desk_of(over)
    address = f"/studies/{over.slug}/share/page/"
    question, _ = post_and_confirm(owner, address, action="withdraw", version="1")
    assert "Withdraw version 1?" in question
    for path in ("", "release.zip", "files/README.md"):
        gone = Client().get(page.path + path)
        assert (gone.status_code, gone["X-Robots-Tag"]) == (410, "noindex")
        assert "This version was withdrawn" in gone.content.decode()
    page.refresh_from_db()
    assert (bytes(page.release), page.content) == (b"", {})
    again = owner.post(address, {"action": "withdraw", "version": "1", "sure": "1"}, follow=True)
    assert "Version 1 is not published." in again.content.decode()
    actions = TrailEntry.objects.filter(study=over).order_by("pk").values_list("action", flat=True)
    assert [*actions][-3:] == ["made a release", "published a page", "withdrew a page"]


def test_answers_withdrawn_after_all_take_the_page_away(over):
    page, other = publish(over, None, WORDING), publish(over, None, WORDING)
    unit = Assignment.objects.filter(study=over, state=State.COMPLETED).first()
    flow.withdraw_unit(over, unit.completion_code, None, LATER)
    assert Client().get(page.path).status_code == 410
    assert Client().get(f"{other.path}release.zip").status_code == 410
    purge()
    assert not PublishedPage.objects.filter(withdrawn_at=None).exists()


def test_texts_that_are_no_longer_free_take_the_page_away(over):
    owner = member(over)
    over.collection.owner = owner
    over.collection.save()
    mark_free_to_share(over.collection, is_free=True, by=owner)
    page = publish(compared(over), None, WORDING)
    assert page.has_texts
    assert Client().get(page.path).status_code == 200
    mark_free_to_share(over.collection, is_free=False, by=owner)
    assert Client().get(page.path).status_code == 410


def test_by_rest(over):
    editor, owner = Api(member(over, "editor"), over.slug), Api(member(over), over.slug)
    said = {"licence": "CC0-1.0", "may_publish": True, "authors": ["Noether, Emmy"]}
    editor("post", "published/", 403, **said)
    assert [*owner.faults("post", "published/", **said | {"may_publish": False})] == [
        "#/may_publish"
    ]
    made = owner("post", "published/", 201, **said)
    assert Client().get(made["path"]).status_code == 200
    assert [row["version"] for row in editor("get", "published/")["results"]] == [1]
    assert owner("post", "published/withdraw/", version=1)["withdrawn_at"]
    assert [*owner.faults("post", "published/withdraw/", version=1)] == ["#/version"]
    assert Client().get(made["path"]).status_code == 410
