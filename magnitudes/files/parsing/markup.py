"""What SGML leaves behind: tags, entities and loose white space."""

import html
import re
from collections.abc import Callable
from html.entities import html5

_TAG = re.compile(r"</?([A-Za-z][\w.-]*)(?:\s[^<>]*)?/?>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")

# The Federal Register's own, which HTML does not know or knows as something else.
_OWN_ENTITIES = {"&hyph;": "-", "&blank;": " "}
_WITHIN_A_WORD = set("a b em f font i itag span strong sub sup tt u".split())
_WITHIN_A_LINE = {"br", "cellrule", "tablecell", "td", "th"}


def decoded(text: str) -> str:
    """`text` with its entities (&amp;, &#65;, &sect;) replaced; unknown ones stay."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def folded(text: str) -> str:
    """`text` on one line, each stretch of white space one blank."""
    return " ".join(text.split())


def without_comments(text: str, instead: Callable[[str], str] = lambda _: "") -> str:
    """`text` without its comments, or with what `instead` makes of each; one without end stays."""
    parts: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += text[position:start], instead(text[start : end + 3])
        position = end + 3
    return "".join((*parts, text[position:]))


def paragraphs(text: str) -> str:
    """Marked-up text as plain paragraphs, a blank line between any two.

    A tag ends a paragraph, unless it is known to stand within a word or a line; so does a
    blank line. Comments go. Entities are decoded last: `&lt;P&gt;` is text.
    """
    text = _TAG.sub(lambda tag: _break(tag[1]), without_comments(text))
    parts = (folded(decoded(part)) for part in _BLANK_LINES.split(text))
    return "\n\n".join(filter(None, parts))


def _character(entity: re.Match[str]) -> str:
    text = entity[0]
    if text.startswith("&#"):
        return html.unescape(text)
    return _OWN_ENTITIES.get(text) or html5.get(text[1:], text)


def _break(name: str) -> str:
    """What a tag of this name leaves in the text."""
    if name.lower() in _WITHIN_A_WORD:
        return ""
    return " " if name.lower() in _WITHIN_A_LINE else "\n\n"
