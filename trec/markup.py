"""What SGML leaves behind: tags, entities and loose white space."""

import html
import re
from html.entities import html5

_TAG = re.compile(r"<!--.*?-->|</?([A-Za-z][\w.-]*)(?:\s[^<>]*)?/?>", re.DOTALL)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")

# The Federal Register's own, which HTML does not know or knows as something else.
_OWN_ENTITIES = {"&hyph;": "-", "&blank;": " "}
_WITHIN_A_WORD = {
    "a",
    "b",
    "em",
    "f",
    "font",
    "i",
    "itag",
    "span",
    "strong",
    "sub",
    "sup",
    "tt",
    "u",
}
_WITHIN_A_LINE = {"br", "cellrule", "tablecell", "td", "th"}


def decoded(text: str) -> str:
    """`text` with its entities (&amp;, &#65;, &sect;) replaced; unknown ones stay."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def folded(text: str) -> str:
    """`text` on one line, each stretch of white space one blank."""
    return " ".join(text.split())


def paragraphs(text: str) -> str:
    """Marked-up text as plain paragraphs, a blank line between any two.

    A tag ends a paragraph, unless it is known to stand within a word or a line; so does a
    blank line. Comments go. Entities are decoded last: `&lt;P&gt;` is text.
    """
    parts = _BLANK_LINES.split(_TAG.sub(_space, text))
    return "\n\n".join(filter(None, (folded(decoded(part)) for part in parts)))


def _character(entity: re.Match[str]) -> str:
    text = entity[0]
    if text.startswith("&#"):
        return html.unescape(text)
    return _OWN_ENTITIES.get(text) or html5.get(text[1:], text)


def _space(tag: re.Match[str]) -> str:
    name = tag[1]
    if name is None or name.lower() in _WITHIN_A_WORD:
        return ""
    return " " if name.lower() in _WITHIN_A_LINE else "\n\n"
