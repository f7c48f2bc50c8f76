"""How long people stay logged in, and what a new secret key leaves them."""

import time
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core import signing
from django.test import Client
from django.utils import timezone

from accounts import sessions
from accounts.models import User
from judging.flow.admission import Arrival
from judging.models import Participant
from judging.pages import identity
from judging.studies.personal_links import participant_of, personal_links
from tests.factory import make_study
from workspace.tasks import purge

pytestmark = pytest.mark.django_db
HOUR = 3600
PASSWORD = "over-the-rosy-hills"


@pytest.fixture
def rosa(client):
    """Somebody who has just logged in, as people do."""
    User.objects.create_user("rosa", password=PASSWORD)
    assert client.post("/login/", {"login": "rosa", "password": PASSWORD}).status_code == 302
    return client


@pytest.fixture
def later(monkeypatch):
    """Let time pass."""
    start, passed = time.time(), [0.0]
    monkeypatch.setattr(sessions.time, "time", lambda: start + passed[0])

    def wait(seconds):
        passed[0] += seconds

    return wait


def is_in(client: Client, **headers: str) -> bool:
    return client.get("/account/", headers=headers).status_code == 200


def test_who_is_away_for_long_is_logged_out(rosa, later):
    later(11.9 * HOUR)
    assert is_in(rosa)
    later(11.9 * HOUR)
    assert is_in(rosa)
    later(12.1 * HOUR)
    assert not is_in(rosa)
    assert not Session.objects.exists(), "the cookie is of no use to whoever has it"


def test_nobody_stays_for_ever(rosa, later):
    for _ in range(33):
        later(10 * HOUR)
        assert is_in(rosa)
    later(10 * HOUR)
    assert not is_in(rosa)


def test_a_page_that_renews_itself_keeps_nobody_logged_in(rosa, later):
    for _ in range(12):
        later(HOUR)
        assert is_in(rosa, **{"Sec-Fetch-Dest": "empty"})
    later(HOUR)
    assert not is_in(rosa, **{"Sec-Fetch-Dest": "empty"})


def test_few_requests_write(rosa, later):
    later(sessions.SEEN_UPDATE_SECONDS - 1)
    seen = Session.objects.get().session_data
    assert is_in(rosa)
    assert Session.objects.get().session_data == seen
    later(2)
    assert is_in(rosa)
    assert Session.objects.get().session_data != seen


def test_a_session_of_the_version_before_goes_on(rosa, later):
    session = rosa.session
    del session[sessions.BEGAN], session[sessions.SEEN]
    session.save()
    assert is_in(rosa)
    later(12.1 * HOUR)
    assert not is_in(rosa)


def test_sessions_that_are_over_are_deleted(rosa):
    purge()
    assert Session.objects.count() == 1
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    purge()
    assert Session.objects.count() == 0


def test_a_worker_s_page_does_not_look_for_a_session(client):
    answer = client.get(f"/study/{make_study().slug}/")
    assert "sessionid" not in answer.cookies
    assert answer.status_code == 200


# --- a new secret key ---------------------------------------------------------------------------
@pytest.fixture
def renewed(settings):
    """Change the secret key, and keep the old one beside it, or not."""
    before = settings.SECRET_KEY

    def renew(*, keeps_old):
        settings.SECRET_KEY = "of today" * 8
        settings.SECRET_KEY_FALLBACKS = [before] if keeps_old else []

    return renew


@pytest.mark.parametrize("keeps_old", [True, False])
def test_what_the_old_key_signed_is_good_as_long_as_it_is_kept(rosa, renewed, keeps_old):
    study = make_study(platform="links")
    Participant.objects.create(study=study, external_id="otto")
    cookie = identity.signed_cookie(study.pk, Arrival("ada"))
    [(_, link)] = personal_links(study, "/")
    renewed(keeps_old=keeps_old)
    assert (identity.arrival_of_cookie(study.pk, cookie) is not None) is keeps_old
    token = link.split("=")[1].replace("%3A", ":")
    assert (participant_of(study, token) is not None) is keeps_old
    assert is_in(rosa) is keeps_old


def test_what_is_signed_now_is_signed_by_the_new_key(renewed):
    renewed(keeps_old=True)
    cookie = identity.signed_cookie(1, Arrival("ada"))
    settings.SECRET_KEY_FALLBACKS.clear()
    assert identity.arrival_of_cookie(1, cookie) == Arrival("ada")
    with pytest.raises(signing.BadSignature):
        signing.Signer(key="another key", salt="worker:1").unsign_object(cookie)
