"""The pages on which a study is run: buttons, questions before them, refusals; and the trail."""

import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import User
from judging.models import Assignment, Role, Study, TrailEntry, Worker
from judging.studies import trail
from judging.studies.conduct import stages
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.exclusion import exclude
from tests.cast import ada
from tests.desks import desk_of, post_and_confirm
from tests.factory import NOON, make_study
from tests.factory.completed import complete
from workspace.running.run_page import BUTTONS, NewBatch, lines_of

BATCHES, EXCLUSIONS = "recruit/batches/", "monitor/exclusions/"


@pytest.fixture
def study(db):
    return make_study(topics=2)


@pytest.fixture
def desk(study):
    return desk_of(study)


def press(desk: Client, study: Study, action: str, **fields: Any) -> HttpResponse:
    return desk.post(f"/studies/{study.slug}/recruit/", {"action": action, **fields})


def press_twice(desk: Client, study: Study, action: str, **fields: Any) -> str:
    """The question before something that cannot be undone; then it is done."""
    address = f"/studies/{study.slug}/recruit/"
    question, done = post_and_confirm(desk, address, action=action, **fields)
    own = reverse(BUTTONS[action].page, args=[study.slug])
    assert done["Location"] == fields.get("back", own)
    return str(question)


def page(desk: Client, study: Study, path: str = "recruit/") -> str:
    response = desk.get(f"/studies/{study.slug}/{path}")
    return text_of(response)


def text_of(response: HttpResponse) -> str:
    assert response.status_code == 200
    return response.content.decode()


def test_a_study_through_its_stages(desk, study):
    assert "The study is open: 0 of 8 units" in page(desk, study)
    assert press(desk, study, "pause").status_code == 302
    assert "The study is paused" in page(desk, study)
    press(desk, study, "resume")
    assert "does not open again" in press_twice(desk, study, "close")
    assert "for good" in page(desk, study)
    press(desk, study, "archive")
    listed = text_of(desk.get("/studies/"))
    assert "Archived: 1" in listed
    assert study.title not in listed
    assert study.title in text_of(desk.get("/studies/?archived=yes"))
    press(desk, study, "unarchive")
    assert study.title in text_of(desk.get("/studies/"))
    actions = study.trail.order_by("pk").values_list("action", flat=True)
    assert [*actions][-5:] == ["paused", "resumed", "closed", "archived", "unarchived"]
    assert {str(entry.by) for entry in study.trail.order_by("-pk")[:5]} == {"the owner"}


def test_acts_lead_back_to_the_page_they_were_taken_on(desk, study):
    ada(study).begin()
    unit = str(Assignment.objects.get().unit)
    monitor = f"/studies/{study.slug}/monitor/?last=6h"
    assert f'name="back" value="{monitor}"' in text_of(desk.get(monitor))
    paused = press(desk, study, "pause", back=monitor)
    assert paused["Location"] == monitor
    assert "The study is paused." in text_of(desk.get(monitor))
    question = press_twice(desk, study, "release", unit=unit, back=monitor)
    assert f'<a href="{monitor}">No, go back</a>' in question
    assert f"Unit {unit} is free." in text_of(desk.get(monitor))
    press(desk, study, "resume")
    complete(study, "carl")
    own = f"/studies/{study.slug}/monitor/workers/carl/"
    assert f'name="back" value="{own}"' in text_of(desk.get(own))
    excluded = press(desk, study, "exclude", worker="carl", reason="pasted", back=own)
    assert excluded["Location"] == own


@pytest.mark.parametrize("elsewhere", ["https://elsewhere.org/", "//elsewhere.org/", "monitor"])
def test_no_act_leads_to_another_site(desk, study, elsewhere):
    paused = press(desk, study, "pause", back=elsewhere)
    assert paused["Location"] == f"/studies/{study.slug}/recruit/"


def test_what_cannot_be_done_is_said(desk, study):
    refused = press(desk, study, "resume")
    assert refused.status_code == 422
    assert "to go on it must be paused" in refused.content.decode()
    assert press(desk, study, "dance").status_code == 302
    assert study.trail.latest("pk").action == "opened"


def test_what_was_typed_stays_with_what_is_wrong(desk, study):
    for action, fields, why in (
        ("payment", {"payment": "0.5"}, "A unit is paid 1.00 now"),
        ("payment", {"payment": "much"}, "a number from 0 to 99,999.99 was expected"),
        ("withdraw", {"code": "NONE"}, "has this code"),
        ("exclude", {"worker": "nobody", "reason": "pasted"}, "no such worker"),
        ("batch", {"documents": "401 D9", "redundancy": 1}, "Topic 401: D9 is not in its pool"),
        ("batch", {"documents": "409", "redundancy": 1}, "has no topic 409"),
        ("batch", {"documents": "", "redundancy": 0}, "from 1 to 100 was expected, not 0"),
    ):
        refused = press(desk, study, action, **fields)
        html = refused.content.decode()
        assert refused.status_code == 422
        assert why in html
        assert 'class="field wrong"' in html
        typed = html.replace(">\n", ">")
        assert all(f">{v}" in typed or f'value="{v}"' in typed for v in fields.values())


