"""A mandatory second factor: users without one must set it up before anything else.

SECOND_FACTOR says for whom it is mandatory. API tokens need none: users make them after a log-in.
"""

from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from accounts.models import User
from web.rest.problems import problem

NOBODY, ADMINS = "nobody", "admins"
SET_UP = "mfa_activate_totp"
# The views that are needed to set it up, or to log out.
EXEMPT = (SET_UP, "account_reauthenticate", "account_login", "account_logout", "mfa_authenticate")
WORKER_PREFIX = "/study/"


class SecondFactorMiddleware:
    """Redirects users who must set up a second factor to where they can; refuses API requests."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        if (
            settings.SECOND_FACTOR == NOBODY
            or settings.SESSION_COOKIE_NAME not in request.COOKIES
            or request.path.startswith(WORKER_PREFIX)
            or not must_set_up(request.user)
        ):
            return None
        request.must_set_up_second_factor = True  # type: ignore[attr-defined]  # templates ask
        if request.resolver_match and request.resolver_match.url_name in EXEMPT:
            return None
        if request.path.startswith("/api/v1/"):
            return problem("No second factor", 403, "Set up a second factor first: log in anew.")
        return redirect(SET_UP)


def must_set_up(user: User | AnonymousUser) -> bool:
    if not isinstance(user, User):
        return False
    if settings.SECOND_FACTOR == ADMINS and not (user.is_staff or user.is_superuser):
        return False
    codes_of_app = Authenticator.Type.TOTP
    return not Authenticator.objects.filter(user=user, type=codes_of_app).exists()
