"""Sessions end after a time without activity, and after a maximum age.

Requests that a page makes by script do not count as activity.
"""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from accounts.browsers import browser_of

BEGAN, SEEN = "began", "seen"  # in a session: seconds since 1970
BROWSER = "browser"  # in a session: in words
SEEN_UPDATE_SECONDS = 300  # between two writes of SEEN


@receiver(user_logged_in)
def mark_login(request: HttpRequest | None = None, **_: Any) -> None:
    if request is not None:
        request.session[BEGAN] = request.session[SEEN] = int(time.time())
        request.session[BROWSER] = browser_of(request.headers.get("User-Agent", ""))


def sessions_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """End a session that was idle for SESSION_IDLE_SECONDS, or is SESSION_MAX_AGE_SECONDS old."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            now = int(time.time())
            if is_expired(request.session, now):
                logout(request)
            elif _is_by_person(request):
                _update_seen(request.session, now)
        return get_response(request)

    return middleware


def is_expired(session: SessionBase | dict[str, Any], now: int) -> bool:
    """A session without these times began before they were stored."""
    began, seen = session.get(BEGAN, now), session.get(SEEN, now)
    return (
        now - began > settings.SESSION_MAX_AGE_SECONDS or now - seen > settings.SESSION_IDLE_SECONDS
    )


def _is_by_person(request: HttpRequest) -> bool:
    """Browsers mark the requests of scripts by Sec-Fetch-Dest."""
    return request.method != "GET" or request.headers.get("Sec-Fetch-Dest") != "empty"


def _update_seen(session: SessionBase, now: int) -> None:
    if BEGAN not in session:
        session[BEGAN] = now
    if now - session.get(SEEN, 0) > SEEN_UPDATE_SECONDS:
        session[SEEN] = now


def purge_sessions(now: datetime) -> int:
    return Session.objects.filter(expire_date__lt=now).delete()[0]
