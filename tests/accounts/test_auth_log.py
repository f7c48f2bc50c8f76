"""What people do to get in is in the log, and who they are is not."""

import logging

import pytest
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "over-the-rosy-hills"


def test_log_ins_and_what_fails_are_logged_by_number(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "accounts.auth_log")
    rosa = User.objects.create_user("rosa", "rosa@example.org", PASSWORD)
    client = Client()
    client.post("/login/", {"login": "rosa", "password": "wrong-and-typed"})
    client.post("/login/", {"login": "rosa", "password": PASSWORD})
    new = "under-the-rosy-hills"
    sent = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    client.post("/account/password/", sent)
    client.post("/logout/")
    lines = [record.getMessage() for record in caplog.records if record.name == "accounts.auth_log"]
    assert lines == [
        "a log-in failed",
        f"user {rosa.pk} logged in",
        f"user {rosa.pk} changed their password",
        f"user {rosa.pk} logged out",
    ]
    for secret in ("rosa", "wrong-and-typed", PASSWORD, new, "127.0.0.1"):
        assert secret not in "\n".join(lines)


def test_a_wrong_code_is_logged(caplog: pytest.LogCaptureFixture, client: Client) -> None:
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

    rosa = User.objects.create_user("rosa", password=PASSWORD)
    TOTP.activate(rosa, generate_totp_secret())
    client.post("/login/", {"login": "rosa", "password": PASSWORD})
    client.post("/login/code/", {"code": "000000"})
    assert f"user {rosa.pk} entered a wrong code" in caplog.text
