"""Where somebody is logged in: they see it, and log out other browsers."""

import pytest
from django.test import Client

from accounts import own_sessions
from accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "over-the-rosy-hills"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Safari/604.1"
PAGE = "/account/sessions/"


@pytest.fixture
def rosa():
    return User.objects.create_user("rosa", password=PASSWORD)


def log_in(agent: str = "", name: str = "rosa") -> Client:
    client = Client(headers={"User-Agent": agent})
    assert client.post("/login/", {"login": name, "password": PASSWORD}).status_code == 302
    return client


def log_out(client: Client, name: str = "") -> str:
    """Press a button of the page, and say the password once more; the page then."""
    asked = client.post(PAGE, {"name": name})
    assert asked.url.startswith("/account/confirm/"), "a browser left open logs out nobody"
    again = {"password": PASSWORD, "next": PAGE}
    return client.post(asked.url, again, follow=True).content.decode()


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_one_sees_one_s_own_browsers_and_logs_one_out(rosa):
    User.objects.create_user("rita", password=PASSWORD)
    here, phone, hers = log_in(FIREFOX), log_in(IPHONE), log_in(IPHONE, "rita")
    page = here.get(PAGE).content.decode()
    assert "You are logged in with 2 browsers" in page
    assert "Firefox on Linux" in page
    assert "Safari on an iPhone" in page
    for client in (here, phone, hers):
        assert client.session.session_key not in page
    name = own_sessions.digest_of(phone.session.session_key)
    assert "1 browser logged out" in log_out(here, name)
    assert [is_in(client) for client in (here, phone, hers)] == [True, False, True]


def test_all_others_are_logged_out_at_once(rosa):
    here, *others = (log_in() for _ in range(3))
    log_out(here)
    assert [is_in(client) for client in (here, *others)] == [True, False, False]


def test_nobody_else_s_is_ended(rosa):
    User.objects.create_user("eve", password=PASSWORD)
    hers, eves = log_in(), log_in(name="eve")
    log_out(eves, own_sessions.digest_of(hers.session.session_key))
    assert is_in(hers)


def test_a_session_of_an_old_password_is_none(rosa):
    log_in()
    rosa.set_password("under-the-rosy-hills")
    rosa.save()
    assert own_sessions.sessions_of(rosa) == []


def test_an_admin_logs_somebody_out(rosa, admin_client):
    client = log_in()
    chosen = {"action": "log_out", "_selected_action": [rosa.pk]}
    page = admin_client.post("/admin/accounts/user/", chosen, follow=True).content.decode()
    assert "Logged out of 1 browser: rosa" in page
    assert not is_in(client)
    assert is_in(admin_client)
