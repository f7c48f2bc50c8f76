"""HTML cut into tags and text in one pass, however broken it is.

A browser's parser looks at every open element again for each tag, which takes quadratic time where
elements are nested deeply. Cutting needs no tree: each character is read once. Where a comment, a
quotation or an element such as <script> has no end, it goes on to the end of the text, as in
browsers.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_ATTRIBUTES = r"""(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?)*+"""
_NAME = r"[a-z][^\s/>]*+"
# Elements whose content is text, whatever it looks like.
_RAW = "script|style|title|textarea|iframe|noembed|noframes|xmp"
_TOKEN = re.compile(
    rf"""
    <!--(?:-?>|.*?(?:--!?>|\Z))
    |<(?P<raw>{_RAW})(?=[\s/>]){_ATTRIBUTES}(?:\Z|>(?P<content>.*?)(?:</(?P=raw)(?=[\s/>])[^>]*+>?|\Z))
    |<(?P<start>{_NAME})(?P<attributes>{_ATTRIBUTES})(?:>|\Z)
    |</(?P<end>{_NAME}){_ATTRIBUTES}(?:>|\Z)
    |<[!?/][^>]*+(?:>|\Z)
    |(?P<text>[^<]++|<)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_UNSEEN = {"script", "style"}


class Start(NamedTuple):
    """The beginning of an element; its attributes as they are written."""

    name: str
    attributes: str = ""


class End(NamedTuple):
    """The end of an element."""

    name: str


def tokens(html: str) -> Iterator[Start | End | str]:
    """Yield tags, their names in small letters, and the text between them as it is written.

    Comments, declarations and processing instructions are left out.
    """
    for match in _TOKEN.finditer(html):
        if match["text"]:
            yield match["text"]
        elif match["start"]:
            yield Start(match["start"].lower(), match["attributes"])
        elif match["end"]:
            yield End(match["end"].lower())
        elif match["raw"]:
            name = match["raw"].lower()
            yield Start(name)
            if match["content"]:
                yield match["content"]
            yield End(name)


def text_of(html: str) -> str:
    """Some HTML without its tags, scripts and styles; entities stay as they are written."""
    parts: list[str] = []
    inside = ""
    for token in tokens(html):
        if isinstance(token, str):
            if inside not in _UNSEEN:
                parts.append(token)
        else:
            inside = token.name if isinstance(token, Start) else ""
    return "".join(parts)
