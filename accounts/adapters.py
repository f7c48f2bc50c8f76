import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import filter_users_by_email
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.base.constants import AuthProcess
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse

from accounts.models import User
from web.middleware.proxies import client_address

log = logging.getLogger(__name__)


class Adapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": "The user name or the password is wrong.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        if settings.EMAIL_URL:
            super().send_mail(template_prefix, email, context)

    def send_notification_mail(self, *arguments: Any, **options: Any) -> None:
        """Notify a user of a change, which stands even if the mail server fails."""
        try:
            super().send_notification_mail(*arguments, **options)
        except OSError as fault:  # smtplib's errors are OSErrors as well
            log.warning("a letter about a changed account was not sent: %s", type(fault).__name__)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)


class InstitutionAdapter(DefaultSocialAccountAdapter):
    """Who may log in at the institution, by claims that `accounts.oidc` has verified.

    An account belongs to an issuer and a subject. An e-mail address only says who may have a new
    one: it never leads to an account that exists.
    """

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Refuse an answer to another request, and superusers, whose way in is their password."""
        nonce = sociallogin.state.get("nonce")
        if not nonce or sociallogin.claims.get("nonce") != nonce:
            raise PermissionDenied
        linking = sociallogin.state.get("process") == AuthProcess.CONNECT
        user = request.user if linking else sociallogin.user
        if user.is_superuser:
            raise self._refusal(request)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        claims = sociallogin.claims
        email = str(claims.get("email", ""))
        if (
            claims.get("email_verified") is True
            and email.rpartition("@")[2].lower() in settings.OIDC_DOMAINS
            and not filter_users_by_email(email)
        ):
            return True
        raise self._refusal(request)

    def _refusal(self, request: HttpRequest) -> ImmediateHttpResponse:
        """The same page whatever the reason, so that it does not tell who has an account."""
        log.warning("a log-in at the institution was refused: no account")
        return ImmediateHttpResponse(render(request, "accounts/refused.html", status=403))

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> User:
        """The name is of the verified address: another claim might be an address of others."""
        user: User = super().populate_user(request, sociallogin, data)
        user.username = user.email.partition("@")[0]
        return user

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """Of two first log-ins at once, one makes the account."""
        try:
            with transaction.atomic():
                user: User = super().save_user(request, sociallogin, form)
        except IntegrityError as fault:
            raise PermissionDenied from fault
        return user

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Any = None,
        **_: Any,
    ) -> None:
        reason = type(exception).__name__ if exception else error or "unknown state"
        log.warning("a log-in at the institution failed: %s", reason)

    def send_notification_mail(self, *arguments: Any, **options: Any) -> None:
        Adapter().send_notification_mail(*arguments, **options)

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("socialaccount_connections")
