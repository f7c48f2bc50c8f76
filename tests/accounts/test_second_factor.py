"""A second factor that is asked for, and how its secrets are kept."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from accounts import sealed_factors
from accounts.models import User
from accounts.tokens import make_token
from judging.models import IdKeys
from tests.accounts.test_users import PASSWORD, code_of, log_in
from tests.factory import make_study

pytestmark = pytest.mark.django_db
SET_UP = "/account/code/on/"


@pytest.fixture
def rosa() -> User:
    return User.objects.create_user("rosa", "rosa@example.org", PASSWORD)


def set_up(client: Client) -> str:
    """Set up a second factor; returns its key."""
    log_in(client)
    client.post(client.get(SET_UP).url, {"password": PASSWORD})
    page = client.get(SET_UP).content.decode()
    assert ("This site asks for a second factor" in page) is (settings.SECOND_FACTOR != "nobody")
    return str(re.search(r"<code>(\w+)</code>", page)[1])


def test_who_has_none_sets_it_up_before_anything_else(client: Client, rosa, settings) -> None:
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


def test_only_admins_need_it(client: Client, admin_client: Client, rosa, settings) -> None:
    settings.SECOND_FACTOR = "admins"
    log_in(client)
    assert client.get("/studies/").status_code == 200
    assert admin_client.get("/admin/").url == SET_UP
    assert admin_client.get("/studies/").url == SET_UP


def test_whom_it_does_not_concern(client: Client, rosa, settings) -> None:
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


def test_its_secrets_cannot_be_read_in_the_database(client: Client, rosa) -> None:
    secret = set_up(client)
    client.post(SET_UP, {"code": code_of(secret)})
    assert len(stored()) == 2
    assert all(text.startswith(sealed_factors.SEALED) for text in stored())
    assert secret not in str(stored())


def test_those_of_version_0_1_are_sealed_when_it_is_gone(client: Client, rosa, settings) -> None:
    IdKeys.of_site()
    IdKeys.objects.update(seals=False)
    secret = set_up(client)
    client.post(SET_UP, {"code": code_of(secret)})
    assert secret in stored(), "version 0.1 reads it"
    call_command("reseal")
    assert secret in stored()
    call_command("finish_upgrade")
    assert all(text.startswith(sealed_factors.SEALED) for text in stored())
    before = stored()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "of today" * 8, [settings.SECRET_KEY]
    call_command("reseal")
    assert not set(before) & set(stored())
    settings.SECRET_KEY_FALLBACKS = []
    log_in(again := Client())
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    assert again.post("/login/code/", {"code": codes[0]}).status_code == 302
