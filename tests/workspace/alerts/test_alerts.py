"""Alerts open once, close once, and are reported at most once an hour on each channel."""

import json
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import User
from judging.models import Assignment, Membership, Role, Study, TrailEntry
from tests.cast import Person
from tests.database import at_once, changes_refused
from tests.desks import Api, desk_of
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete
from web import clock
from web.background.leases import lease
from web.findings import Finding, State
from workspace.alerts import channels, sending, watching, webhooks
from workspace.io_tasks import send_alerts
from workspace.models import Alert, AlertMessage, AlertSettings
from workspace.running.trail_sentences import in_words
from workspace.tasks import watch

SITE = "https://judge.example"
HOUR = timedelta(hours=1)
See = Callable[[Finding, Any], int]


@pytest.fixture
def see(study):
    """Look at a light of the study at a moment, and send what is due."""

    def look(light, now):
        watching.update_alerts(study, [light], now)
        return sending.send_due(now)

    return look


@pytest.fixture
def by_mail(study, rosa, settings):
    settings.EMAIL_URL = "memory://"
    channels.set_channels(study, rosa, SITE, [rosa], "")
    return AlertSettings.objects.get()


@pytest.fixture
def by_webhook(study, rosa, receiver, monkeypatch):
    channels.set_channels(study, rosa, SITE, [], receiver.url, lambda *_: ["93.184.215.14"])
    here = partial(webhooks.send, resolve=lambda _: "127.0.0.1", trusted=receiver.trusted)
    monkeypatch.setattr(webhooks, "send", here)
    return AlertSettings.objects.get()


def test_it_is_told_when_it_opens_and_when_it_is_over(see, by_mail, study, stopped, flows):
    for number in range(3):
        see(stopped, later(number))
    (email,) = mail.outbox
    assert email.subject == f"{study.title}: {stopped.sentence}"
    assert (email.to, email.bcc) == ([], ["rosa@lab.example"])
    assert f"{SITE}/studies/{study.slug}/monitor/" in email.body
    for number in range(3):
        see(flows, later(3600 + number))
    assert [flows.sentence in email.body for email in mail.outbox] == [False, True]
    alert = Alert.objects.get()
    assert (alert.opened_at, alert.closed_at) == (later(0), later(3600))


def test_within_an_hour_changes_are_gathered_in_one_letter(see, by_mail, stopped, flows):
    for number in range(12):
        see(flows if number % 2 else stopped, later(300 * number))
    assert len(mail.outbox) == 1
    see(flows, later(3600))
    assert len(mail.outbox) == 2
    assert mail.outbox[1].body.count("Opened") == 5
    assert mail.outbox[1].body.count("Over") == 6


def test_amber_is_told_of_the_flow_alone(see, by_mail):
    see(Finding(State.DEGRADED, "Two stand out.", name="Workers"), NOON)
    see(Finding(State.UNKNOWN, "Paused.", name="Flow"), NOON)
    assert not Alert.objects.exists()
    see(Finding(State.DEGRADED, "Nobody is here.", name="Flow"), NOON)
    assert Alert.objects.get().sentence == "Nobody is here."


def test_a_webhook_gets_it_signed_and_each_change_has_an_id(
    see, by_webhook, study, receiver, stopped
):
    assert see(stopped, NOON) == 1
    ((headers, body),) = receiver.requests
    said = json.loads(body)
    assert said["study"]["address"] == f"{SITE}/studies/{study.slug}/monitor/"
    (change,) = said["changes"]
    assert (change["light"], change["change"]) == ("flow", "opened")
    assert change["sentence"] == stopped.sentence
    assert change["id"] == str(AlertMessage.objects.get().key)
    assert headers["Webhook-Signature"].startswith("v1,")


def test_what_did_not_get_through_is_tried_again_with_the_same_key(
    see, by_webhook, receiver, stopped
):
    receiver.status = 503
    assert see(stopped, NOON) == 0
    assert see(stopped, later(30)) == 0  # too early for the second try
    receiver.status = 200
    assert see(stopped, later(61)) == 1
    keys = [headers["Webhook-Id"] for headers, _ in receiver.requests]
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_after_the_last_try_it_is_given_up_and_said(see, by_webhook, receiver, stopped, desk):
    receiver.status = 500
    for number in range(20):
        see(stopped, later(3600 * number))
    assert len(receiver.requests) == sending.MAX_TRIES
    message = AlertMessage.objects.get()
    assert (message.state, message.tries) == ("failed", sending.MAX_TRIES)
    assert "status 500" in desk.get(address(by_webhook.study)).content.decode()


