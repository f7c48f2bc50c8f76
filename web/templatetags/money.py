from decimal import Decimal

from django import template
from django.utils import formats
from django.utils.translation import pgettext

SIGNS = {"EUR": "€", "GBP": "£", "JPY": "¥", "USD": "$"}

register = template.Library()


@register.filter
def money(amount: Decimal, currency: str) -> str:
    """An amount with the sign of its currency, or with its three letters.

    >>> money(Decimal("2.50"), "GBP"), money(Decimal("2.50"), "CHF")
    ('£2.50', '2.50 CHF')
    """
    number = formats.number_format(amount)
    sign = SIGNS.get(currency)
    if sign is None:
        return f"{number} {currency}"
    # Translators: an amount of money with the sign of its currency, as £2.50 or 2,50 €.
    return pgettext("money", "{sign}{amount}").format(sign=sign, amount=number)
