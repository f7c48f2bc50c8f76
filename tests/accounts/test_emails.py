"""Whoever has an address is told what was changed of their account."""

import re
import smtplib

import pytest
from django.core.mail.backends import locmem
from django.test import Client

from accounts.models import User
from tests.accounts.test_second_factor import SET_UP, set_up
from tests.accounts.test_users import PASSWORD, code_of, log_in

pytestmark = pytest.mark.django_db
NEW = "under-the-rosy-hills"
CHANGE = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}


@pytest.fixture(autouse=True)
def _mail(settings) -> None:
    settings.EMAIL_URL = "smtp://somewhere"


@pytest.fixture
def rosa() -> User:
    return User.objects.create_user("rosa", "rosa@example.org", PASSWORD)


@pytest.mark.django_db(transaction=True)
def test_changes_are_notified(client: Client, rosa, mailoutbox) -> None:
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
        "A token named laptop was made for programs.",
        "Authenticator app deactivated.",
        "Your password has been changed.",
    ]
    for email in mailoutbox:
        assert email.to == ["rosa@example.org"]
        assert "Make a new password at once" in email.body
        assert "127.0.0.1" not in email.body
        assert NEW not in email.body


def test_a_password_is_changed_without_a_mail_server(
    client: Client, rosa, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> int:
        raise smtplib.SMTPServerDisconnected("rosa@example.org")

    monkeypatch.setattr(locmem.EmailBackend, "send_messages", fail)
    log_in(client)
    assert client.post("/account/password/", CHANGE).url == "/account/"
    assert log_in(Client(), NEW) == 302
    assert "a letter about a changed account was not sent" in caplog.text
    assert "rosa@example.org" not in caplog.text
