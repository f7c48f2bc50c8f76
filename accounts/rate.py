"""The rate limit of the API, counted over all processes."""

from typing import Any

from django.conf import settings
from django.db import connection
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.models import Token

# One statement, so that no two requests count as one; the ORM has no ON CONFLICT that adds.
COUNT = """
    INSERT INTO accounts_requestcount AS kept (asker, minute, requests)
    VALUES (%s, date_trunc('minute', clock_timestamp()), 1)
    ON CONFLICT (asker) DO UPDATE SET minute = excluded.minute, requests = 1
        + CASE WHEN kept.minute = excluded.minute THEN kept.requests ELSE 0 END
    RETURNING requests, extract(epoch FROM minute + '1 minute' - clock_timestamp())
"""


class TokenThrottle(BaseThrottle):
    """REQUESTS_PER_MINUTE for each token, or for each user with a session.

    The headers RateLimit-... of each response have the limit, the rest, and the seconds until the
    next minute.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        if not request.user:  # a view that is public
            return True
        limit = settings.REQUESTS_PER_MINUTE
        with connection.cursor() as cursor:
            cursor.execute(COUNT, [_asker(request)])
            requests, seconds = cursor.fetchone()
        self.seconds = max(1, round(seconds))
        headers = {
            "RateLimit-Limit": str(limit),
            "RateLimit-Remaining": str(max(0, limit - requests)),
            "RateLimit-Reset": str(self.seconds),
        }
        view.headers |= headers
        return bool(requests <= limit)

    def wait(self) -> float:
        return self.seconds


def _asker(request: Request) -> str:
    token: Any = request.auth
    return f"token {token.pk}" if isinstance(token, Token) else f"user {request.user.pk}"
