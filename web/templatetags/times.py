"""Times on pages of researchers: in UTC, or by a script in the reader's time zone."""

from datetime import UTC, datetime

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


def in_utc(when: datetime) -> str:
    """To the minute.

    >>> in_utc(datetime(2026, 3, 1, 9, 5, tzinfo=UTC))
    '1 Mar 2026, 09:05 UTC'
    """
    utc = when.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M} UTC"


@register.simple_tag
def ago(when: datetime) -> SafeString:
    return moment(when, naturaltime(when))


@register.simple_tag
def moment(when: datetime, text: str = "") -> SafeString:
    stamp = when.astimezone(UTC).isoformat()
    if text:
        return format_html('<time datetime="{}" title="{}">{}</time>', stamp, in_utc(when), text)
    return format_html('<time datetime="{}" data-clock>{}</time>', stamp, in_utc(when))
