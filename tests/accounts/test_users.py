"""People who log in."""

import re

import pytest
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from accounts.models import User
from accounts.passwords import LABELS, RULES

pytestmark = pytest.mark.django_db
PASSWORD = "over-the-rosy-hills"


@pytest.fixture
def rosa() -> User:
    return User.objects.create_user("rosa", "rosa@example.org", PASSWORD)


def log_in(client: Client, password: str = PASSWORD, name: str = "rosa") -> int:
    return client.post("/login/", {"login": name, "password": password}).status_code


def code_of(secret: str) -> str:
    """What an app shows now."""
    counter = next(iter(yield_hotp_counters_from_time()))
    return format_hotp_value(hotp_value(secret, counter))


def test_the_user_model_is_ours():
    assert get_user_model() is User
    assert settings.AUTH_USER_MODEL == "accounts.User"


def test_users_are_in_the_admin(admin_client):
    assert admin_client.get("/admin/accounts/user/").status_code == 200


@pytest.mark.parametrize("name", ["rosa", "rosa@example.org"])
def test_one_logs_in_by_name_or_address(client, rosa, name):
    assert log_in(client, name=name) == 302
    assert client.get("/account/").status_code == 200


@pytest.mark.parametrize(
    "password",
    [
        "sh0rt-1",
        "8346120957731",
        "trustno1",
        "rosa@example.org",
        "Relevance2026",
        "testserver-judge",
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


def test_wrong_names_from_one_address_are_stopped(rosa):
    for number in range(20):
        assert log_in(Client(REMOTE_ADDR="10.0.0.1"), "wrong", f"somebody{number}") == 200
    assert log_in(Client(REMOTE_ADDR="10.0.0.1")) == 200
    assert log_in(Client(REMOTE_ADDR="10.0.0.2")) == 302


def test_behind_a_proxy_clients_are_counted_apart(rosa):
    def from_home(address: str) -> Client:
        return Client(REMOTE_ADDR="127.0.0.1", headers={"X-Forwarded-For": address})

    for number in range(20):
        log_in(from_home("10.0.0.1"), "wrong", f"somebody{number}")
    assert log_in(from_home("10.0.0.1")) == 200
    assert log_in(from_home("10.0.0.2")) == 302


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
    new = "under-the-rosy-hills"
    sent = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    changed = client.post("/account/password/", sent, follow=True)
    assert changed.request["PATH_INFO"] == "/account/"
    assert "successfully changed" in changed.content.decode()
    assert log_in(Client(), new) == 302


def test_a_forgotten_password_by_mail(client, rosa, settings, mailoutbox):
    page = client.get("/password/").content.decode()
    assert "sends no e-mail" in page
    assert '<input type="email"' not in page
    settings.EMAIL_URL = "smtp://somewhere"
    assert client.post("/password/", {"email": "rosa@example.org"}).status_code == 302
    link = re.search(r"http://testserver(/password/\S+)", mailoutbox[0].body)[1]
    form = client.get(link).url
    new = "under-the-rosy-hills"
    assert client.post(form, {"password1": new, "password2": new}).status_code == 302
    assert log_in(client, new) == 302
    assert "no longer" in Client().get(link, follow=True).content.decode()


def test_no_mail_server_no_mail(client, rosa, mailoutbox):
    client.post("/password/", {"email": "rosa@example.org"})
    assert mailoutbox == []


def test_an_admin_hands_over_a_link_to_a_new_password(client, rosa, admin_client):
    chosen = {"action": "password_link", "_selected_action": [rosa.pk]}
    page = admin_client.post("/admin/accounts/user/", chosen, follow=True).content.decode()
    link = re.search(r"http://testserver(/password/[^\s<]+)", page)[1]
    new = "under-the-rosy-hills"
    form = client.get(link).url
    assert client.post(form, {"password1": new, "password2": new}).status_code == 302
    assert log_in(client, new) == 302
