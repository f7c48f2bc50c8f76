"""Untrusted documents as HTML that is safe and quick to show; cleaned once, at import.

Browsers take quadratic time, or worse, for elements that are nested deeply or end in another order
than they began: a page of 60 KB can block a tab for minutes. Elements are first put in order, in
one pass, and bounded; the sanitiser nh3 then decides what is safe.
"""

import re
from collections import Counter
from html import escape, unescape

import nh3
from django.utils.html import linebreaks

from magnitudes.files.parsing.html_tokens import End, Start, tokens

VERSION = 3  # raised when the same text is cleaned in another way: see clean_documents
MAX_LENGTH = 500_000  # characters of a text that are shown
MAX_DEPTH = 32  # elements inside each other; the words of deeper ones stand in the deepest
MAX_SPAN = 20  # columns or rows that a cell spans
MAX_CELLS = 500  # of a row; the words of further ones stand in its last

# Enough to read by; nothing that loads, links, styles or runs.
INLINE = frozenset("em strong b i u s sub sup small abbr cite q code span".split())
EMPTY = frozenset({"br", "hr"})
TABLE_PARTS = frozenset("caption thead tbody tfoot tr td th".split())
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
ELEMENTS = (
    INLINE
    | EMPTY
    | TABLE_PARTS
    | HEADINGS
    | frozenset("p ul ol li dl dt dd blockquote pre table div figure figcaption".split())
)
DROPPED_WHOLE = frozenset("script style title noscript template iframe object svg".split())
SPANS = {"td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
# What a browser would show in the place of a picture.
_ALT = re.compile(
    r"""(?<![\w-])alt\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.IGNORECASE
)
_OVERRIDES = str.maketrans("", "", "\u202d\u202e")  # reverse characters, which no text needs
_SPAN = re.compile(r"\b(colspan|rowspan)\s*+=\s*+[\"']?\s*+(\d{1,6})", re.IGNORECASE)
# A character by its number, with more digits than any has.
_LONG_NUMBER = re.compile("&#(?=[0-9]{8})0*+([0-9]{0,7})([0-9]*+)")
_NO_CHARACTER = "9999999"

# HTML lets many end tags be left out. The elements in which a part of a table may stand: where it
# begins, it ends all that is open inside them.
_ROWS = frozenset({"table", "thead", "tbody", "tfoot"})
_PARENTS = (
    dict.fromkeys(("caption", "thead", "tbody", "tfoot"), frozenset({"table"}))
    | {"tr": _ROWS}
    | dict.fromkeys(("td", "th"), _ROWS | {"tr"})
)
_CELLS = frozenset({"td", "th", "caption", "table"})
# An item ends the item before it, unless a list or a cell has begun in between.
_SIBLINGS = {
    "li": (frozenset({"li"}), _CELLS | {"ul", "ol"}),
    "dt": (frozenset({"dt", "dd"}), _CELLS | {"dl"}),
    "dd": (frozenset({"dt", "dd"}), _CELLS | {"dl"}),
}


def clean_text(text: str, is_html: bool) -> str:
    """HTML without links, styles, scripts and forms, in time proportional to the text.

    Plain text is put in paragraphs. HTML keeps `ELEMENTS`, without attributes but for the spans of
    cells; an inline element ends where a block begins or ends. Texts are cut at `MAX_LENGTH`.
    """
    beginning = text[:MAX_LENGTH].translate(_OVERRIDES)
    if is_html:
        html = nh3.clean(
            _WellNested(beginning).html,
            tags=set(ELEMENTS),
            clean_content_tags=set(DROPPED_WHOLE),
            attributes={"*": set(), **SPANS},
        )
    else:
        html = str(linebreaks(beginning, autoescape=True))
    return html + CUT if is_cut(text) else html


CUT = f"<p>[The document goes on. Shown are its first {MAX_LENGTH:,} characters.]</p>"


def is_cut(text: str) -> bool:
    return len(text) > MAX_LENGTH


def _picture(token: Start) -> str:
    """A page may be relevant for what its pictures show."""
    alt = _ALT.search(token.attributes)
    words = " ".join(_unescaped("".join(filter(None, alt.groups()))).split()) if alt else ""
    return f" [Picture: {words}] " if words else " [Picture] "


class _WellNested:
    """HTML rewritten so that every element ends inside the one it began in."""

    def __init__(self, html: str) -> None:
        self.open: list[str] = []
        self.parts: list[str] = []
        self.ignored: Counter[str] = Counter()  # elements too deep that have not ended
        self.cells = Counter[int]()  # of the row, or table, that is open at a place
        self.dropped = Counter[str]()  # open elements that are dropped with their content
        for token in tokens(html):
            self._add(token)
        self._close(0)
        self.html = "".join(self.parts)

    def _add(self, token: Start | End | str) -> None:
        if isinstance(token, str):
            if not self.dropped:
                self.parts.append(escape(_unescaped(token), quote=False))
        elif token.name in DROPPED_WHOLE:
            self._drop(token)
        elif self.dropped:
            return
        elif token.name == "img" and isinstance(token, Start):
            self.parts.append(escape(_picture(token), quote=False))
        elif token.name not in ELEMENTS:
            return
        elif isinstance(token, Start):
            self._start(token)
        else:
            self._end(token.name)

    def _drop(self, token: Start | End) -> None:
        if isinstance(token, Start):
            if not token.attributes.endswith("/"):  # <svg/>
                self.dropped[token.name] += 1
        elif self.dropped[token.name] > 1:
            self.dropped[token.name] -= 1
        else:
            del self.dropped[token.name]

    def _start(self, token: Start) -> None:
        name = token.name
        if name == "br":
            self.parts.append("<br>")
            return
        if name in SPANS and self._row_is_full():
            self.parts.append(" ")
            return
        if name not in INLINE:
            self._make_room(name)
        if name == "hr":
            self.parts.append("<hr>")
        elif len(self.open) >= MAX_DEPTH:
            self.ignored[name] += 1
        else:
            self._count_cell(name)
            self.open.append(name)
            self.parts.append(f"<{name}{_spans(token) if name in SPANS else ''}>")

    def _row_is_full(self) -> bool:
        row = self._innermost(_PARENTS["td"], frozenset({"table"}))
        return row is not None and self.cells[row] >= MAX_CELLS

    def _count_cell(self, name: str) -> None:
        index = len(self.open)
        self.cells[index] = 0
        if name in SPANS and index:
            self.cells[index - 1] += 1

    def _make_room(self, name: str) -> None:
        """End what cannot hold a block: inline elements, a paragraph, and what `name` follows."""
        if name in _PARENTS:
            parent = self._innermost(_PARENTS[name], frozenset({"table"}))
            if parent is not None:
                self._close(parent + 1)
            return
        if name in _SIBLINGS:
            sibling = self._innermost(*_SIBLINGS[name])
            if sibling is not None:
                self._close(sibling)
        block = len(self.open)
        while block and self.open[block - 1] in INLINE:
            block -= 1
        unnested = {"p"} | (HEADINGS if name in HEADINGS else set())
        self._close(block - 1 if block and self.open[block - 1] in unnested else block)

    def _end(self, name: str) -> None:
        if name in SPANS and self._row_is_full():
            return  # its last cell has the words of those that follow
        if self.ignored[name]:
            self.ignored[name] -= 1
            return
        if name in INLINE:
            barriers = ELEMENTS - INLINE
        elif name in TABLE_PARTS or name == "table":
            barriers = frozenset({"table"})
        else:
            barriers = _CELLS
        index = self._innermost(frozenset({name}), barriers)
        if index is not None:
            self._close(index)

    def _innermost(self, names: frozenset[str], barriers: frozenset[str]) -> int | None:
        for index in range(len(self.open) - 1, -1, -1):
            if self.open[index] in names:
                return index
            if self.open[index] in barriers:
                return None
        return None

    def _close(self, index: int) -> None:
        self.parts += [f"</{name}>" for name in reversed(self.open[index:])]
        del self.open[index:]


def _unescaped(text: str) -> str:
    """With entities replaced; one with thousands of digits is no character."""
    return unescape(
        _LONG_NUMBER.sub(lambda match: f"&#{_NO_CHARACTER if match[2] else match[1] or 0}", text)
    )


def _spans(cell: Start) -> str:
    spans = {name.lower(): int(number) for name, number in _SPAN.findall(cell.attributes)}
    return "".join(
        f' {name}="{min(number, MAX_SPAN)}"' for name, number in spans.items() if number > 1
    )
