"""Tokens of the API: made, shown once, and looked at with every request."""

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
from web.proxies import hashed_sender

LONGEST_DAYS = 365
USE_NOTED = timedelta(minutes=1)  # how late the last use may be known


class NameTaken(ValueError):
    """A person has a token of this name."""


def make_token(user: User, name: str, scope: str, days: int) -> str:
    """Make a token that ends after so many days.

    Returns:
        What is shown once and stored nowhere.

    Raises:
        NameTaken: the person has a token of this name.
    """
    try:
        with transaction.atomic():
            _, secret = Token.objects.create(user, timedelta(days=days), name=name, scope=scope)
    except IntegrityError as fault:
        raise NameTaken(f"You have a token named {name}: choose another name.") from fault
    return str(secret)


class WrongTokens(SimpleRateThrottle):
    """Counts wrong tokens by the address that they come from; no view asks for it."""

    rate = settings.WRONG_TOKENS

    def get_cache_key(self, request: Request, view: Any) -> str:
        return f"wrong-tokens-{hashed_sender(request)}"


class TokenAuthentication(KnoxAuthentication):
    """`Authorization: Token ...`, or `Bearer ...`, as much as the tools that people use have it.

    Who tries token after token is stopped for a while.
    """

    def authenticate_header(self, request: Request) -> str:
        """The word before the token: Bearer where the request has that one, else Token."""
        word = get_authorization_header(request).partition(b" ")[0]
        usual: str = super().authenticate_header(request)
        return "Bearer" if word.lower() == b"bearer" else usual

    def authenticate(self, request: Request) -> Any:
        try:
            return super().authenticate(request)
        except AuthenticationFailed:
            wrong = WrongTokens()
            if not wrong.allow_request(request, None):  # type: ignore[arg-type]
                raise Throttled(wrong.wait(), "Too many wrong tokens.") from None
            raise

    def validate_user(self, auth_token: Token) -> Any:
        """Note when it was last used, to the minute."""
        now = timezone.now()
        if auth_token.last_used_at is None or auth_token.last_used_at < now - USE_NOTED:
            Token.objects.filter(pk=auth_token.pk).update(last_used_at=now)
        return super().validate_user(auth_token)

    def _cleanup_token(self, auth_token: Token) -> bool:
        """Whether it has ended. It stays in the list of its owner, who may wonder."""
        return auth_token.expiry is not None and auth_token.expiry < timezone.now()


class WithinScope(BasePermission):
    """Somebody who has logged in; with a token that only reads, nothing is changed."""

    message = "This token may only read: make one with the scope write."

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        token = request.auth
        only_reads = isinstance(token, Token) and token.scope == Token.Scope.READ
        return request.method in SAFE_METHODS or not only_reads
