"""The browsers in which somebody is logged in: seen by themselves, and logged out from elsewhere.

Only people who log in have sessions, so there are few: all are looked through.
"""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.browsers import UNKNOWN
from accounts.models import User
from accounts.sessions import BEGAN, BROWSER, SEEN, is_over


class LoggedIn(NamedTuple):
    """A browser in which somebody is logged in."""

    name: str  # of the session: it opens nothing
    browser: str
    began: datetime | None
    seen: datetime | None
    session: Session


def logged_in_of(user: User) -> list[LoggedIn]:
    """Where somebody is logged in, the latest first; an old password counts no more."""
    rows = [_told(session, data) for session, data in _sessions_of(user)]
    return sorted(rows, key=lambda row: row.seen or row.session.expire_date, reverse=True)


def _sessions_of(user: User) -> Iterator[tuple[Session, dict[str, Any]]]:
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    now = int(time.time())
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = session.get_decoded()
        if data.get(SESSION_KEY) != str(user.pk) or is_over(data, now):
            continue
        if any(constant_time_compare(data.get(HASH_SESSION_KEY, ""), known) for known in hashes):
            yield session, data


def _told(session: Session, data: dict[str, Any]) -> LoggedIn:
    began, seen = (
        datetime.fromtimestamp(data[what], UTC) if what in data else None for what in (BEGAN, SEEN)
    )
    return LoggedIn(name_of(session.session_key), data.get(BROWSER, UNKNOWN), began, seen, session)


def name_of(session_key: str) -> str:
    """By what a session is named on a page."""
    return sha256(session_key.encode()).hexdigest()[:16]


def end(user: User, *, keep: str = "", name: str = "") -> int:
    """End the session of this name; without one all but that which is kept. Returns how many."""
    keys = [
        row.session.session_key
        for row in logged_in_of(user)
        if row.name != keep and (not name or row.name == name)
    ]
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)
