"""A second factor that the operator insists on: who has none sets it up before anything else.

SECOND_FACTOR says of whom it is asked. Tokens of programs are given to who has logged in, and need
none; nor do workers, who do not log in.
"""

from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from accounts.models import User
from web.problems import problem

NOBODY, ADMINS = "nobody", "admins"
SET_UP = "mfa_activate_totp"
# What one needs to set it up, or to leave.
OPEN = (SET_UP, "account_reauthenticate", "account_login", "account_logout", "mfa_authenticate")
WORKERS = "/study/"


class SecondFactorMiddleware:
    """Lead whoever must set up a second factor to where it is done; refuse their scripts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Called before each view; None: it may answer."""
        if (
            settings.SECOND_FACTOR == NOBODY
            or settings.SESSION_COOKIE_NAME not in request.COOKIES
            or request.path.startswith(WORKERS)
            or not must_set_up(request.user)
        ):
            return None
        request.must_set_up_second_factor = True  # type: ignore[attr-defined]  # templates ask
        if request.resolver_match and request.resolver_match.url_name in OPEN:
            return None
        if request.path.startswith("/api/v1/"):
            return problem("No second factor", 403, "Set up a second factor first: log in anew.")
        return redirect(SET_UP)


def must_set_up(user: User | AnonymousUser) -> bool:
    """Whether somebody may do nothing else before they have a second factor."""
    if not isinstance(user, User):
        return False
    if settings.SECOND_FACTOR == ADMINS and not (user.is_staff or user.is_superuser):
        return False
    codes_of_app = Authenticator.Type.TOTP
    return not Authenticator.objects.filter(user=user, type=codes_of_app).exists()
