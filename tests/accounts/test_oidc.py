"""Log-in at an institution, against a real provider: who gets in, and what is refused."""

import base64
import hashlib
import hmac
import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from html import unescape
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test import Client
from django.urls import clear_url_caches

import config.urls
from accounts import oidc
from accounts.models import User
from config.oidc import provider_settings, validate_issuer
from tests.accounts.test_second_factor import SET_UP
from tests.accounts.test_users import PASSWORD, code_of, log_in
from tests.doubles import institution as double
from tests.doubles.institution import CLIENT, KEY, OTHER_KEY, SECRET, Institution, signed

pytestmark = pytest.mark.django_db
ROSA = {
    "sub": "248289761001",
    "email": "Rosa.Klein@uni.example",
    "email_verified": True,
    "name": "Rosa Klein",
    "preferred_username": "root@example.org",
    "picture": "p.png",
}


@pytest.fixture
def uni(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Institution]:
    """A provider that the site trusts; Rosa is logged in there."""
    urls = ModuleType("urls_with_oidc")
    urls.urlpatterns = [*config.urls.urlpatterns, *oidc.urlpatterns]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "urls_with_oidc", urls)
    with double.running() as uni:
        settings.ROOT_URLCONF = "urls_with_oidc"
        settings.OIDC_ISSUER, settings.OIDC_NAME = uni.issuer, "Uni Example"
        settings.OIDC_DOMAINS = ["uni.example"]
        settings.SOCIALACCOUNT_PROVIDERS = provider_settings(
            uni.issuer, "Uni Example", CLIENT, SECRET
        )
        uni.person = dict(ROSA)
        clear_url_caches()
        yield uni
    clear_url_caches()


def leave(client: Client, path: str = "/login/oidc/", **sent: str) -> str:
    """Press the button; returns the address at the institution."""
    page = client.post(path, sent)
    assert page.status_code == 200, page
    return unescape(re.search(r'content="0; url=([^"]+)"', page.content.decode())[1])


def come_back(client: Client, address: str) -> Any:
    """Log in at the institution, and follow it back to the site."""
    back = requests.get(address, allow_redirects=False, timeout=5).headers["Location"]
    parts = urlsplit(back)
    return client.get(f"{parts.path}?{parts.query}")


def enter(client: Client, **sent: str) -> Any:
    return come_back(client, leave(client, **sent))


def user_of(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def test_off_there_is_no_button_and_no_address(client: Client) -> None:
    assert "with" not in re.findall(
        r"<button[^>]*>(.*?)</button>", str(client.get("/login/").content)
    )
    assert client.get("/login/").content.count(b"<form") == 1
    for address in (
        "/login/oidc/",
        "/login/oidc/callback/",
        "/account/oidc/",
        "/account/oidc/link/",
    ):
        assert client.post(address).status_code == 404


# --- the first log-in ---------------------------------------------------------------------------
def test_the_first_log_in_makes_an_account_without_rights(uni: Institution, client: Client) -> None:
    assert "Log in with Uni Example" in client.get("/login/").content.decode()
    back = enter(client, next="/account/")
    assert (back.status_code, back.url) == (302, "/account/")
    user = User.objects.get()
    assert (user.username, user.email) == ("rosa.klein", "rosa.klein@uni.example")
    assert (user.is_superuser, user.is_staff, user.has_usable_password()) == (False,) * 3
    assert not user.groups.exists()
    assert not user.user_permissions.exists()
    linked = SocialAccount.objects.get()
    assert (linked.provider, linked.uid) == (uni.issuer, ROSA["sub"])
    assert linked.extra_data == {}, "nothing more of a person than is needed"
    assert client.get("/account/").status_code == 200
    client.post("/logout/")
    uni.person |= {"email": "klein@other.example", "email_verified": False}
    assert enter(client).url == "/studies/"
    assert user_of(client) == str(user.pk), "issuer and subject are the key"
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "rosa@evil.example"},
        {"email": "rosa@sub.uni.example"},
        {"email": "rosa@uni.example.evil.example"},
        {"email": None},
        {"email_verified": False},
        {"email_verified": "true"},
        {"email_verified": None},
    ],
    ids=str,
)
def test_others_get_no_account(uni: Institution, client: Client, claims: dict[str, Any]) -> None:
    uni.person = {n: v for n, v in (ROSA | claims).items() if v is not None}
    back = enter(client)
    assert back.status_code == 403
    assert "ask the people who run this site for an invitation" in back.content.decode()
    assert not User.objects.exists()
    assert user_of(client) is None


def test_without_a_domain_nobody_gets_an_account(
    uni: Institution, client: Client, settings: Any
) -> None:
    settings.OIDC_DOMAINS = []
    assert enter(client).status_code == 403
    assert not User.objects.exists()


def test_an_address_alone_leads_to_no_account(uni: Institution, client: Client) -> None:
    rosa = User.objects.create_user("rosa", "rosa.klein@UNI.example", PASSWORD)
    assert enter(client).status_code == 403
    assert user_of(client) is None
    assert list(User.objects.all()) == [rosa]
    assert not SocialAccount.objects.exists()


