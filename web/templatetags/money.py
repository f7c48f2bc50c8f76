"""Amounts of money as people write them."""

from decimal import Decimal

from django import template

SIGNS = {"EUR": "€", "GBP": "£", "JPY": "¥", "USD": "$"}

register = template.Library()


@register.filter
def money(amount: Decimal, currency: str) -> str:
    """An amount with the sign of its currency, or with its three letters.

    >>> money(Decimal("2.50"), "GBP"), money(Decimal("2.50"), "CHF")
    ('£2.50', '2.50 CHF')
    """
    sign = SIGNS.get(currency)
    return f"{sign}{amount}" if sign else f"{amount} {currency}"
