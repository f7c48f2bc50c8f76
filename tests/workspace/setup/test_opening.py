"""What stands between a draft and its people: what is wanted first, and what is confirmed."""

import io
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from judging.models import Membership, Study, StudyTopic
from judging.studies.configuration.changing import change_settings, change_topics
from judging.studies.configuration.cloning import clone
from judging.studies.configuration.missing import missing_for_people
from judging.studies.unit_plans import discard_plan, plan
from tests.desks import Api, words
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.browsing import Browser
from workspace.planning.costs import costs
from workspace.setup.opening import terms_of

WANTED = {
    "contact": "lamps@institute.example",
    "consent": "This study is run by the Institute of Lamps.",
    "ethics_approval": "Board 17/4",
}


def draft(rosa: User, **settings: Any) -> Study:
    study = make_study(
        topics=2, opened=False, **{**WANTED, "payment": 3, "minimum_hourly_pay": 9, **settings}
    )
    Membership.objects.create(study=study, user=rosa, role="owner")
    study.refresh_from_db()
    return study


def confirm(desk: Client, study: Study, **more: str) -> Any:
    return desk.post(f"/studies/{study.slug}/set-up/open/", terms(desk, study) | more, follow=True)


def terms(desk: Client, study: Study) -> dict[str, Any]:
    """What the page of the review sends, with everything ticked."""
    page = desk.get(f"/studies/{study.slug}/set-up/").context
    return {"confirm": page["terms"].digest, "read": [doubt.key for doubt, *_ in page["doubts"]]}


def stage(study: Study) -> str:
    return Study.objects.values_list("stage", flat=True).get(pk=study.pk)


# --- what is wanted -------------------------------------------------------------------------------
LACKS = [
    ({"contact": ""}, "No contact"),
    ({"consent": ""}, "No text says what workers agree to"),
    ({"ethics_approval": ""}, "No ethics approval"),
    ({"consent": "Run by [name of your institution]."}, "[name of your institution]"),
]


@pytest.mark.parametrize(("with_", "said"), LACKS)
def test_nothing_opens_by_page_or_rest_without_what_people_need(desk, rosa, with_, said):
    study = draft(rosa, **with_)
    assert said in words(desk.get(f"/studies/{study.slug}/set-up/"))
    assert said in words(confirm(desk, study))
    api = Api(rosa, study.slug)
    terms = api("get", "open/")
    assert said in api("get", "missing/")[0]["what"]
    assert said in terms["missing"][0]["what"]
    assert said in api("post", "open/", 409, confirm=terms["confirm"])["detail"]
    assert stage(study) == "draft"


def test_an_exemption_with_its_reason_stands_for_an_approval_and_both_are_too_much(desk, rosa):
    api = Api(rosa, draft(rosa).slug)
    assert "not both" in str(api("patch", "", 400, ethics_exemption="none is needed"))
    study = draft(rosa, ethics_approval="", ethics_exemption="no personal data are stored")
    assert "open" in words(confirm(desk, study))
    assert stage(study) == "open"
    assert "None is needed: no personal data are stored" in Browser(study).get().words


@pytest.mark.parametrize(
    ("how", "crowd"), [({"demo": True, "payment": 0}, "both"), ({}, "artificial")]
)
def test_a_demo_and_a_simulation_need_nothing_for_people(desk, rosa, how, crowd):
    study = draft(rosa, consent="", contact="", ethics_approval="", **how)
    Study.objects.update(crowd=crowd)
    confirm(desk, study)
    assert stage(study) == "open"


def test_volunteers_are_unpaid_and_read_it_on_welcome(desk, rosa):
    study = draft(rosa, payment=0, minimum_hourly_pay=None)
    said = words(desk.get(f"/studies/{study.slug}/set-up/"))
    assert "Volunteers: nothing is paid." in said
    assert "an hour" not in said
    confirm(desk, study)
    assert stage(study) == "open"
    assert "You take part as a volunteer: nothing is paid." in Browser(study).get().words


# --- currency and pay -----------------------------------------------------------------------------
def test_a_currency_is_of_iso_4217(rosa):
    api = Api(rosa, draft(rosa).slug)
    for currency in ("dol", "XXX", "usd", ""):
        assert currency in api.faults("patch", "", currency=currency)["#/currency"]


def test_the_page_proposes_no_payment(desk, rosa):
    home = draft(rosa).collection
    home.owner = rosa
    home.save()
    desk.post("/new-study/", {"title": "Mine", "collection": home.slug})
    study = Study.objects.get(slug="mine")
    form = desk.get("/studies/mine/set-up/settings/").context["form"]
    assert (form["payment"].value(), form["currency"].value()) == ("", "")
    assert "Nobody has said yet what a unit is paid" in words(desk.get("/studies/mine/set-up/"))
    typed = {field.name: field.value() for field in form if field.value() is not False}
    sent = {name: "" if value is None else value for name, value in typed.items()}
    refused = desk.post("/studies/mine/set-up/settings/", sent).context["form"]
    assert {"payment", "currency"} <= set(refused.errors)
    sent |= {"payment": "0.20", "currency": "USD"}  # as by default
    saved = desk.post("/studies/mine/set-up/settings/", sent)
    assert saved.status_code == 302, saved.context["form"].errors
    study.refresh_from_db()
    assert study.pay_is_chosen
    assert "what a unit is paid" not in words(desk.get("/studies/mine/set-up/"))


