"""How log-in by allauth behaves here."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from web.proxies import sender


class Adapter(DefaultAccountAdapter):
    """Nobody signs up by themselves; requests are counted by the address that they come from."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a message, where there is a mail server."""
        if settings.EMAIL_URL:
            super().send_mail(template_prefix, email, context)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """The page that says that the password is changed."""
        return reverse("account")

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address that a request comes from."""
        return sender(request)
