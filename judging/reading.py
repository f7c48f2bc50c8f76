"""What workers read: untrusted text as HTML that is safe to show, and the templates around it."""

from functools import lru_cache
from typing import Any

import nh3
from django.template import defaultfilters
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import linebreaks, urlize
from django.utils.safestring import SafeString, mark_safe
from jinja2 import Environment

# Enough to read by; nothing that loads, links, styles or runs.
ELEMENTS = set(
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code em strong b i u s sub sup "
    "small abbr cite q table caption thead tbody tfoot tr th td div span figure figcaption".split()
)
DROPPED_WHOLE = {"script", "style", "title", "noscript", "template", "iframe", "object", "svg"}
KEPT = 1000  # texts, some thousand characters each


@lru_cache(maxsize=KEPT)
def as_html(text: str, is_html: bool) -> SafeString:
    """The text in paragraphs; where it is HTML, reduced to reading elements without attributes."""
    if not is_html:
        return mark_safe(linebreaks(text, autoescape=True))  # noqa: S308 - escaped
    return mark_safe(  # noqa: S308 - cleaned
        nh3.clean(
            text,
            tags=ELEMENTS,
            clean_content_tags=DROPPED_WHOLE,
            attributes={"*": set(), "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}},
        )
    )


def environment(**options: Any) -> Environment:
    """The Jinja2 environment of workers' pages; what is plain text is escaped."""
    made = Environment(**options)  # noqa: S701 - Django sets autoescape
    made.globals |= {"static": lru_cache(static), "url": _address}
    made.filters |= {
        "linebreaks": lambda text: as_html(text, is_html=False),
        "urlize": lambda text: mark_safe(urlize(text, autoescape=True)),  # noqa: S308 - escaped
        "floatformat": defaultfilters.floatformat,
    }
    return made


def _address(name: str, **parts: object) -> str:
    return reverse(name, kwargs=parts)