@pytest.mark.parametrize("fault", [ValueError("odd"), SoftTimeLimitExceeded(), SystemExit(1)])
def test_a_try_counts_however_it_ends(see, by_webhook, stopped, monkeypatch, fault):
    def broken(*_, **__):
        tries.append(AlertMessage.objects.get().tries)
        raise fault

    tries: list[int] = []
    monkeypatch.setattr(webhooks, "send", broken)
    for number in range(20):
        with suppress(SoftTimeLimitExceeded, SystemExit):
            see(stopped, later(3600 * number))
    assert tries == list(range(1, sending.MAX_TRIES + 1)), "each is counted before it is made"
    message = AlertMessage.objects.get()
    assert (message.state, message.tries) == ("failed", sending.MAX_TRIES)
    assert message.fault


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("table", "on", "condition"),
    [
        ("workspace_alert", "INSERT", "NEW.study_id = {study}"),
        ("workspace_alertmessage", "UPDATE", "NEW.alert_id = {alert}"),
    ],
)
def test_a_study_that_fails_holds_up_no_other(
    rosa, stopped, settings, monkeypatch, caplog, table, on, condition
):
    settings.EMAIL_URL = "memory://"
    shown = SimpleNamespace(flow=stopped, anchors=replace(stopped, name="Anchors"))
    monkeypatch.setattr("judging.monitoring.watch.lights", lambda *_: shown)
    failing, other = make_study(), make_study()
    for study in (failing, other):
        Membership.objects.create(study=study, user=rosa, role=Role.OWNER)
        channels.set_channels(study, rosa, SITE, [rosa], "")
    alert = 0
    if on == "UPDATE":
        watching.update_alerts(failing, [stopped], clock.now())
        alert = Alert.objects.get().pk
    refused = condition.format(study=failing.pk, alert=alert)
    with changes_refused(table, refused, on=on), caplog.at_level(logging.ERROR):
        watch()
        send_alerts()
    assert other.title in " ".join(email.subject for email in mail.outbox)
    (logged,) = [record for record in caplog.records if record.exc_info]
    assert failing.slug in logged.getMessage()


def test_one_process_sends_at_a_time(see, by_mail, stopped):
    with lease("alerts"):
        assert see(stopped, later(99)) == 0
    assert see(stopped, later(101)) == 1


def test_nothing_goes_to_who_has_left_the_team(see, by_mail, rosa, stopped):
    rosa.memberships.all().delete()
    assert see(stopped, NOON) == 0
    assert mail.outbox == []
    assert "Nobody who is chosen is in the team" in AlertMessage.objects.get().fault


def test_the_lights_of_a_study_that_stopped_open_one(by_mail, rosa):
    study = make_study(topics=4)
    Membership.objects.create(study=study, user=rosa, role=Role.OWNER)
    channels.set_channels(study, rosa, SITE, [rosa], "")
    for number in range(5):
        complete(study, f"worker-{number % 4}", at=later(200 * number))
    Person(study, "eve", now=later(900)).come_to_documents().judge_up_to(3)
    last = Assignment.objects.get(worker__pseudonym="eve", study=study).active_at
    watching.watch(last + timedelta(seconds=10))
    assert not Alert.objects.exists()
    for minutes in (19, 20):
        watching.watch(last + timedelta(minutes=minutes))
    assert Alert.objects.get().sentence.startswith("Stopped: no form for ")


@pytest.mark.django_db(transaction=True)
def test_many_who_look_at_once_open_one_and_send_one(study, by_mail, stopped, flows):
    def look(light, now):
        watching.update_alerts(study, [light], now)
        sending.send_due(now)

    at_once(*[partial(look, stopped, NOON)] * 6)
    sending.send_due(later(1))
    assert (Alert.objects.count(), AlertMessage.objects.count(), len(mail.outbox)) == (1, 1, 1)
    at_once(*[partial(look, flows, later(3600))] * 6)
    sending.send_due(later(3601))
    assert Alert.objects.exclude(closed_at=None).count() == 1
    assert (AlertMessage.objects.count(), len(mail.outbox)) == (2, 2)


