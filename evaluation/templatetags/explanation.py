"""Explanations, which docstrings hold in Markdown, on pages."""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
MARKS = (
    (r"\[([^\]]+)\]\([^)]+\)", r"\1"),
    (r"`([^`]+)`", r"<code>\1</code>"),
    (r"\*\*([^*]+)\*\*", r"<strong>\1</strong>"),
    (r"(?<![\w*])\*([^*\s][^*]*)\*", r"<em>\1</em>"),
)


@register.filter
def in_paragraphs(text: str) -> SafeString:
    """Paragraphs with bold and emphasised words and code; links are their text.

    >>> in_paragraphs("**Shows** a < b.")
    '<p class="hint"><strong>Shows</strong> a &lt; b.</p>'
    """
    html = str(escape(text))
    for mark, tag in MARKS:
        html = re.sub(mark, tag, html)
    paragraphs = (f'<p class="hint">{each}</p>' for each in html.split("\n\n"))
    return mark_safe("\n".join(paragraphs))  # noqa: S308 - escaped above
