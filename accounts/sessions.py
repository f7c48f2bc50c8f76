"""How long somebody stays logged in: until they have done nothing for a while, and never for long.

A page that renews itself by script is no sign that somebody is there.
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
NOTED_SECONDS = 300  # how late it may be known that somebody was there, so that few requests write


@receiver(user_logged_in)
def begin(request: HttpRequest | None = None, **_: Any) -> None:
    """Note when somebody has logged in."""
    if request is not None:
        request.session[BEGAN] = request.session[SEEN] = int(time.time())
        request.session[BROWSER] = browser_of(request.headers.get("User-Agent", ""))


def sessions_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Log out whoever was away for SESSION_IDLE_SECONDS, or came SESSION_LONGEST_SECONDS ago."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            now = int(time.time())
            if is_over(request.session, now):
                logout(request)
            elif _is_somebody(request):
                _note(request.session, now)
        return get_response(request)

    return middleware


def is_over(session: SessionBase | dict[str, Any], now: int) -> bool:
    """Whether a session's time is up; one that says nothing of it began before it was noted."""
    began, seen = session.get(BEGAN, now), session.get(SEEN, now)
    return (
        now - began > settings.SESSION_LONGEST_SECONDS or now - seen > settings.SESSION_IDLE_SECONDS
    )


def _is_somebody(request: HttpRequest) -> bool:
    """Whether a request is of a person: browsers say of a script's that it is for no page."""
    return request.method != "GET" or request.headers.get("Sec-Fetch-Dest") != "empty"


def _note(session: SessionBase, now: int) -> None:
    if BEGAN not in session:
        session[BEGAN] = now
    if now - session.get(SEEN, 0) > NOTED_SECONDS:
        session[SEEN] = now


def forget_sessions(now: datetime) -> int:
    """Delete the sessions that no cookie opens any more; returns how many."""
    return Session.objects.filter(expire_date__lt=now).delete()[0]