def test_two_open_alerts_of_a_light_cannot_be(study):
    said = {"study": study, "light": "Flow", "sentence": "Stopped.", "opened_at": NOON}
    Alert.objects.create(**said)
    with pytest.raises(IntegrityError), transaction.atomic():
        Alert.objects.create(**said)
    with pytest.raises(IntegrityError), transaction.atomic():
        Alert.objects.create(**said | {"light": "Anchors"}, closed_at=NOON - HOUR)


# --- the page ---------------------------------------------------------------------------------


def address(study: Study) -> str:
    return f"/studies/{study.slug}/recruit/alerts/"


def test_the_page_says_what_is_wrong_and_keeps_what_was_typed(desk, study):
    typed = {"action": "save", "webhook_url": "https://localhost/hook"}
    page = desk.post(address(study), typed)
    assert page.status_code == 422
    assert "is not on the public internet" in page.content.decode()
    assert "https://localhost/hook" in page.content.decode()
    assert not AlertSettings.objects.exists()


def test_a_secret_is_shown_once_and_the_trail_has_no_path(desk, study, rosa, monkeypatch):
    monkeypatch.setattr(channels, "public_address", lambda *_: "93.184.215.14")
    typed = {"action": "save", "webhook_url": "https://hooks.example/s3cret", "mail_to": [rosa.pk]}
    assert "whsec_" in desk.post(address(study), typed).content.decode()
    assert "whsec_" not in desk.get(address(study)).content.decode()
    entry = TrailEntry.objects.get(action="changed alerts")
    assert "hooks.example" in in_words(entry)
    assert "s3cret" not in str(entry.details)
    assert desk.post(address(study), typed).status_code == 302  # nothing new
    assert TrailEntry.objects.filter(action="changed alerts").count() == 1


def test_a_feed_is_open_to_whoever_has_its_address_until_it_is_closed(
    desk, study, see, stopped, flows
):
    page = desk.post(address(study), {"action": "open-feed"}).content.decode()
    (feed,) = re.findall(r"http://testserver(/feeds/alerts/[\w-]+\.atom)", page)
    see(stopped, NOON)
    answer = Client().get(feed)
    assert answer["Content-Type"].startswith("application/atom+xml")
    assert "no-store" in answer["Cache-Control"]
    atom = "{http://www.w3.org/2005/Atom}"
    (entry,) = ET.fromstring(answer.content).findall(f"{atom}entry")
    assert stopped.sentence in (entry.findtext(f"{atom}title") or "")
    see(flows, later(60))
    assert flows.sentence in Client().get(feed).content.decode()
    again = desk.post(address(study), {"action": "open-feed"}).content.decode()
    (newer,) = re.findall(r"http://testserver(/feeds/alerts/[\w-]+\.atom)", again)
    assert [Client().get(feed).status_code, Client().get(newer).status_code] == [404, 200]
    desk.post(address(study), {"action": "close-feed"})
    assert Client().get(newer).status_code == 404
    assert Client().get("/feeds/alerts/x.atom").status_code == 404


def test_a_stranger_cannot_be_written_to(study, rosa, desk):
    stranger = User.objects.create_user("sam", email="sam@else.example")
    page = desk.post(address(study), {"action": "save", "mail_to": [stranger.pk]})
    assert page.status_code == 422
    with pytest.raises(channels.BadStudy, match="only those of the team"):
        channels.set_channels(study, rosa, SITE, [stranger], "")


def test_viewers_do_not_see_it(study):
    assert desk_of(study, Role.VIEWER).get(address(study)).status_code == 403


def test_the_secret_is_encrypted_and_one_of_another_key_is_told(by_webhook, settings, see, stopped):
    assert by_webhook.secret not in str(AlertSettings.objects.values().get())
    settings.ENCRYPTION_KEYS = ["another"]
    see(stopped, NOON)
    assert "make a new one" in AlertMessage.objects.get().fault


def test_open_alerts_are_objects_in_rest(study, rosa, see, by_mail, stopped, flows):
    api = Api(rosa, study.slug)
    assert api("get", "alerts/")["open_alerts"] == []
    see(stopped, NOON)
    (opened,) = api("get", "alerts/")["open_alerts"]
    alert = Alert.objects.get()
    assert opened == {
        "id": alert.pk,
        "light": "flow",
        "at": NOON.isoformat().replace("+00:00", "Z"),
        "sentence": stopped.sentence,
    }
    see(flows, later(60))
    assert api("get", "alerts/")["open_alerts"] == []
