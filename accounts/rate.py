"""How many requests a minute a token may make: all processes count together."""

from typing import Any

from django.conf import settings
from django.db import connection
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.models import Token

# One statement, so that no two requests count as one: the ORM knows no conflict that adds up.
COUNT = """
    INSERT INTO accounts_requestcount AS kept (asker, minute, requests)
    VALUES (%s, date_trunc('minute', clock_timestamp()), 1)
    ON CONFLICT (asker) DO UPDATE SET minute = excluded.minute, requests = 1
        + CASE WHEN kept.minute = excluded.minute THEN kept.requests ELSE 0 END
    RETURNING requests, extract(epoch FROM minute + '1 minute' - clock_timestamp())
"""


class PerToken(BaseThrottle):
    """So many requests a minute of a token; without one, of a person at a browser.

    Every answer says in RateLimit-... how many there may be, how many are left, and in how many
    seconds the next minute begins.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        if not request.user:  # what is there for strangers too
            return True
        most = settings.REQUESTS_PER_MINUTE
        with connection.cursor() as cursor:
            cursor.execute(COUNT, [_asker(request)])
            requests, seconds = cursor.fetchone()
        self.seconds = max(1, round(seconds))
        told = {
            "RateLimit-Limit": str(most),
            "RateLimit-Remaining": str(max(0, most - requests)),
            "RateLimit-Reset": str(self.seconds),
        }
        view.headers |= told
        return bool(requests <= most)

    def wait(self) -> float:
        return self.seconds


def _asker(request: Request) -> str:
    token: Any = request.auth
    return f"token {token.pk}" if isinstance(token, Token) else f"user {request.user.pk}"
