"""A study on Prolific: made, published, given more places; within the limit, and never twice."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from judging.models import Study, TrailEntry
from judging.studies.conduct.closing import close_study
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.removal import delete_study
from judging.studies.faults import BadStudy
from tests.doubles.prolific import TOKEN, WORKSPACE
from tests.factory import make_study
from tests.workspace.recruiting.conftest import ADDRESS, DRAFT
from web import clock
from workspace.models import ProlificConnection, ProlificStudy
from workspace.recruiting import connecting, drafts, spending, studies
from workspace.recruiting.drafts import Draft
from workspace.recruiting.faults import CannotRecruit, Refused, Unreachable
from workspace.recruiting.spending import committed
from workspace.recruiting.sync import sync_due_studies

SOON = timedelta(minutes=3)


# --- connections --------------------------------------------------------------------------------
def test_a_token_is_stored_encrypted_and_shown_nowhere(connected, study):
    row = ProlificConnection.objects.values().get()
    assert (row["token_end"], row["workspace_id"]) == ("9xyz", WORKSPACE)
    assert TOKEN not in str(row)
    assert ProlificConnection.objects.get().token == TOKEN
    assert TOKEN not in str(list(TrailEntry.objects.values()))


def test_the_sites_key_may_change(there, connected, rosa, settings):
    target = f"https://judge.example{connecting.hook_path(connected.connection)}"
    connecting.subscribe(connected, target, rosa)
    settings.ENCRYPTION_KEYS = ["another key of the site", *settings.ENCRYPTION_KEYS]
    assert connecting.api_of(ProlificConnection.objects.get()).token == TOKEN
    call_command("rotate_keys")
    settings.ENCRYPTION_KEYS = settings.ENCRYPTION_KEYS[:1]
    assert connecting.api_of(ProlificConnection.objects.get()).token == TOKEN
    assert ProlificConnection.objects.get().secret == there.secret
    settings.ENCRYPTION_KEYS = ["a third"]
    with pytest.raises(CannotRecruit, match="connect with Prolific anew"):
        connecting.api_of(ProlificConnection.objects.get())
    with pytest.raises(CommandError, match="No key opens 1, which must be made anew: Methods lab"):
        call_command("rotate_keys")
    connecting.connect(connected.study, TOKEN, WORKSPACE, rosa)
    assert connecting.api_of(ProlificConnection.objects.get()).token == TOKEN


def test_a_workspace_has_one_connection(connected, rosa):
    again = connecting.connect(make_study(), TOKEN, WORKSPACE, rosa)
    assert again.connection == connected.connection
    assert list(connecting.connections_for(rosa)) == [connected.connection]


def test_what_cannot_be_connected(there, study, rosa):
    for token in ("", "short", "with\nline" * 9, "ümlaut" * 9):
        with pytest.raises(CannotRecruit, match="no token"):
            connecting.connect(study, token, "", rosa)
    with pytest.raises(Refused, match="does not accept the token"):
        connecting.connect(study, "x" * 40, "", rosa)
    there.workspaces.append({"id": "other", "title": "Another"})
    with pytest.raises(CannotRecruit, match=r"Methods lab \(w0rk5pace\), Another \(other\)"):
        connecting.connect(study, TOKEN, "", rosa)
    assert connecting.connect(study, TOKEN, "Another", rosa).connection.workspace_id == "other"
    with pytest.raises(CannotRecruit, match="of this kind"):
        connecting.connect(make_study(demo=True, payment=0), TOKEN, "other", rosa)


def test_a_new_secret_replaces_the_one_before(there, connected, rosa):
    target = f"https://judge.example{connecting.hook_path(connected.connection)}"
    with pytest.raises(CannotRecruit, match="https://"):
        connecting.subscribe(connected, target.replace("https", "http"), rosa)
    secrets = []
    for _ in range(2):
        connecting.subscribe(connected, target, rosa)
        connected.connection.refresh_from_db()
        secrets.append(connected.connection.secret)
    assert secrets[1] == there.secret != secrets[0]
    (subscription,) = there.subscriptions.values()
    assert (subscription["target_url"], subscription["is_enabled"]) == (target, True)


# --- studies there ------------------------------------------------------------------------------
def test_a_draft_leads_here_and_back(there, connected, rosa):
    made = drafts.create(connected, DRAFT, rosa)
    row = there.studies[made.prolific_id]
    assert row["external_study_url"].startswith(f"{ADDRESS}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&")
    assert (row["reward"], row["completion_codes"][0]["code"]) == (200, "CDONE")
    assert (made.status, made.currency, committed(made)) == ("UNPUBLISHED", "GBP", 0)
    with pytest.raises(CannotRecruit, match="already"):
        drafts.create(made, DRAFT, rosa)


def test_a_draft_gives_the_study_its_completion_code(there, connected, rosa):
    Study.objects.update(completion_code="")  # as of a draft that is not open yet
    connected.study.refresh_from_db()
    made = drafts.create(connected, DRAFT, rosa)
    connected.study.refresh_from_db()
    code = connected.study.completion_code
    assert len(code) == drafts.CODE_LENGTH
    assert there.studies[made.prolific_id]["completion_codes"][0]["code"] == code


def test_every_code_has_its_action_there(there, connected, rosa):
    codes = {"screen_out_code": "COUT", "return_code": "CBACK"}
    change_settings(connected.study.slug, {**codes, "screen_out_reward": Decimal("0.30")}, None)
    connected.study.refresh_from_db()
    row = there.studies[drafts.create(connected, DRAFT, rosa).prolific_id]
    assert {code["code"]: code["actions"][0]["action"] for code in row["completion_codes"]} == {
        "CDONE": "MANUALLY_REVIEW",
        "COUT": "FIXED_SCREEN_OUT_PAYMENT",
        "CBACK": "REQUEST_RETURN",
    }


def test_earlier_participants_are_kept_out_there(there, published, rosa):
    there_too = {"platform": "prolific", "completion_code": "CTWO", "currency": "GBP"}
    study = make_study(payment=Decimal("1"), **there_too)  # without a limit of time
    second = connecting.use_connection(study, published.connection, rosa)
    draft = Draft("Again", "More.", ADDRESS, places=1, minutes=5, excluded=[published])
    made = drafts.create(second, draft, rosa)
    wanted = {"filter_id": "previous_studies_blocklist", "selected_values": [published.prolific_id]}
    assert there.studies[made.prolific_id]["filters"] == [wanted]
    assert "maximum_allowed_time" not in there.studies[made.prolific_id]


def test_the_limit_stops_what_goes_beyond_it(there, connected, rosa):
    made = drafts.create(connected, DRAFT, rosa)
    spending.set_limit(made, Decimal("26.66"), rosa)
    with pytest.raises(CannotRecruit, match=r"cost 26.67 GBP; 0.00 GBP of the limit of 26.66 GBP"):
        studies.publish(made, rosa)
    assert there.studies[made.prolific_id]["status"] == "UNPUBLISHED"
    spending.set_limit(made, Decimal("30"), rosa)
    made = studies.publish(made, rosa)
    assert (made.status, committed(made)) == ("ACTIVE", 2667)
    with pytest.raises(CannotRecruit, match=r"cost 5.33 GBP; 26.67"):
        studies.add_places(made, 2, rosa)
    made = studies.add_places(made, 1, rosa)
    assert (made.places, committed(made)) == (11, 2933)
    actions = made.study.trail.values_list("action", flat=True)
    assert {"published on Prolific", "added places on Prolific"} <= set(actions)


def test_what_cannot_be_published(there, connected, rosa, study):
    spending.set_limit(connected, Decimal("100"), rosa)
    made = drafts.create(connected, DRAFT, rosa)
    Study.objects.filter(pk=study.pk).update(stage="paused")
    with pytest.raises(CannotRecruit, match="Open the study here first"):
        studies.publish(made, rosa)
    Study.objects.filter(pk=study.pk).update(stage="open", currency="USD")
    with pytest.raises(CannotRecruit, match="pays in USD, this workspace in GBP"):
        studies.publish(made, rosa)
    Study.objects.filter(pk=study.pk).update(currency="GBP")
    there.balance = 5
    with pytest.raises(Refused, match="not have enough money"):
        studies.publish(made, rosa)
    made.refresh_from_db()
    assert (made.asked, committed(made)) == ("", 0)


@pytest.mark.parametrize("when", ["before", "after"])
def test_no_answer_to_a_draft(there, connected, rosa, when):
    getattr(there, f"broken_{when}").add("POST studies/")
    with pytest.raises(Unreachable):
        drafts.create(connected, DRAFT, rosa)
    connected.refresh_from_db()
    assert (connected.asked, connected.prolific_id) == ("create", "")
    with pytest.raises(CannotRecruit, match="not answered"):
        drafts.create(connected, DRAFT, rosa)
    sync_due_studies(clock.now() + SOON)
    connected.refresh_from_db()
    assert connected.asked == ""
    assert list(there.studies) == ([connected.prolific_id] if when == "after" else [])


@pytest.mark.parametrize("when", ["before", "after"])
def test_no_answer_to_publishing(there, connected, rosa, when):
    spending.set_limit(connected, Decimal("30"), rosa)
    made = drafts.create(connected, DRAFT, rosa)
    path = f"POST studies/{made.prolific_id}/transition/"
    getattr(there, f"broken_{when}").add(path)
    with pytest.raises(Unreachable):
        studies.publish(made, rosa)
    made.refresh_from_db()
    assert (made.asked, committed(made)) == ("publish", 2667), "it counts as done until it is known"
    sync_due_studies(clock.now())
    made.refresh_from_db()
    assert made.asked == "publish", "it may be under way still"
    sync_due_studies(clock.now() + SOON)
    made.refresh_from_db()
    done = ("", "ACTIVE", 2667) if when == "after" else ("", "UNPUBLISHED", 0)
    assert (made.asked, made.status, committed(made)) == done
    assert there.requests[path] == 1


def test_places_that_somebody_else_has_added(there, published, rosa):
    stale = ProlificStudy.objects.select_related("study", "connection").get()
    studies.add_places(published, 1, rosa)
    with pytest.raises(CannotRecruit, match="just now"):
        studies.add_places(stale, 1, rosa)
    assert there.studies[published.prolific_id]["total_available_places"] == 11


def test_what_is_changed_on_prolific_itself_counts(there, connected, rosa):
    spending.set_limit(connected, Decimal("30"), rosa)
    made = drafts.create(connected, DRAFT, rosa)
    there.studies[made.prolific_id]["total_available_places"] = 20
    with pytest.raises(CannotRecruit, match=r"cost 53.33 GBP"):
        studies.publish(made, rosa)
    there.studies[made.prolific_id]["status"] = "ACTIVE"
    sync_due_studies(clock.now() + 2 * SOON)
    made.refresh_from_db()
    assert (made.status, made.places, committed(made)) == ("ACTIVE", 20, 5333)


# --- sums, pauses and ends ----------------------------------------------------------------------
def test_nothing_is_done_for_another_sum_than_was_told(there, connected, rosa):
    spending.set_limit(connected, Decimal("100"), rosa)
    with pytest.raises(CannotRecruit, match=r"costs 26.67 GBP, not 20.00 GBP: check again"):
        drafts.create(connected, DRAFT, rosa, expected=2000)
    made = drafts.create(connected, DRAFT, rosa, expected=2667)
    with pytest.raises(CannotRecruit, match="Nothing was done"):
        studies.publish(made, rosa, expected=2666)
    made = studies.publish(made, rosa, expected=2667)
    with pytest.raises(CannotRecruit, match=r"costs 5.33 GBP, not 2.67 GBP"):
        studies.add_places(made, 2, rosa, expected=267)
    assert (made.places, committed(made)) == (10, 2667)


def test_a_pause_and_an_end(there, published, rosa):
    assert studies.pause(published, rosa).status == "PAUSED"
    with pytest.raises(CannotRecruit, match="is paused; expected active"):
        studies.pause(published, rosa)
    assert studies.resume(published, rosa).status == "ACTIVE"
    there.goes_to(there.take_place(published.prolific_id, "d0ra"), "AWAITING REVIEW")
    assert studies.stop(published, rosa).status == "AWAITING REVIEW"
    for act in (studies.pause, studies.stop, studies.resume):
        with pytest.raises(CannotRecruit, match="is awaiting review; expected"):
            act(published, rosa)
    assert there.studies[published.prolific_id]["status"] == "AWAITING REVIEW"
    actions = set(published.study.trail.values_list("action", flat=True))
    assert {f"{what} on Prolific" for what in ("paused", "resumed", "stopped")} <= actions


@pytest.mark.parametrize("when", ["before", "after"])
def test_no_answer_to_a_pause(there, published, rosa, when):
    getattr(there, f"broken_{when}").add(f"POST studies/{published.prolific_id}/transition/")
    with pytest.raises(Unreachable):
        studies.pause(published, rosa)
    sync_due_studies(clock.now())
    published.refresh_from_db()
    assert published.status == ("PAUSED" if when == "after" else "ACTIVE")


def test_a_study_that_runs_there_is_not_deleted_here(there, published, rosa):
    study = published.study
    close_study(study.slug)
    with pytest.raises(BadStudy, match="Stop it there and approve or reject"):
        delete_study(study.slug, rosa)
    assert study.units.exists()
    studies.stop(published, rosa)
    delete_study(study.slug, rosa)
    assert not ProlificStudy.objects.exists()
