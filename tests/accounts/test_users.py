"""People who log in, and what the log says of it."""

import logging
import re

import pytest
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client

from accounts.models import User
from accounts.passwords import LABELS, RULES

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "over-the-rosy-hills", "under-the-rosy-hills"
ANEW = {"password1": NEW, "password2": NEW}


@pytest.fixture
def rosa():
    return User.objects.create_user("rosa", "rosa@example.org", PASSWORD)


def log_in(client: Client, password: str = PASSWORD, name: str = "rosa") -> int:
    return client.post("/login/", {"login": name, "password": password}).status_code


def code_of(secret: str) -> str:
    """What an app shows now."""
    counter = next(iter(yield_hotp_counters_from_time()))
    return format_hotp_value(hotp_value(secret, counter))


@pytest.mark.parametrize("name", ["rosa", "rosa@example.org"])
def test_one_logs_in_by_name_or_address(client, rosa, name):
    assert log_in(client, name=name) == 302
    assert client.get("/account/").status_code == 200


@pytest.mark.parametrize(
    "password",
    [
        *("sh0rt-1", "8346120957731", "trustno1", "rosa@example.org"),
        *("Relevance2026", "testserver-judge"),
    ],
)
def test_the_rules_of_passwords_are_shown_once(client, rosa, password):
    """Each rule of the sentence is kept."""
    client.force_login(rosa)
    form = client.get("/account/password/").context["form"]
    assert [field.label for field in form] == list(LABELS.values())
    assert form["password1"].help_text == RULES
    sent = {"oldpassword": PASSWORD, "password1": password, "password2": password}
    answer = client.post("/account/password/", sent)
    assert answer.context["form"].errors.keys() == {"password1"}


def test_wrong_passwords_of_one_name_are_stopped_whoever_tries(rosa):
    for number in range(5):
        assert log_in(Client(REMOTE_ADDR=f"10.0.0.{number}"), "wrong") == 200
    assert log_in(Client(REMOTE_ADDR="10.0.1.1")) == 200, "the right one is refused, for a while"
    User.objects.create_user("rita", password=PASSWORD)
    assert log_in(Client(REMOTE_ADDR="10.0.1.1"), name="rita") == 302


def at(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


def behind_a_proxy(address: str) -> Client:
    return Client(REMOTE_ADDR="127.0.0.1", headers={"X-Forwarded-For": address})


@pytest.mark.parametrize("client_at", [at, behind_a_proxy])
def test_wrong_names_from_one_address_are_stopped(rosa, client_at):
    for number in range(20):
        assert log_in(client_at("10.0.0.1"), "wrong", f"somebody{number}") == 200
    assert log_in(client_at("10.0.0.1")) == 200
    assert log_in(client_at("10.0.0.2")) == 302


def test_nobody_signs_up(client):
    assert client.get("/signup/").url == "/login/"
    client.post("/signup/", {"username": "eve", "password1": PASSWORD, "password2": PASSWORD})
    assert not User.objects.exists()


def test_a_second_factor_from_set_up_to_recovery(client, rosa):
    log_in(client)
    confirm = client.get("/account/code/on/").url
    page = client.post(confirm, {"password": PASSWORD}, follow=True).content.decode()
    secret = re.search(r"<code>(\w+)</code>", page)[1]
    assert client.post("/account/code/on/", {"code": "000000"}).status_code == 200
    assert client.post("/account/code/on/", {"code": code_of(secret)}).status_code == 302
    codes = re.findall(
        r"<code>(\d+)</code>", client.get("/account/code/recovery/").content.decode()
    )
    assert len(codes) == 10
    client.post("/logout/")
    assert client.post("/login/", {"login": "rosa", "password": PASSWORD}).url == "/login/code/"
    assert client.get("/account/").status_code == 302, "the password alone does not open it"
    assert client.post("/login/code/", {"code": "12345678"}).status_code == 200
    assert client.post("/login/code/", {"code": codes[0]}).status_code == 302
    assert client.get("/account/").status_code == 200
    client.post("/logout/")
    client.post("/login/", {"login": "rosa", "password": PASSWORD})
    assert client.post("/login/code/", {"code": codes[0]}).status_code == 200, "it works once"


def test_a_changed_password_is_confirmed(client, rosa):
    log_in(client)
    changed = client.post("/account/password/", {"oldpassword": PASSWORD, **ANEW}, follow=True)
    assert changed.request["PATH_INFO"] == "/account/"
    assert "successfully changed" in changed.content.decode()
    assert log_in(Client(), NEW) == 302


def test_a_forgotten_password_by_mail(client, rosa, settings, mailoutbox):
    client.post("/password/", {"email": "rosa@example.org"})
    assert mailoutbox == [], "no mail server, no mail"
    page = client.get("/password/").content.decode()
    assert "sends no e-mail" in page
    assert '<input type="email"' not in page
    settings.EMAIL_URL = "smtp://somewhere"
    assert client.post("/password/", {"email": "rosa@example.org"}).status_code == 302
    link = re.search(r"http://testserver(/password/\S+)", mailoutbox[0].body)[1]
    assert client.post(client.get(link).url, ANEW).status_code == 302
    assert log_in(client, NEW) == 302
    assert "no longer" in Client().get(link, follow=True).content.decode()


def test_an_admin_hands_over_a_link_to_a_new_password(client, rosa, admin_client):
    chosen = {"action": "password_link", "_selected_action": [rosa.pk]}
    page = admin_client.post("/admin/accounts/user/", chosen, follow=True).content.decode()
    link = re.search(r"http://testserver(/password/[^\s<]+)", page)[1]
    assert client.post(client.get(link).url, ANEW).status_code == 302
    assert log_in(client, NEW) == 302


# --- the log says what people do to get in, and not who they are ----------------------------------
def test_log_ins_and_what_fails_are_logged_by_number(rosa, client, caplog):
    caplog.set_level(logging.INFO, "accounts.auth_log")
    log_in(client, "wrong-and-typed")
    log_in(client)
    client.post("/account/password/", {"oldpassword": PASSWORD, **ANEW})
    client.post("/logout/")
    lines = [record.getMessage() for record in caplog.records if record.name == "accounts.auth_log"]
    assert lines == [
        "a log-in failed",
        f"user {rosa.pk} logged in",
        f"user {rosa.pk} changed their password",
        f"user {rosa.pk} logged out",
    ]
    for secret in ("rosa", "wrong-and-typed", PASSWORD, NEW, "127.0.0.1"):
        assert secret not in "\n".join(lines)


def test_a_wrong_code_is_logged(rosa, client, caplog):
    TOTP.activate(rosa, generate_totp_secret())
    log_in(client)
    client.post("/login/code/", {"code": "000000"})
    assert f"user {rosa.pk} entered a wrong code" in caplog.text