def test_a_worker_takes_answers_back(desk, study):
    worker = complete(study, "ada")
    code = worker.assignment.completion_code
    assert str(worker.assignment.unit) in press_twice(desk, study, "withdraw", code=code)
    assert worker.assignment.state == "withdrawn"


def test_a_batch_is_looked_at_and_added_once(desk, study):
    fields = {"documents": "401\n\n402 D402-005", "redundancy": 3, "number": 1}
    question = press_twice(desk, study, "batch", **fields)
    assert "Add 9 units?" in question
    assert "10.80 USD" in question
    assert "at least 6 workers" in question
    assert "up to the redundancy of 2: what goes beyond it is paid, and not counted" in question
    also = press(desk, study, "batch", **{**fields, "number": 2}, all_judgments="on")
    assert "All judgments count" in also.content.decode()
    press(desk, study, "batch", **fields, sure="yes")
    assert study.batches.get().chosen == {"401": [], "402": ["D402-005"]}
    html = page(desk, study, BATCHES)
    assert "402 (1 document)" in html
    press(desk, study, "count", all_judgments="on")
    assert 'name="all_judgments"' not in page(desk, study, BATCHES).partition("Add a batch")[2]
    assert "All judgments count" in page(desk, study, BATCHES)
    press(desk, study, "count")
    assert "up to the study’s redundancy" in page(desk, study, BATCHES)


def test_exclusion_offers_the_batch_that_makes_up_for_it(desk, study):
    worker = complete(study, "carl")
    press(desk, study, "exclude", worker="carl", reason="pasted")
    assert "1 worker is excluded" in page(desk, study, EXCLUSIONS)
    html = page(desk, study, BATCHES)
    assert "6 documents of 1 topic will have fewer judgments" in html
    assert re.search(rf"\n{worker.assignment.study_topic.topic.query_id}( D\d+-\d+){{6}}<", html)
    own = page(desk, study, "monitor/workers/carl/")
    assert "pasted. No computation uses these scores" in own
    press(desk, study, "take back", worker="carl")
    assert not Worker.objects.get(pseudonym="carl").excluded_at
    assert "No worker is excluded" in page(desk, study, EXCLUSIONS)


def test_what_is_read_is_what_is_offered():
    chosen = {"401": ["a", "b"], "402": []}
    form = NewBatch({"documents": lines_of(chosen), "redundancy": 1})
    assert form.is_valid()
    assert form.cleaned_data["documents"] == chosen


def test_viewers_look_and_change_nothing(desk, study):
    complete(study, "carl")
    press(desk, study, "exclude", worker="carl", reason="pasted")
    viewer = desk_of(study, Role.VIEWER)
    for path in (EXCLUSIONS, "monitor/workers/carl/"):
        html = page(viewer, study, path)
        assert "pasted" in html
        assert 'name="action"' not in html
        assert "/trail/" not in html


def test_queries_do_not_grow(desk, study, django_assert_max_num_queries):
    for name in ("one", "two", "three"):
        worker = complete(study, name).worker
        exclude(worker, "pasted", None)
        ada(study).begin()
    for path in ("recruit/", BATCHES, EXCLUSIONS):
        with django_assert_max_num_queries(19):
            page(desk, study, path)


@pytest.mark.parametrize("stage", ["draft", "closed"])
def test_at_other_stages(db, stage):
    study = make_study(opened=stage != "draft")
    if stage == "closed":
        close_study(study.slug)
    desk = desk_of(study)
    html = page(desk, study)
    assert "is not open yet" in html if stage == "draft" else "The study is closed" in html
    assert 'value="pause"' not in html
    assert 'value="batch"' not in page(desk, study, BATCHES)


# --- the trail ----------------------------------------------------------------------------------
def test_the_trail_in_words(desk, study):
    stages.raise_payment(study, "2", User.objects.get())
    trail.record(study, None, "did something new", colour="red", changes={"size": [1, 2]}, more="")
    trail.record(study, None, "did something else", topics={"401": {"size": [3, 4]}})
    html = page(desk, study, "share/trail/")
    assert "401: size from 3 to 4" in html
    assert "raised payment: “Payment for a unit” from 1.00 to 2.00" in html
    assert "did something new: colour red; size from 1 to 2<" in html
    assert html.index("did something new") < html.index("opened the study")
    assert "a command" in html


def test_a_long_trail_is_in_pages(desk, study):
    TrailEntry.objects.filter(study=study).delete()
    TrailEntry.objects.bulk_create(
        TrailEntry(study=study, at=NOON, action=f"act {n:03}") for n in range(150)
    )
    html = page(desk, study, "share/trail/")
    assert ("act 149" in html, "act 050" in html, "act 049" in html) == (True, True, False)
    older = re.search(r'href="\?before=(\d+)"', html)
    html = page(desk, study, f"share/trail/?before={older[1]}")
    assert ("act 049" in html, "act 000" in html, "act 050" in html) == (True, True, False)
