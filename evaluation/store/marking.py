"""One system made to stand out in figures and tables that were made before."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

LARGER = 2
MARK = re.compile(
    r'<path (?P<before>aria-label="(?P<said>[^"]*)"[^>]*?)'
    r'(?:transform="(?P<where>[^"]*)"(?P<after>[^>]*))?>(?P<title>.*?)</path>'
)


def marked(svg: str, name: str) -> str:
    """A figure with the dots and lines whose name begins with `name` and a colon above others.

    Dots are larger, too.

    >>> svg = '<g><path aria-label="b: 2" transform="translate(1,1)" d="M0,0"></path></g>'
    >>> marked(svg, "b").count("scale(2)"), marked(svg, "c").count("scale(2)")
    (1, 0)
    """
    if not name:
        return svg
    begins = escape(name, quote=False).replace('"', "&quot;") + ": "  # as in the drawing
    layers = svg.split("</g>")  # a layer's marks stand together, and the last is on top
    return "</g>".join(_raised(layer, begins) for layer in layers)


def rows_of(rows: Sequence[Sequence[Any]], columns: Sequence[str], name: str) -> frozenset[int]:
    """The places of the rows that are of this system."""
    if not name or "system" not in columns:
        return frozenset()
    place = columns.index("system")
    return frozenset(number for number, row in enumerate(rows) if row[place] == name)


def _raised(layer: str, begins: str) -> str:
    """The end of a layer's content with the marks of one name moved to its end."""
    found: list[str] = []

    def take(mark: re.Match[str]) -> str:
        if not mark["said"].startswith(begins):
            return mark[0]
        kind, where = "one-line", ""
        if mark["where"]:
            kind, where = "one", f'transform="{mark["where"]} scale({LARGER})"{mark["after"]}'
        found.append(f'<path class="{kind}" {mark["before"]}{where}>{mark["title"]}</path>')
        return ""

    return MARK.sub(take, layer) + "".join(found) if begins in layer else layer
