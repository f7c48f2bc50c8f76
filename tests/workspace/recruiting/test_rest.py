"""Recruiting on Prolific by REST: the same acts as the page's, each at the sum that was told."""

from decimal import Decimal
from typing import Any

import pytest

from judging.models import Payment
from tests.desks import Api
from tests.doubles.prolific import TOKEN
from tests.workspace.recruiting.conftest import ADDRESS, comes
from tests.workspace.recruiting.test_bonuses import WORDS
from web import clock
from workspace.recruiting import drafts, spending
from workspace.recruiting.drafts import Draft
from workspace.recruiting.sync import INTERVAL, sync_due_studies


@pytest.fixture
def api(study, rosa):
    return Api(rosa, study.slug)


def at_its_sum(api: Api, act: str, **sent: Any) -> str:
    """Do what costs money: nothing is done before its sum is sent along, nor at another."""
    asked = api("post", f"prolific/{act}/", **sent)
    assert (asked["done"], asked["says"][0][-1]) == (False, "?")
    sent |= {"bonus": asked["bonus"]} if asked["bonus"] else {}
    other = api("post", f"prolific/{act}/", 409, cost="0.01", **sent)
    assert f"It costs {asked['cost']} GBP, not 0.01 GBP" in other["detail"]
    assert api("post", f"prolific/{act}/", cost=asked["cost"], **sent)["done"]
    return str(asked["cost"])


def test_from_a_token_to_what_is_paid(api, there, study):
    api("get", "prolific/", 404)
    assert api.faults("post", "prolific/connect/", token="x").keys() == {"#/token"}
    assert api("post", "prolific/connect/", token=TOKEN)["done"]
    assert TOKEN not in str(api("get", "prolific/connect/"))
    api("post", "prolific/limit/", spending_limit="100")
    draft = {"title": "T", "description": "D", "places": 3, "minutes": 15}
    assert at_its_sum(api, "create", **draft) == "8.00"
    assert at_its_sum(api, "publish") == "8.00"
    assert at_its_sum(api, "places", places=5) == "5.33"
    again = api.faults("post", "prolific/places/", places=5, cost="5.33")
    assert again.keys() == {"#/places"}, "twice changes nothing"
    stands = api("get", "prolific/")
    assert (stands["status"], stands["places"], stands["spent"]) == ("ACTIVE", 5, "13.33 GBP")
    for act, status in (("pause", "PAUSED"), ("resume", "ACTIVE")):
        assert api("post", f"prolific/{act}/")["done"]
        assert api("get", "prolific/")["status"] == status

    recruiting = study.prolific
    dora, eva, carl = (comes(there, recruiting, name) for name in ("d0ra", "eva", "carl"))
    dora.complete()
    dora.complete()
    for person in (dora, eva, carl):
        there.goes_to(person.ids["SESSION_ID"], "AWAITING REVIEW", "CDONE")
    sync_due_studies(clock.now() + INTERVAL)
    assert at_its_sum(api, "approve") == "2.00"
    assert at_its_sum(api, "bonuses") == "2.67"
    assert set(Payment.objects.values_list("state", flat=True)) == {"approved", "paid"}

    sync_due_studies(clock.now() + 3 * INTERVAL)
    waiting = api("get", "prolific/submissions/?status=AWAITING+REVIEW")["results"]
    eva_s, carl_s = (row["id"] for row in waiting)
    assert {row["participant_id"] for row in waiting} == {None}
    wanted = {"submission": eva_s, "reason": "You did not judge"}
    assert not api("post", "prolific/return/", **wanted)["done"]
    assert api("post", "prolific/return/", sure=True, **wanted)["done"]
    api("post", "prolific/return/", 409, sure=True, **wanted)
    wanted = {"submission": carl_s, "category": "FAILED_CHECK", "reason": WORDS}
    assert api.faults("post", "prolific/reject/", **wanted).keys() == {"#/category"}
    wanted["category"] = "NO_DATA"
    assert WORDS in str(api("post", "prolific/reject/", **wanted)["says"])
    assert there.submissions[carl.ids["SESSION_ID"]]["status"] == "AWAITING REVIEW"
    assert api("post", "prolific/reject/", sure=True, **wanted)["done"]
    assert there.submissions[carl.ids["SESSION_ID"]]["status"] == "REJECTED"
    assert not api("post", "prolific/stop/")["done"]
    assert api("post", "prolific/stop/", sure=True)["done"]
    assert api("get", "prolific/")["status"] == "AWAITING REVIEW"


def test_what_was_asked_without_an_answer_is_remembered(api, there, connected, rosa):
    """A request with a key is otherwise one transaction, which an error would take back."""
    spending.set_limit(connected, Decimal("100"), rosa)
    made = drafts.create(connected, Draft("T", "D", ADDRESS, places=3, minutes=15), rosa)
    there.broken_after.add(f"POST studies/{made.prolific_id}/transition/")
    address = f"/api/v1/studies/{api.slug}/prolific/publish/"
    key = {"Idempotency-Key": "once"}
    sent = {"cost": "8.00"}
    answer = api.client.post(address, sent, content_type="application/json", headers=key)
    assert (answer.status_code, "cannot do it just now" in answer.json()["detail"]) == (409, True)
    made.refresh_from_db()
    assert (made.asked, made.asked_cost) == ("publish", 800)


def test_links(api, study):
    entry = f"http://testserver/study/{study.slug}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
    assert api("get", "links/")["entry"].startswith(entry)
    api("get", "personal-links/", 403)
    study.memberships.update(sees_platform_ids=True)
    study.participants.create(external_id="otto")
    (row,) = api("get", "personal-links/")
    assert (row["participant"], "?person=" in row["link"]) == ("otto", True)


def test_signals_and_random_givers(api, there, published):
    comes(there, published, "d0ra").complete()
    signals = api("get", "signals/")
    (row,) = signals["workers"]
    assert (row["tries"], row["stands_out"]) == ({"units": 1, "failed": 0, "most": 0}, [])
    assert signals["by_chance"].startswith("Whose numbers agree")
    rows = api("get", "random-givers/")
    assert [each["limit"] for each in rows] == [None, 3, 2, 1]
    assert rows[-1]["random"]["interval"][0] < 0.5 < rows[0]["random"]["share"]
