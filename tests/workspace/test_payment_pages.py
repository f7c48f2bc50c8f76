"""The page to pay from: sums for all of the team, ids for those who may, decisions of owners."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from evaluation.pipeline import evaluate
from judging.models import Membership, Payment, Role, Study
from judging.payments.decisions import refuse, set_question
from tests.desks import desk_of, post_and_confirm
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.payments.test_matching import by_prolific
from web import long_lists


@pytest.fixture
def study(db):
    """Ada came by herself, Dora from Prolific; each has completed a unit."""
    study = make_study(minimum_hourly_pay=1000)
    complete(study, "ada")
    by_prolific(study, "dora")
    return study


@pytest.fixture
def owner(study):
    return desk_of(study)


def page(client: Client, study: Study, path: str = "") -> str:
    response = client.get(f"/studies/{study.slug}/recruit/pay/{path}")
    assert response.status_code == 200
    return response.content.decode()


def post(client: Client, study: Study, path: str = "", **sent: Any) -> HttpResponse:
    return client.post(f"/studies/{study.slug}/recruit/pay/{path}", sent)


def states() -> list[str]:
    return list(Payment.objects.order_by("pk").values_list("state", flat=True))


def pays(client: Client, study: Study, **sent: Any) -> str:
    question, _ = post_and_confirm(client, f"/studies/{study.slug}/recruit/pay/", **sent)
    return str(question)


def test_the_team_sees_sums_and_those_who_may_see_ids(study):
    viewer = desk_of(study, Role.VIEWER)
    html = page(viewer, study)
    assert "1.00 USD" in html
    assert "1,000.00 USD an hour" in html, "paid less than the least that is set"
    code = str(Payment.objects.earliest("pk").assignment.completion_code)
    assert not any(secret in html for secret in ("pid-dora", code, "Approve all"))
    assert viewer.get(f"/studies/{study.slug}/recruit/pay/list.csv").status_code == 403
    Membership.objects.update(sees_platform_ids=True)
    html = page(viewer, study)
    assert "pid-dora" in html
    assert code in html


def test_payments_come_some_a_page_the_newest_first(study, owner, monkeypatch):
    monkeypatch.setattr(long_lists, "ROWS", 1)
    keys = []
    for number in (1, 2):
        html = page(owner, study, f"?page={number}")
        keys += [
            int(key)
            for key in re.findall(rf'href="/studies/{study.slug}/recruit/pay/(\d+)/"', html)
        ]
        assert f"{number} to {number} of 2" in html
    assert keys == sorted(Payment.objects.values_list("pk", flat=True), reverse=True)


def test_an_owner_pays_a_platform_after_a_question(study, owner):
    newest = Payment.objects.latest("pk").pk
    sent = {"action": "paid", "platform": "prolific", "newest": newest}
    assert "1.00 USD; 1.20 with the platform" in pays(owner, study, **sent)
    assert states() == ["owed", "paid"]


def test_what_is_earned_after_the_look_is_not_decided_on(study, owner):
    newest = Payment.objects.earliest("pk").pk
    by_prolific(study, "dan")
    pays(owner, study, action="approve", platform="", newest=newest)
    post(owner, study, action="approve", platform="prolific", newest=newest, sure="yes")
    assert states() == ["approved", "owed", "owed"]


def test_a_file_names_what_is_paid(study, owner):
    Membership.objects.update(sees_platform_ids=True)
    text = b"Submission id,Status\nsession-dora,APPROVED\nsession-other,REJECTED\n"
    file = SimpleUploadedFile("prolific.csv", text)
    pays(owner, study, action="listed", decision="paid", file=file)
    assert states() == ["owed", "paid"]
    wrong = post(owner, study, action="listed", decision="paid", names="FFFF")
    assert (wrong.status_code, "Of no payment here: FFFF." in wrong.content.decode()) == (422, True)
    empty = post(owner, study, action="listed", decision="paid")
    assert empty.status_code == 422


def test_one_payment_is_refused_and_owed_again(study, owner):
    payment = Payment.objects.latest("pk")
    set_question(payment, "Returned on Prolific.")
    assert "1 payment needs a decision" in page(owner, study)
    path = f"{payment.pk}/"
    assert "TOO_QUICKLY" not in page(owner, study, path)
    short = post(owner, study, path, action="refuse", category="LOW_EFFORT", reason="Machine.")
    assert (short.status_code, states()) == (422, ["owed", "owed"])
    post(owner, study, path, action="refuse", category="LOW_EFFORT", reason="Machine work. " * 10)
    assert states() == ["owed", "refused"]
    post(owner, study, path, action="owe")
    assert states() == ["owed", "owed"]


def test_lists_to_pay_from_are_files(study, owner):
    Membership.objects.update(sees_platform_ids=True)
    account = Payment.objects.latest("pk").account
    account.external_id = "=cmd()"
    account.save()
    everything = page(owner, study, "list.csv").splitlines()
    assert everything[0].startswith("platform,participant,submission,code")
    assert len(everything) == 3
    assert page(owner, study, "list.csv?layout=prolific-approvals") == "'=cmd()\n"
    assert (
        owner.get(f"/studies/{study.slug}/recruit/pay/list.csv?layout=nonsense").status_code == 404
    )


def test_pay_below_the_minimum_of_the_currency_is_amber_without_a_minimum_of_ones_own(db):
    study = make_study(payment="0.20", minimum_hourly_pay=None, redundancy=6)
    for number in range(5):
        complete(study, f"worker-{number}", seconds=60)
    client = desk_of(study, Role.VIEWER)
    html = page(client, study)
    assert '<p class="notice">At least half of the people' in html
    assert "less than 12.00 USD an hour" in html
    evaluate(study)
    state = client.get(f"/studies/{study.slug}/").context["cards"]
    (card,) = [card for card in state if card.name == "state"]
    assert "below the minimum of $12.00" in card.why
    assert card.state.word == "check"
    Study.objects.update(minimum_hourly_pay=0)
    assert "half of the people" not in page(client, study)


def test_volunteers_are_not_said_to_be_paid_too_little(db):
    study = make_study(payment="0", minimum_hourly_pay=None)
    complete(study, "ada", seconds=60)
    assert "an hour" not in page(desk_of(study, Role.VIEWER), study)


def test_who_decides_second_reads_what_the_payment_is(study, owner):
    key = Payment.objects.order_by("pk").values_list("pk", flat=True)[0]
    refuse(study, key, "other", "No unit of theirs is about the topic.", None)
    response = owner.post(
        f"/studies/{study.slug}/recruit/pay/{key}/", {"action": "approve"}, follow=True
    )
    assert "Nothing was changed: the payment is refused." in response.content.decode()
