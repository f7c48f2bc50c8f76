from collections.abc import Iterator

import lxml.html
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString

from judging.models import Study

NAMES = ("introduction", "practice_instructions", "instructions")
CONSENT = "consent"  # its default is only a draft for the team


def default_text(study: Study, name: str) -> SafeString:
    """One of `NAMES`, or `CONSENT`, in the language of the study."""
    with translation.override(study.language):
        return render_to_string(f"worker/texts/{name}.html", {"study": study})


def plain_text(html: str) -> str:
    r"""Paragraphs with a blank line between them; an item of a list is one with a hyphen.

    >>> plain_text("<p>One\n two.</p><ul><li>three</li><li>four</li></ul>")
    'One two.\n\n- three\n\n- four'
    """
    return "\n\n".join(_blocks(lxml.html.fragment_fromstring(html, create_parent=True)))


def _blocks(parent: lxml.html.HtmlElement) -> Iterator[str]:
    for block in parent:
        if items := block.findall("li"):
            yield from (f"- {_words(item)}" for item in items)
        else:
            yield _words(block)


def _words(element: lxml.html.HtmlElement) -> str:
    return " ".join(element.text_content().split())
