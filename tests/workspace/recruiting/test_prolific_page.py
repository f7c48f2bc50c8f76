"""The page of recruiting on Prolific: the owner's way through it, and who may what."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from judging.models import Study, TrailEntry
from tests.desks import at_desk, post_and_confirm
from tests.doubles.prolific import TOKEN
from tests.workspace.recruiting.conftest import comes, on_prolific
from tests.workspace.recruiting.test_bonuses import WORDS
from web import clock
from web.encryption import digests
from workspace.recruiting import connecting
from workspace.recruiting.sync import INTERVAL, sync_due_studies
from workspace.running.trail_sentences import in_words


def press(desk: Client, study: Study, action: str, **fields: Any) -> HttpResponse:
    sent = {"action": action, **fields}
    return desk.post(f"/studies/{study.slug}/recruit/prolific/", sent, secure=True)


def sure(desk: Client, study: Study, action: str, **fields: Any) -> str:
    """What is asked before it is done; then it is done."""
    address = f"/studies/{study.slug}/recruit/prolific/"
    html, _ = post_and_confirm(desk, address, secure=True, action=action, **fields)
    return " ".join(html.split())


def page(desk: Client, study: Study) -> str:
    response = desk.get(f"/studies/{study.slug}/recruit/prolific/", secure=True)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_owners_way(there, study, rosa):
    desk = at_desk(rosa)
    assert "is not connected with Prolific" in page(desk, study)
    assert press(desk, study, "connect", token=TOKEN).status_code == 302
    assert "Connected with the workspace Methods lab" in page(desk, study)
    press(desk, study, "limit", spending_limit="100")
    asked = sure(desk, study, "create", title="T", description="D", places="3", minutes="15")
    assert "3 places, each paid 2.00 GBP: with all fees 8.00 GBP" in asked
    assert "a draft that nobody sees" in page(desk, study)
    asked = sure(desk, study, "publish")
    assert "It costs 8.00 GBP with all fees. 0.00 GBP of 100.00 GBP are spent already." in asked
    assert "It costs 5.33 GBP" in sure(desk, study, "places", more="2")
    assert "open to participants: 0 of 5 places are taken" in page(desk, study)
    assert "another program" in sure(desk, study, "subscribe")
    (subscription,) = there.subscriptions.values()
    assert subscription["target_url"].startswith("https://testserver/hooks/prolific/")
    assert TOKEN not in page(desk, study)
    told = [in_words(entry) for entry in TrailEntry.objects.filter(study=study)]
    assert "published 3 places on Prolific, for 8.00 GBP" in told
    assert TOKEN not in str(told)


def test_what_a_person_decides(there, published, rosa):
    study, desk = published.study, at_desk(rosa)
    dora, eva = (comes(there, published, name) for name in ("d0ra", "eva"))
    dora.complete()
    dora.complete()
    for person in (dora, eva):
        there.goes_to(person.ids["SESSION_ID"], "AWAITING REVIEW", "CDONE")
    sync_due_studies(clock.now())
    said = page(desk, study)
    for part in ("1 submission with a completed", "1 further unit is", "Sent without a completed"):
        assert part in said
    assert "d0ra" not in said
    assert dora.ids["SESSION_ID"] not in said
    assert "Approve 1 submission?" in sure(desk, study, "approve")
    assert "It costs 2.67 GBP" in sure(desk, study, "bonuses")
    submission = published.submissions.get(participant_id_hash=digests("eva")[0])
    asked = sure(desk, study, "return", submission=submission.pk, reason="You did not judge")
    assert "the reason: You did not judge." in asked
    sync_due_studies(clock.now() + INTERVAL)
    said = page(desk, study)
    assert "a return was asked for" in said
    assert "Approve and pay" not in said


def test_a_rejection_is_asked_about_with_its_words(there, published, rosa):
    study, desk = published.study, at_desk(rosa)
    eva = comes(there, published, "eva")
    there.goes_to(eva.ids["SESSION_ID"], "AWAITING REVIEW")
    sync_due_studies(clock.now())
    sent = {"submission": published.submissions.get().pk, "category": "NO_DATA"}
    form = desk.get(f"/studies/{study.slug}/recruit/prolific/?reject={sent['submission']}")
    assert f'name="submission" value="{sent["submission"]}"' in form.content.decode()
    assert press(desk, study, "reject", reason="Nothing.", **sent).status_code == 422
    assert WORDS in sure(desk, study, "reject", reason=WORDS, **sent)
    assert there.submissions[eva.ids["SESSION_ID"]]["status"] == "REJECTED"
    assert "for good?" in sure(desk, study, "stop")
    assert there.studies[published.prolific_id]["status"] == "COMPLETED"


def test_what_is_refused_is_said(there, connected, rosa):
    desk, study = at_desk(rosa), connected.study
    answer = press(desk, study, "create", title="T", description="D", places="0", minutes="15")
    assert answer.status_code == 422
    answer = press(desk, study, "publish")
    assert (answer.status_code, b"There is a problem" in answer.content) == (422, True)
    answer = press(desk, study, "connect", token="a wrong token of somebody")
    assert b"does not accept the token" in answer.content
    assert b"a wrong token" not in answer.content
    assert press(desk, study, "use", connection="0").status_code == 422


def test_studies_whose_people_are_kept_out_here_are_chosen_there(published, rosa):
    study = on_prolific(rosa, "CTWO")
    connecting.use_connection(study, published.connection, rosa)
    box = f'name="without" value="{published.study.slug}" id="create_without_0"'
    assert f"{box}>" in page(at_desk(rosa), study)
    study.excluded_studies.add(published.study)
    assert f"{box} checked>" in page(at_desk(rosa), study)


@pytest.mark.parametrize("further", ["none", "bonus"])
def test_as_many_people_are_wanted_on_every_page(connected, rosa, further):
    """Where a person does one unit, a place is wanted for each: on Review, Plan, and Prolific."""
    study, desk = connected.study, at_desk(rosa)
    Study.objects.update(further_units=further, stage="draft", opened_at=None)
    takes = desk.get(f"/studies/{study.slug}/set-up/cost/", secure=True).context["costs"]
    review = desk.get(f"/studies/{study.slug}/set-up/", secure=True).context
    opening = desk.get(f"/studies/{study.slug}/set-up/", secure=True).context["terms"]
    form = desk.get(f"/studies/{study.slug}/recruit/prolific/", secure=True).context["forms"][
        "create"
    ]
    assert takes.min_workers == review["worker_count"] == {"none": 12, "bonus": 6}[further]
    assert f"at least {takes.min_workers}." in opening.parts["people"]
    assert form["places"].value() == takes.workers
    assert form["minutes"].value() == takes.minutes
    asked = sure(desk, study, "create", title="T", description="D", places="3", minutes="15")
    assert f"The plan takes about {takes.workers} people" in asked
