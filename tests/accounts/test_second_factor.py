"""A second factor that is asked for, how its secrets are kept, and letters about an account."""

import re
import smtplib

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.mail.backends import locmem
from django.core.management import call_command
from django.test import Client

from accounts.models import User
from accounts.tokens import make_token
from tests.accounts.test_users import ANEW, NEW, PASSWORD, code_of, log_in
from tests.factory import make_study
from web.encryption import CannotDecrypt

pytestmark = pytest.mark.django_db
SET_UP = "/account/code/on/"


@pytest.fixture
def rosa():
    return User.objects.create_user("rosa", "rosa@example.org", PASSWORD)


def set_up(client: Client) -> str:
    """Set up a second factor; returns its key."""
    log_in(client)
    client.post(client.get(SET_UP).url, {"password": PASSWORD})
    page = client.get(SET_UP).content.decode()
    assert ("This site requires a second factor" in page) is (settings.SECOND_FACTOR != "nobody")
    return str(re.search(r"<code>(\w+)</code>", page)[1])


def test_who_has_none_sets_it_up_before_anything_else(client, rosa, settings):
    settings.SECOND_FACTOR = "everybody"
    log_in(client)
    for address in ("/studies/", "/account/", "/account/password/", "/new-study/"):
        assert client.get(address).url == SET_UP, address
    assert client.post("/account/", {"name": "x", "scope": "read", "days": 30}).url == SET_UP
    refused = client.get("/api/v1/studies/")
    assert (refused.status_code, refused.json()["title"]) == (403, "No second factor")
    secret = set_up(client)
    assert client.post(SET_UP, {"code": code_of(secret)}).url == "/account/code/recovery/"
    assert client.get("/studies/").status_code == 200
    assert client.get("/api/v1/studies/").status_code == 200


def test_only_admins_need_it(client, admin_client, rosa, settings):
    settings.SECOND_FACTOR = "admins"
    log_in(client)
    assert client.get("/studies/").status_code == 200
    assert admin_client.get("/admin/").url == SET_UP
    assert admin_client.get("/studies/").url == SET_UP


def test_whom_it_does_not_concern(client, rosa, settings):
    """Strangers, workers, programs; and who leaves."""
    settings.SECOND_FACTOR = "everybody"
    token = {"Authorization": f"Token {make_token(rosa, 'laptop', 'read', 1)}"}
    assert Client().get("/api/v1/studies/", headers=token).status_code == 200
    assert Client().get("/login/").status_code == 200
    log_in(client)
    assert client.get(f"/study/{make_study().slug}/").status_code == 200
    assert client.post("/logout/").url == "/login/"


def stored() -> list[str]:
    data = Authenticator.objects.order_by("pk").values_list("data", flat=True)
    return [row.get("secret") or row["seed"] for row in data]


@pytest.fixture
def codes(client, rosa):
    """A factor that is set up, with recovery codes; returns its secret."""
    secret = set_up(client)
    client.post(SET_UP, {"code": code_of(secret)})
    return secret


def test_its_secrets_cannot_be_read_in_the_database(codes):
    assert len(stored()) == 2
    assert codes not in str(stored())
    seed = Authenticator.objects.get(type="recovery_codes").wrap()
    assert not any(code in str(stored()) for code in seed.generate_codes())


def test_a_secret_opens_for_its_own_user_and_kind_alone(codes, client):
    """Whoever can write to the database cannot give another user a factor of their own."""
    mine = Authenticator.objects.get(type="totp")
    assert mine.wrap().validate_code(code_of(codes))
    admin = User.objects.create_user("admin", "admin@example.org", PASSWORD)
    theirs = Authenticator.objects.create(user=admin, type="totp", data=dict(mine.data))
    with pytest.raises(CannotDecrypt):
        Authenticator.objects.get(pk=theirs.pk).wrap().validate_code(code_of(codes))


def test_its_secrets_are_encrypted_by_a_new_key(codes, settings):
    before = stored()
    settings.ENCRYPTION_KEYS = ["of today" * 8, *settings.ENCRYPTION_KEYS]
    call_command("rotate_keys")
    assert not set(before) & set(stored())
    settings.ENCRYPTION_KEYS = settings.ENCRYPTION_KEYS[:1]
    log_in(again := Client())
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    assert again.post("/login/code/", {"code": codes[0]}).status_code == 302
    unused = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    assert codes[0] not in unused


# --- whoever has an address is told what was changed of their account -----------------------------
CHANGE = {"oldpassword": PASSWORD, **ANEW}


@pytest.fixture
def mail_server(settings):
    settings.EMAIL_URL = "smtp://somewhere"


@pytest.mark.django_db(transaction=True)
def test_changes_are_notified(client, rosa, mail_server, mailoutbox):
    secret = set_up(client)
    for address, sent in (
        (SET_UP, {"code": code_of(secret)}),
        ("/account/code/recovery/new/", {}),
        ("/account/", {"name": "laptop", "scope": "read", "days": 30}),
        ("/account/code/off/", {}),
        ("/account/password/", CHANGE),
    ):
        client.post(address, sent)
    notified = [re.search(r"changed:\n\n(.*)\n", email.body)[1] for email in mailoutbox]
    assert notified == [
        "Authenticator app activated.",
        "A new set of Two-Factor Authentication recovery codes has been generated.",
        "A token named laptop was created for programs.",
        "Authenticator app deactivated.",
        "Your password has been changed.",
    ]
    for email in mailoutbox:
        assert email.to == ["rosa@example.org"]
        assert "choose a new password at once" in email.body
        assert "127.0.0.1" not in email.body
        assert NEW not in email.body


def test_a_password_is_changed_without_a_mail_server(
    client, rosa, mail_server, monkeypatch, caplog
):
    def fail(*_):
        raise smtplib.SMTPServerDisconnected("rosa@example.org")

    monkeypatch.setattr(locmem.EmailBackend, "send_messages", fail)
    log_in(client)
    assert client.post("/account/password/", CHANGE).url == "/account/"
    assert log_in(Client(), NEW) == 302
    assert "a letter about a changed account was not sent" in caplog.text
    assert "rosa@example.org" not in caplog.text
