import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from web.middleware.proxies import client_address

log = logging.getLogger(__name__)


class Adapter(DefaultAccountAdapter):
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