@pytest.mark.parametrize(
    ("currency", "own", "minimum"),
    [("USD", None, 12), ("EUR", None, 11), ("GBP", None, 9), ("CHF", None, None), ("USD", 5, 5)],
)
def test_a_minimum_is_proposed_by_currency(rosa, currency, own, minimum):
    assert draft(rosa, currency=currency, minimum_hourly_pay=own).minimum_pay == minimum


def test_below_the_minimum_a_reason_is_wanted_and_kept(desk, rosa):
    study = draft(rosa, payment="0.20", minimum_hourly_pay=None)
    said = words(desk.get(f"/studies/{study.slug}/set-up/"))
    assert "1.19 USD an hour is less than the minimum of 12 USD" in said
    assert "Say why it is paid less" in words(confirm(desk, study))
    assert stage(study) == "draft"
    confirm(desk, study, low_pay_reason="The board has agreed to it.")
    assert stage(study) == "open"
    opened = study.trail.get(action="opened")
    assert opened.by == rosa
    assert opened.details["low_pay_reason"] == "The board has agreed to it."
    assert "The board has agreed to it." in words(desk.get(f"/studies/{study.slug}/share/trail/"))


def test_the_same_minutes_stand_on_welcome_in_the_plan_and_in_the_confirmation(desk, rosa):
    study = draft(rosa)
    pilot = make_study(redundancy=10)
    for number in range(10):
        complete(pilot, f"worker-{number}", seconds=90)
    assert "About 10 minutes for a unit" in words(desk.get(f"/studies/{study.slug}/set-up/"))
    Study.objects.filter(pk=study.pk).update(pilot=pilot)
    study.refresh_from_db()
    assert costs(study).minutes == 12
    assert "About 12 minutes for a unit" in words(desk.get(f"/studies/{study.slug}/set-up/"))
    confirm(desk, study)
    assert "About 12 minutes for one set" in Browser(study).get().words


# --- anchors that a person reads ------------------------------------------------------------------
def drawn(rosa: User) -> Study:
    study = draft(rosa)
    study.units.all().delete()
    StudyTopic.objects.update(h_k="", n_k="")
    plan(study, seed=3)
    return study


def test_every_drawn_n_k_is_read_by_a_person_before_it_opens(desk, rosa):
    study = drawn(rosa)
    assert "Topic 401: nobody has read" in words(confirm(desk, study))
    assert stage(study) == "draft"
    for topic in study.topics.select_related("topic").order_by("topic__query_id"):
        address = f"/studies/{study.slug}/set-up/anchors/{topic.topic.query_id}/"
        assert "I have read both" in words(desk.get(address))
        version = Study.objects.get(pk=study.pk).version
        desk.post(address, {"h_k": topic.h_k, "n_k": topic.n_k, "version": version})
    read = study.trail.filter(action="changed topics").last()
    assert read.by == rosa
    assert read.details["topics"]["402"] == {"anchors_unread": [True, False]}
    confirm(desk, study)
    assert stage(study) == "open"


def test_anchors_that_somebody_read_stay_when_it_is_planned_again(rosa):
    study = drawn(rosa)
    first = study.topics.get(topic__query_id="401")
    change_topics(study.slug, {"401": {"h_k": first.h_k, "n_k": first.n_k}}, rosa)
    for seed in range(4, 8):
        plan(study, seed=seed)
        first.refresh_from_db()
        assert not first.anchors_unread
    assert study.topics.get(topic__query_id="402").anchors_unread
    discard_plan(study.slug, rosa)
    assert [bool(topic.n_k) for topic in study.topics.order_by("topic__query_id")] == [True, False]


def test_a_copy_is_no_more_read_than_its_original(rosa):
    copy = clone(drawn(rosa), "copy", "Copy", rosa)
    assert [lack.query_id for lack in missing_for_people(copy)] == ["401", "402"]


def test_anchors_written_in_a_file_or_sent_by_rest_count_as_read(rosa):
    study = drawn(rosa)
    api = Api(rosa, study.slug)
    for topic in api("get", "topics/"):
        assert topic["anchors_unread"]
        api("patch", f"topics/{topic['query_id']}/", h_k=topic["h_k"], n_k=topic["n_k"])
    assert api("get", "missing/") == []


