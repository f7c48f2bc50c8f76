import math
from datetime import date

from django import template

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
