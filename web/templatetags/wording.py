import math
from datetime import date

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from web.words import format_day

register = template.Library()


@register.filter
def whole(number: float) -> int:
    """A number of minutes rounded up, by which a sentence chooses singular or plural.

    >>> whole(60.0), whole(1.5)
    (60, 2)
    """
    return math.ceil(number)


@register.filter
def day(when: date | None) -> str:
    return format_day(when) if when else ""


@register.filter
def breakable(name: str) -> SafeString:
    """A name that may be broken after what joins its parts, and so not within one.

    >>> breakable("bm25_no-length.<b>")
    'bm25_<wbr>no-length.<wbr>&lt;b&gt;'
    """
    text = conditional_escape(name)
    return mark_safe(text.replace("_", "_<wbr>").replace(".", ".<wbr>"))  # noqa: S308 - escaped
