"""A user's own sessions: listed, and ended from another browser.

Workers have no sessions, so there are few, and all are decoded to find a user's.
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
from accounts.sessions import BEGAN, BROWSER, SEEN, is_expired


class UserSession(NamedTuple):
    name: str  # a digest of its key
    browser: str
    began: datetime | None
    seen: datetime | None
    session: Session


def sessions_of(user: User) -> list[UserSession]:
    """The latest first, without those from before a change of password."""
    rows = [_user_session(session, data) for session, data in _live_sessions(user)]
    return sorted(rows, key=lambda row: row.seen or row.session.expire_date, reverse=True)


def _live_sessions(user: User) -> Iterator[tuple[Session, dict[str, Any]]]:
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    now = int(time.time())
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = session.get_decoded()
        if data.get(SESSION_KEY) != str(user.pk) or is_expired(data, now):
            continue
        if any(constant_time_compare(data.get(HASH_SESSION_KEY, ""), valid) for valid in hashes):
            yield session, data


def _user_session(session: Session, data: dict[str, Any]) -> UserSession:
    began, seen = (
        datetime.fromtimestamp(data[what], UTC) if what in data else None for what in (BEGAN, SEEN)
    )
    return UserSession(
        digest_of(session.session_key), data.get(BROWSER, UNKNOWN), began, seen, session
    )


def digest_of(session_key: str) -> str:
    return sha256(session_key.encode()).hexdigest()[:16]


def end_sessions(user: User, *, spared: str = "", name: str = "") -> int:
    """End the session of this name, or without a name all but `spared`; returns how many."""
    keys = [
        row.session.session_key
        for row in sessions_of(user)
        if row.name != spared and (not name or row.name == name)
    ]
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)