def test_a_name_that_is_taken(uni: Institution, client: Client) -> None:
    User.objects.create_user("rosa.klein")
    enter(client)
    assert User.objects.latest("id").username not in ("rosa.klein", "root@example.org")


@pytest.mark.django_db(transaction=True)
def test_of_two_first_log_ins_at_once_one_makes_the_account(uni: Institution) -> None:
    browsers = [Client(), Client()]
    places = [leave(browser) for browser in browsers]
    came: list[int] = []

    def arrive(browser: Client, place: str) -> None:
        came.append(come_back(browser, place).status_code)
        connection.close()

    threads = [
        threading.Thread(target=arrive, args=each) for each in zip(browsers, places, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(came) <= {302, 401, 403}
    assert 302 in came
    assert (User.objects.count(), SocialAccount.objects.count()) == (1, 1)


# --- answers that are not accepted --------------------------------------------------------------
def unsigned(claims: dict[str, Any]) -> str:
    parts = [{"alg": "none", "kid": "k1"}, claims]
    return (
        ".".join(
            base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts
        )
        + "."
    )


def signed_by_the_public_key(claims: dict[str, Any]) -> str:
    """With an algorithm that takes the published key for a secret."""
    pem = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    parts = [{"alg": "HS256", "kid": "k1"}, claims]
    text = b".".join(base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=") for p in parts)
    mac = base64.urlsafe_b64encode(hmac.new(pem, text, hashlib.sha256).digest()).rstrip(b"=")
    return (text + b"." + mac).decode()


WRONG: dict[str, dict[str, Any]] = {
    "issuer": {"claims": {"iss": "https://evil.example"}},
    "audience": {"claims": {"aud": "another site"}},
    "expired": {"claims": {"exp": int(time.time()) - 60}},
    "nonce": {"claims": {"nonce": "of another log-in"}},
    "no nonce": {"claims": {"nonce": None}},
    "subject": {"userinfo": {"sub": "somebody else"}},
    "no subject": {"claims": {"sub": None}},
    "long subject": {"claims": {"sub": "x" * 192}, "userinfo": {"sub": "x" * 192}},
    "key": {"forge": lambda claims: signed(claims, OTHER_KEY)},
    "no signature": {"forge": unsigned},
    "public key": {"forge": signed_by_the_public_key},
    "no token": {"forge": lambda claims: None},
    "no JSON": {"forge": lambda claims: "a.b.c"},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_answer_logs_nobody_in(
    uni: Institution, client: Client, wrong: str, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in WRONG[wrong].items():
        setattr(uni, name, value)
    back = enter(client)
    assert back.status_code == 401
    assert "The log-in with Uni Example failed" in back.content.decode()
    assert "a log-in at the institution failed" in caplog.text
    assert user_of(client) is None
    assert not User.objects.exists()


def test_another_issuer_than_the_discovered_one(
    uni: Institution, client: Client, settings: Any
) -> None:
    settings.OIDC_ISSUER = uni.issuer + "/"
    settings.SOCIALACCOUNT_PROVIDERS = provider_settings(uni.issuer + "/", "Uni", CLIENT, SECRET)
    assert enter(client).status_code == 401


def test_state_and_code_are_of_one_browser_and_one_use(uni: Institution, client: Client) -> None:
    place = leave(client)
    back = requests.get(place, allow_redirects=False, timeout=5).headers["Location"]
    path = back.removeprefix("http://testserver")
    stranger = Client()
    assert stranger.get(path).status_code == 401, "a state of another browser"
    assert client.get(path.replace("state=", "state=x")).status_code == 401
    leave(stranger)
    assert stranger.get(path).status_code == 401
    assert client.get(path).status_code == 302
    client.post("/logout/")
    assert client.get(path).status_code == 401, "once"


def test_who_cancels_comes_back_to_the_log_in(uni: Institution, client: Client) -> None:
    uni.person = None
    assert come_back(client, leave(client)).url == "/login/oidc/cancelled/"
    assert client.get("/login/oidc/cancelled/").url == "/login/"


def test_an_institution_that_does_not_answer(
    uni: Institution, client: Client, settings: Any
) -> None:
    place = leave(client)
    settings.SOCIALACCOUNT_PROVIDERS = provider_settings(
        uni.issuer, "Uni Example", CLIENT, "a secret that was changed"
    )
    assert come_back(client, place).status_code == 401
    uni.discovery = dict  # type: ignore[method-assign]
    assert client.post("/login/oidc/").status_code == 401


def test_log_ins_that_are_begun_are_counted(uni: Institution, client: Client) -> None:
    for _ in range(20):
        leave(client)
    asked = len(uni.asked)
    assert client.post("/login/oidc/").status_code == 429
    assert len(uni.asked) == asked


def test_it_begins_by_a_form_of_this_site_alone(uni: Institution) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.get("/login/oidc/").status_code == 405
    assert strict.post("/login/oidc/").status_code == 403
    assert "evil" not in str(leave(Client(), next="https://evil.example/"))
    client = Client()
    assert enter(client, next="https://evil.example/").url == "/studies/"


# --- linking ------------------------------------------------------------------------------------
@pytest.fixture
def rosa() -> User:
    return User.objects.create_user("rosa", "rosa@example.org", PASSWORD)


def link(client: Client) -> Any:
    """From the account's page, with the password once more."""
    asked = client.post("/account/oidc/link/")
    page = client.post(asked.url, {"password": PASSWORD})
    address = unescape(re.search(r'content="0; url=([^"]+)"', page.content.decode())[1])
    return come_back(client, address)


def test_linked_while_logged_in_and_unlinked(
    uni: Institution,
    client: Client,
    rosa: User,
    mailoutbox: list[Any],
    settings: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    settings.EMAIL_URL = "memory://"
    uni.person |= {"email": "klein@elsewhere.example", "email_verified": False}
    assert client.post("/account/oidc/link/").url.startswith("/login/")
    log_in(client)
    assert link(client).url == "/account/oidc/"
    assert "You can log in with Uni Example" in client.get("/account/oidc/").content.decode()
    assert f"user {rosa.pk} linked" in caplog.text
    assert "linked" in mailoutbox[-1].subject
    client.post("/logout/")
    assert enter(client).url == "/studies/"
    assert user_of(client) == str(rosa.pk)
    rosa.refresh_from_db()
    assert rosa.email == "rosa@example.org"

    linked = SocialAccount.objects.get()
    asked = client.post("/account/oidc/", {"account": linked.pk})
    assert SocialAccount.objects.exists(), "not before the password"
    client.post(asked.url, {"password": PASSWORD})
    assert not SocialAccount.objects.exists()
    assert f"user {rosa.pk} unlinked" in caplog.text
    client.post("/logout/")
    assert enter(client).status_code == 403


def test_a_log_in_belongs_to_one_account(uni: Institution, client: Client, rosa: User) -> None:
    log_in(client)
    link(client)
    User.objects.create_user("ben", password=PASSWORD)
    other = Client()
    other.post("/login/", {"login": "ben", "password": PASSWORD})
    link(other)
    assert "linked to another account" in other.get("/account/oidc/").content.decode()
    assert SocialAccount.objects.get().user == rosa
    linked = SocialAccount.objects.get().pk
    other.post("/account/oidc/", {"account": linked})
    assert SocialAccount.objects.get().user == rosa, "nobody unlinks that of another"


def test_who_has_no_password_keeps_the_link(uni: Institution, client: Client) -> None:
    enter(client)
    assert "Unlink" not in client.get("/account/oidc/").content.decode()
    client.post("/account/oidc/", {"account": SocialAccount.objects.get().pk})
    assert SocialAccount.objects.exists()


def test_superusers_neither_link_nor_come_by_a_link(
    uni: Institution, client: Client, rosa: User
) -> None:
    log_in(client)
    link(client)
    client.post("/logout/")
    User.objects.update(is_superuser=True)
    assert enter(client).status_code == 403
    assert user_of(client) is None
    SocialAccount.objects.all().delete()
    log_in(client)
    assert "Superusers always log in with their password" in str(
        client.get("/account/oidc/").content
    )
    assert link(client).status_code == 403
    assert not SocialAccount.objects.exists()


def test_a_closed_account_stays_closed(uni: Institution, client: Client) -> None:
    enter(client)
    client.post("/logout/")
    User.objects.update(is_active=False)
    assert enter(client).url == "/account/inactive/"
    assert user_of(client) is None


# --- the second factor --------------------------------------------------------------------------
def test_the_second_factor_of_this_site_is_asked_for(
    uni: Institution, client: Client, settings: Any
) -> None:
    settings.SECOND_FACTOR = "everybody"
    enter(client)
    assert client.get("/studies/").url == SET_UP
    secret = str(re.search(r"<code>(\w+)</code>", client.get(SET_UP).content.decode())[1])
    client.post(SET_UP, {"code": code_of(secret)})
    assert client.get("/studies/").status_code == 200
    client.post("/logout/")
    assert enter(client).url == "/login/code/"
    assert user_of(client) is None


# --- the settings -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("issuer", "given"),
    [
        ("http://uni.example", {}),
        ("uni.example", {}),
        ("https://uni.example/" + "x" * 200, {}),
        ("https://uni.example", {"client_id": ""}),
        ("https://uni.example", {"client_secret": ""}),
    ],
)
def test_settings_that_are_refused(issuer: str, given: dict[str, str]) -> None:
    with pytest.raises(ImproperlyConfigured, match="OIDC_"):
        validate_issuer(issuer, **{"client_id": "x", "client_secret": "y"} | given)


def test_settings_that_are_accepted() -> None:
    validate_issuer("https://uni.example/realm", client_id="x", client_secret="y")
    validate_issuer("http://localhost:8080", client_id="x", client_secret="y")
