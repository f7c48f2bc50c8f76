"""Tokens of programs."""

import io
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import Token, User
from accounts.tokens import make_token

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/studies/"


@pytest.fixture
def rita():
    return User.objects.create_user("rita")


def status_of(secret: str, method: str = "get", **more: str) -> int:
    client = Client(headers={"Authorization": f"Token {secret}"}, **more)
    return getattr(client, method)(ADDRESS).status_code


def by_command(name: str, *options: str) -> str:
    printed = io.StringIO()
    call_command("create_token", name, *options, stdout=printed)
    return printed.getvalue().strip()


def test_several_work_side_by_side_and_each_ends_alone(rita):
    first, second = by_command("rita"), by_command("rita", "--name", "notebook")
    assert (status_of(first), status_of(second)) == (200, 200)
    Token.objects.get(name="notebook").delete()
    assert (status_of(first), status_of(second)) == (200, 401)


def test_only_a_digest_is_stored(rita):
    secret = by_command("rita")
    stored = str(Token.objects.values().get())
    assert secret not in stored
    assert secret[15:] not in stored


@pytest.mark.parametrize(("scope", "status"), [("read", 403), ("write", 415)])
def test_a_token_that_reads_changes_nothing(rita, scope, status):
    assert status_of(make_token(rita, "x", scope, 1), "post") == status


def test_it_ends(rita):
    secret = make_token(rita, "x", "read", 1)
    Token.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert status_of(secret) == 401


def test_its_last_use_is_known(rita):
    secret = make_token(rita, "x", "read", 1)
    assert Token.objects.get().last_used_at is None
    status_of(secret)
    used = Token.objects.get().last_used_at
    assert used is not None
    status_of(secret)
    assert Token.objects.get().last_used_at == used, "to the minute, not with every request"


def test_who_tries_token_after_token_is_stopped(rita):
    secret = make_token(rita, "x", "read", 1)
    assert [status_of("a" * 64, REMOTE_ADDR="10.0.0.1") for _ in range(21)] == [401] * 20 + [429]
    assert status_of(secret, REMOTE_ADDR="10.0.0.1") == 200
    assert status_of("a" * 64, REMOTE_ADDR="10.0.0.2") == 401


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["nobody"], "no user"),
        (["rita", "--days", "0"], "expected 1"),
        (["rita"], "another --name"),
    ],
)
def test_what_the_command_refuses(rita, options, reason):
    make_token(rita, "command line", "read", 1)
    with pytest.raises(CommandError, match=reason):
        by_command(*options)


def test_a_write_token_needs_reauthentication(client, rita):
    """So that whoever sits down at a browser left open goes on for no longer than it is open."""
    rita.set_password("a long word for rita")
    rita.save()
    client.force_login(rita)
    wanted = {"name": "my script", "scope": "write", "days": "30"}
    asks = client.post("/account/", wanted)
    assert asks.url.startswith("/account/confirm/")
    assert not Token.objects.filter(user=rita).exists()
    client.post(asks.url, {"password": "a wrong word", "next": "/account/"})
    assert not Token.objects.filter(user=rita).exists()
    page = client.post(asks.url, {"password": "a long word for rita", "next": "/account/"})
    secret = re.search(r"<code[^>]*>(\w{64})</code>", page.content.decode())[1]
    assert status_of(secret) == 200


def test_on_the_page_one_is_made_shown_once_and_ended(client, rita):
    client.force_login(rita)
    page = client.post("/account/", {"name": "my script", "scope": "read", "days": "30"})
    secret = re.search(r"<code[^>]*>(\w{64})</code>", page.content.decode())[1]
    assert status_of(secret) == 200
    assert secret not in client.get("/account/").content.decode()
    again = client.post("/account/", {"name": "my script", "scope": "read", "days": "30"})
    assert "choose another name" in again.content.decode()
    assert client.post("/account/tokens/my~20script/delete/").status_code == 302
    assert status_of(secret) == 401


def test_nobody_ends_another_s(client, rita):
    make_token(rita, "x", "read", 1)
    client.force_login(User.objects.create_user("otto"))
    assert client.post("/account/tokens/x/delete/").status_code == 404
