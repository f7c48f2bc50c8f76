"""Untrusted document text as HTML that is safe to show."""

import nh3
from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe

# Enough to read by; nothing that loads, links, styles or runs.
ELEMENTS = set(
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code em strong b i u s sub sup "
    "small abbr cite q table caption thead tbody tfoot tr th td div span figure figcaption".split()
)
DROPPED_WHOLE = {"script", "style", "title", "noscript", "template", "iframe", "object", "svg"}


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
