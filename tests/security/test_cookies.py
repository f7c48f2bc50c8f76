"""Cookies have names that no other host can set."""

import pytest
from django.conf import settings as given
from django.test import Client

from accounts.models import User
from tests.factory import make_study
from web.cookie_names import CSRF, SESSION, WORKER, host_cookie

pytestmark = pytest.mark.django_db
PASSWORD = "over-the-rosy-hills"
NEW = {SESSION: "__Host-sessionid", CSRF: "__Host-csrftoken", WORKER: "__Secure-worker"}


@pytest.fixture(autouse=True)
def _https(settings):
    settings.HTTPS = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.SESSION_COOKIE_NAME = host_cookie(SESSION, https=True)
    settings.CSRF_COOKIE_NAME = host_cookie(CSRF, https=True)


def test_each_name_has_its_prefix():
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


def test_a_cookie_by_a_name_that_others_can_set_counts_for_nothing():
    client = Client()
    client.force_login(User.objects.create_user("mallory"))
    client.cookies[SESSION] = client.cookies.pop(NEW[SESSION]).value
    assert client.get("/account/").status_code == 302


def test_without_https_names_are_plain(settings):
    settings.HTTPS = False
    client, study = Client(), make_study()
    client.get(f"/study/{study.slug}/")
    assert f"{WORKER}-{study.pk}" in client.cookies
    assert f"{NEW[WORKER]}-{study.pk}" not in client.cookies
    assert given.MESSAGE_STORAGE == "web.messages.Storage"