# --- one confirmation -----------------------------------------------------------------------------
def test_the_confirmation_says_what_it_takes(desk, rosa):
    study = draft(rosa, redundancy=10, payment=3, max_units_per_worker=1)
    said = words(desk.get(f"/studies/{study.slug}/set-up/"))
    for part in (
        "40 units of 2 topics, 28 documents",
        "40 people, at least 40",
        "144.00 USD: 120.00 USD to workers, 24.00 USD to the platform",
        "8 hours of work",
        "17.88 USD an hour",
    ):
        assert part in said, part
    assert stage(study) == "draft", "looking opens nothing"


def test_a_changed_plan_is_looked_at_again(desk, rosa):
    study = draft(rosa)
    address = f"/studies/{study.slug}/set-up/open/"
    sent = terms(desk, study)
    change_settings(study.slug, {"payment": Decimal("5")}, None)
    page = desk.post(address, sent)
    assert "has changed since you looked: cost" in words(page)
    assert stage(study) == "draft"
    desk.post(address, sent | {"confirm": page.context["terms"].digest})
    assert stage(study) == "open"


def test_every_warning_is_ticked_before_it_opens_and_kept_in_the_trail(desk, rosa):
    study = draft(rosa, redundancy=5, most_workers=3)
    StudyTopic.objects.filter(study=study).update(
        options=["A very long answer, much longer than others", "b", "c", "d"],
        answer="A very long answer, much longer than others",
    )
    page = desk.get(f"/studies/{study.slug}/set-up/")
    assert "The right answer stands out among the options on 2 topics." in words(page)
    assert words(page).count("by far the longest option") == 2
    seen = [doubt.what for doubt, *_ in page.context["doubts"]]
    assert len(seen) >= 2
    sent = terms(desk, study)
    address = f"/studies/{study.slug}/set-up/open/"
    for ticks in ([], sent["read"][1:], ["another"]):
        refused = desk.post(address, sent | {"read": ticks})
        assert refused.status_code == 422
        assert refused.context["form"].errors.keys() == {"read"}
    assert stage(study) == "draft"
    StudyTopic.objects.filter(topic__query_id="401").update(answer="b")
    changed = desk.post(address, sent)
    assert "This has changed meanwhile: read it again." in words(changed)
    desk.post(address, terms(desk, study))
    assert stage(study) == "open"
    kept = study.trail.get(action="opened").details["read"]
    assert any("stands out among the options on 1 topic" in line for line in kept)
    assert "having read: " in words(desk.get(f"/studies/{study.slug}/share/trail/"))


def test_by_rest_the_digest_of_what_was_seen_opens(rosa):
    study = draft(rosa)
    api = Api(rosa, study.slug)
    seen = api("get", "open/")
    lines = ("measure", "gains", "test", "level", "end")
    assert [seen["terms"][name][:3] for name in lines] == ["Mea", "Gai", "Tes", "Lev", "Pla"]
    api("patch", "", cutoff=5)
    said = api("post", "open/", 409, confirm=seen["confirm"])["detail"]
    assert "measure (now Measure: nDCG-JK@5)" in said
    seen = api("get", "open/")
    assert (seen["units"], seen["workers"], seen["total"]) == (8, 7, "28.8000")
    assert (seen["minutes"], seen["missing"]) == (10, [])
    assert api.faults("post", "open/").keys() == {"#/confirm"}
    assert api.faults("post", "open/", confirm="yes").keys() == {"#/confirm"}
    api("patch", "", payment="0.50")
    said = api("post", "open/", 409, confirm=seen["confirm"])["detail"]
    assert "cost" in said
    assert "now 4.80 USD" in said
    seen = api("get", "open/")
    assert api.faults("post", "open/", confirm=seen["confirm"]).keys() == {"#/low_pay_reason"}
    opened = api("post", "open/", confirm=seen["confirm"], low_pay_reason="It is a test.")
    assert opened["stage"] == "open"
    assert Study.objects.get().analysis_plan["end"] == seen["units"]


def test_a_viewer_looks_and_does_not_open(desk, rosa):
    study = draft(rosa)
    Membership.objects.update(role="viewer")
    page = desk.get(f"/studies/{study.slug}/set-up/")
    assert "<button" not in page.content.decode().partition("<main")[2]
    sent = terms(desk, study)
    assert desk.post(f"/studies/{study.slug}/set-up/open/", sent).status_code == 403


# --- by the command -------------------------------------------------------------------------------
def test_the_command_prints_the_same_and_opens(rosa, capsys):
    study = draft(rosa, contact="", payment="0.20")
    call_command("open_study", study.slug)
    told = capsys.readouterr()
    for part in terms_of(study).parts.values():
        assert part in told.out
    assert "warning: No contact" in told.err
    assert "less than the minimum" in told.err
    assert f"study {study} is open" in told.out
    assert stage(study) == "open"


def test_the_command_refuses_what_is_missing(rosa):
    study = draft(rosa)
    study.units.all().delete()
    with pytest.raises(CommandError, match="has no units"):
        call_command("open_study", study.slug, stderr=io.StringIO())
    assert stage(study) == "draft"
