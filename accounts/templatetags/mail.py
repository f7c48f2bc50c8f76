"""What pages ask about e-mail."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def mail_is_sent() -> bool:
    """Whether a mail server is configured."""
    return bool(settings.EMAIL_URL)
