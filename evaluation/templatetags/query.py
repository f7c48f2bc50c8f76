"""What goes along from page to page of results."""

from typing import Any

from django import template

from evaluation.pages.query import kept_query

register = template.Library()


@register.simple_tag(takes_context=True, name="kept_query")
def query_of_page(context: dict[str, Any]) -> str:
    """What the address of this page asks of all analyses, as the end of another address."""
    return kept_query(context["request"].GET)
