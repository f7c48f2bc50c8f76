"""Anchors that labels contradict: where that is said, how they are accepted, who finds them."""

from contextlib import suppress
from typing import Any

import pytest
from django.core.management import CommandError

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.models import Label, Study, StudyTopic
from judging.monitoring.watch import Watch
from judging.studies.configuration.anchors import accept_anchors
from judging.studies.configuration.changing import change_topic
from judging.studies.configuration.cloning import config_of
from judging.studies.faults import BadStudy
from judging.studies.unit_plans import plan
from tests.desks import Api
from tests.factory import NOON, make_study
from tests.factory.completed import complete
from tests.factory.crowds import simulate

pytestmark = pytest.mark.django_db
H_K = "Topic 401: the relevant anchor D401-003 is labelled 0, not relevant."
N_K = "Topic 401: the irrelevant anchor D401-000 is labelled 3, relevant."
REASON = "Rosa has read both: the labels were swapped when they were typed in."


def swapped(**settings: Any) -> Study:
    """The labels of topic 401 say that H_k is not relevant and N_k is; those of others do not."""
    study = make_study(**{"topics": 2, **settings})
    for number, level in ((3, 0), (0, 3)):
        Label.objects.filter(doc_id=f"D401-00{number}").update(level=level)
    return study


def evaluated() -> Study:
    study = swapped(redundancy=1)
    complete(study, "ada")
    evaluate(study)
    return study


# --- where it is said ---------------------------------------------------------------------------
def test_the_light_is_amber_before_anybody_has_come() -> None:
    light = Watch(swapped(), NOON).anchors.finding
    assert (light.colour, light.sentence) == ("amber", f"{H_K} {N_K}")
    assert Watch(make_study(topics=2), NOON).anchors.finding.colour == "grey"


def test_state_monitor_and_topic_pages_say_it(desk: Any) -> None:
    study = evaluated()
    overview = desk.words(f"/studies/{study.slug}/")
    assert "Labels contradict the anchors of topic 401: read them first" in overview
    for path in ("", "monitor/", "monitor/topics/401/", "topics/401/"):
        page = desk.words(f"/studies/{study.slug}/{path}")
        assert H_K in page, path
        assert N_K in page, path
    for path in ("monitor/topics/402/", "topics/402/"):
        assert "is labelled" not in desk.words(f"/studies/{study.slug}/{path}"), path


def test_the_set_up_step_is_not_done(desk: Any) -> None:
    study = swapped(opened=False)
    page = desk.words(f"/studies/{study.slug}/set-up/")
    assert "2 of 2; 1 against its labels" in page
    step = page[page.index("set-up/anchors/") : page.index("2 of 2; 1 against")]
    assert "✓" not in step
    accept_anchors(study.slug, "401", REASON, None)
    page = desk.words(f"/studies/{study.slug}/set-up/")
    assert "against its labels" not in page
    assert H_K not in page


# --- accepted -----------------------------------------------------------------------------------
def test_accepted_anchors_are_quiet_everywhere(desk: Any) -> None:
    study = evaluated()
    address = f"/studies/{study.slug}/set-up/anchors/401/"
    refused = desk.post(address, {"action": "accept", "anchors_reason": " "})
    assert "This field is required" in refused.content.decode()
    assert desk.post(address, {"action": "accept", "anchors_reason": REASON}).url == address
    assert REASON in desk.words(f"/studies/{study.slug}/set-up/anchors/401/")
    assert Watch(study, NOON).anchors.finding.colour == "grey"
    for path in ("", "monitor/", "monitor/topics/401/", "topics/401/"):
        assert H_K not in desk.words(f"/studies/{study.slug}/{path}"), path
    assert REASON in desk.words(f"/studies/{study.slug}/topics/401/")
    entry = study.trail.latest("pk")
    assert entry.by == User.objects.get(username="rita")
    assert entry.details["topics"] == {"401": {"anchors_reason": ["", REASON]}}


def test_they_are_accepted_by_rest_in_an_open_study() -> None:
    study, rosa = swapped(), User.objects.create_user("rosa")
    study.memberships.create(user=rosa, role="editor")
    api, address = Api(rosa, study.slug), "topics/401/accept-anchors/"
    for wrong in ({}, {"anchors_reason": " "}, {"anchors_reason": "x" * 1001}):
        assert api.faults("post", address, **wrong).keys() == {"#/anchors_reason"}
    refused = api("post", "topics/402/accept-anchors/", 409, anchors_reason=REASON)
    assert "Topic 402: no label contradicts its anchors." in refused["detail"]
    accepted = api("post", address, anchors_reason=REASON)
    (row,) = [row for row in api("get", "topics/") if row["query_id"] == "401"]
    assert accepted == row
    assert row["anchors_reason"] == REASON
    assert study.trail.latest("pk").by == rosa
    assert Watch(study, NOON).anchors.finding.colour == "grey"


def test_a_reason_is_wanted_and_something_to_accept() -> None:
    study = swapped()
    for query_id, reason, said in (
        ("401", "", "anchors_reason: 0 characters; expected 1 to 1,000"),
        ("401", "x" * 1001, "anchors_reason: 1,001 characters; expected 1 to 1,000"),
        ("402", REASON, "Topic 402: no label contradicts its anchors"),
        ("409", REASON, "Topic 409 is not of study"),
    ):
        with pytest.raises(BadStudy, match=said):
            accept_anchors(study.slug, query_id, reason, None)
    assert not StudyTopic.objects.exclude(anchors_reason="").exists()


def test_the_reason_goes_with_the_anchors_that_it_was_given_for() -> None:
    study = swapped(opened=False)
    accept_anchors(study.slug, "401", REASON, None)
    topic = study.topics.get(topic__query_id="401")
    assert config_of(study, None)["topics"]["401"]["anchors_reason"] == REASON
    assert plan_warnings(study) == []
    study.units.all().delete()
    change_topic(study.slug, "401", {"h_k": "D401-004", "n_k": "D401-000"}, None)
    topic.refresh_from_db()
    assert topic.anchors_reason == ""
    assert plan_warnings(study) == [
        "Topic 401: the relevant anchor D401-004 is labelled 0, not relevant.",
        N_K,
    ]


def plan_warnings(study: Study) -> list[str]:
    return plan(study, seed=1).warnings


# --- a crowd that reads the labels --------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
@pytest.mark.nightly
def test_a_crowd_that_goes_by_labels_finds_anchors_that_were_swapped(desk: Any) -> None:
    study = swapped(topics=2, redundancy=4)
    with suppress(CommandError):  # units that nobody can complete are left
        simulate(study, workers=2, anchors="labels", limit=20)
    seen = Watch(study, NOON).anchors
    assert [one.topic.topic.query_id for one in seen.in_doubt] == ["401"]
    assert seen.finding.colour == "red"
    evaluate(study)
    assert "The anchors of topic 401 may be bad" in desk.words(f"/studies/{study.slug}/")
    # That somebody has accepted them does not silence workers who fail far more often.
    accept_anchors(study.slug, "401", REASON, None)
    assert Watch(study, NOON).anchors.finding.colour == "red"


@pytest.mark.django_db(transaction=True)
def test_a_crowd_that_goes_by_roles_does_not() -> None:
    study = swapped(topics=2, redundancy=2)
    simulate(study, workers=2)
    seen = Watch(study, NOON).anchors
    assert seen.in_doubt == []
    assert [one.topic.topic.query_id for one in seen.contradicted] == ["401"]
