"""Cookies have names that no other host can set; those of version 0.1 are known for a while."""

from collections.abc import Iterator

import pytest
from django.conf import settings as given
from django.test import Client

from accounts.models import User
from judging.models import IdKeys
from operations.upgrading import before
from tests.factory import make_study
from web.cookie_names import CSRF, SESSION, WORKER, host_cookie

pytestmark = pytest.mark.django_db
PASSWORD = "over-the-rosy-hills"
NEW = {SESSION: "__Host-sessionid", CSRF: "__Host-csrftoken", WORKER: "__Secure-worker"}


@pytest.fixture(autouse=True)
def _https(settings) -> Iterator[None]:
    settings.HTTPS = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.SESSION_COOKIE_NAME = host_cookie(SESSION, https=True)
    settings.CSRF_COOKIE_NAME = host_cookie(CSRF, https=True)
    before.forget()
    yield
    before.forget()


@pytest.fixture
def _beside_v0_1() -> None:
    IdKeys.of_site()
    IdKeys.objects.update(seals=False)


def browser(**cookies: str) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.cookies.load(cookies)
    return client


def test_each_name_has_its_prefix() -> None:
    """`__Host-` wants the path / and no domain, both want Secure: else browsers refuse them."""
    User.objects.create_user("rosa", password=PASSWORD)
    client, study = Client(), make_study()
    client.get(f"/study/{study.slug}/")
    client.get("/login/")
    client.post("/login/", {"login": "rosa", "password": PASSWORD})
    of_study = f"{NEW[WORKER]}-{study.pk}"
    assert set(client.cookies) == {NEW[SESSION], NEW[CSRF], of_study}
    for name, cookie in client.cookies.items():
        assert cookie["secure"]
        assert not cookie["domain"]
        assert cookie["path"] == ("/" if name.startswith("__Host-") else "/study/")
        assert bool(cookie["httponly"]) is (name != NEW[CSRF])


def session_of(name: str) -> str:
    """What the cookie of somebody's session says, by whichever name."""
    client = Client()
    client.force_login(User.objects.create_user(name))
    return client.cookies[NEW[SESSION]].value


def test_who_was_here_before_stays() -> None:
    session, token = session_of("rosa"), "a" * 32
    client = browser(**{SESSION: session, CSRF: token})
    assert client.get("/account/").status_code == 200
    assert client.cookies[NEW[SESSION]].value == session
    assert client.cookies[NEW[CSRF]].value == token
    assert client.cookies[SESSION].value == client.cookies[CSRF].value == "", "deleted"
    del client.cookies[SESSION], client.cookies[CSRF]
    assert client.get("/account/").status_code == 200


@pytest.mark.usefixtures("_beside_v0_1")
def test_beside_version_0_1_each_is_set_by_both_names() -> None:
    client, slug = Client(), make_study().slug
    client.get(f"/study/{slug}/")
    mine, other = client.cookies[NEW[CSRF]], client.cookies[CSRF]
    assert mine.value == other.value
    assert dict(mine) == dict(other)


def test_a_planted_cookie_by_an_old_name_counts_for_nothing() -> None:
    client = browser(**{NEW[SESSION]: session_of("rosa"), SESSION: session_of("mallory")})
    assert "Your account, rosa" in client.get("/account/").content.decode()
    assert client.cookies[SESSION].value == ""


def test_without_https_names_are_plain(settings) -> None:
    settings.HTTPS = False
    client, study = Client(), make_study()
    client.get(f"/study/{study.slug}/")
    assert f"{WORKER}-{study.pk}" in client.cookies
    assert f"{NEW[WORKER]}-{study.pk}" not in client.cookies
    assert given.MESSAGE_STORAGE == "web.messages.Storage"
