from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from knox.auth import TokenAuthentication as KnoxAuthentication
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from accounts.models import Token, User
from web.middleware.proxies import hashed_client_address

MAX_DAYS = 365
LAST_USED_UPDATE = timedelta(minutes=1)  # between two writes of last_used_at


class NameTaken(ValueError):
    """The user has a token of this name."""


def make_token(user: User, name: str, scope: str, days: int) -> str:
    """Make a token that expires after so many days; returns its secret, which is not stored.

    Raises:
        NameTaken: the user has a token of this name.
    """
    try:
        with transaction.atomic():
            _, secret = Token.objects.create(user, timedelta(days=days), name=name, scope=scope)
    except IntegrityError as fault:
        raise NameTaken(f"You have a token named {name}: choose another name.") from fault
    return str(secret)


class WrongTokenThrottle(SimpleRateThrottle):
    """Counts wrong tokens by client address; used by TokenAuthentication, not by views."""

    rate = settings.WRONG_TOKENS

    def get_cache_key(self, request: Request, view: Any) -> str:
        return f"wrong-tokens-{hashed_client_address(request)}"


class TokenAuthentication(KnoxAuthentication):
    """`Authorization: Token ...`, or `Bearer ...`. Wrong tokens are throttled by client address."""

    def authenticate_header(self, request: Request) -> str:
        """The scheme of the challenge: Bearer where the request used it, else Token."""
        word = get_authorization_header(request).partition(b" ")[0]
        usual: str = super().authenticate_header(request)
        return "Bearer" if word.lower() == b"bearer" else usual

    def authenticate(self, request: Request) -> Any:
        try:
            return super().authenticate(request)
        except AuthenticationFailed:
            wrong = WrongTokenThrottle()
            if not wrong.allow_request(request, None):  # type: ignore[arg-type]
                raise Throttled(wrong.wait(), "Too many wrong tokens.") from None
            raise

    def validate_user(self, auth_token: Token) -> Any:
        """Update last_used_at, to the minute."""
        now = timezone.now()
        if auth_token.last_used_at is None or auth_token.last_used_at < now - LAST_USED_UPDATE:
            Token.objects.filter(pk=auth_token.pk).update(last_used_at=now)
        return super().validate_user(auth_token)

    def _cleanup_token(self, auth_token: Token) -> bool:
        """Whether it has expired. It is not deleted, so that its owner sees it in the list."""
        return auth_token.expiry is not None and auth_token.expiry < timezone.now()


class WithinScope(BasePermission):
    """A token with the scope `read` may only use safe methods."""

    message = "This token may only read: make one with the scope write."

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        token = request.auth
        is_read_only = isinstance(token, Token) and token.scope == Token.Scope.READ
        return request.method in SAFE_METHODS or not is_read_only
