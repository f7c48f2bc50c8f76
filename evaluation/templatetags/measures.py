"""Measures as people read them."""

from django import template

from magnitudes.measures.names import parse, short

register = template.Library()
register.filter("measure_name", short)


@register.filter
def measure_title(measure: str) -> str:
    return parse(measure).title
