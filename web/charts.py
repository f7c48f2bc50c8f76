"""How plots look: SVG without scripts, and PDF, drawn on the server."""

import re
from collections.abc import Mapping
from typing import Any
from zlib import crc32

import vl_convert

# Lines and letters take the colour of the text around them, in light and dark.
INK = "currentColor"
MARK = "#2f7fc4"
FONT = "system-ui, sans-serif"
# Room for a reader's font, which may be wider than the one measured here.
LABELS_MAY_BE_WIDER = 40
LETTERS = 13  # pixels high
RIGHT = 8


# A layer in which nothing is drawn would be a picture without a name.
EMPTY = re.compile(r'(<g class="mark-[^>]*) role="graphics-symbol"[^>]*/>')
# What names itself to a screen reader says so to a mouse as well.
UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
CLIP = re.compile(r"\bclip(\d+)\b")
NAMED = re.compile(
    r'<(path|line|rect)([^>]*?) aria-label="([^"]+)"( role="[^"]*")? aria-roledescription="[^"]*"'
    r"([^>]*?)/>"
)
MOVED = re.compile(r'(?<= transform=")translate\([^)]*\)')
UNSTROKED = re.compile(r'(<path(?![^>]* stroke=)[^>]*?) stroke-width="[^"]*"')
FINE = re.compile(r"(?<=\.\d\d)\d+")  # a hundredth of a pixel is not seen
MARK_GROUP = re.compile(
    r"<g ([^>]*)>((?:<(path|line|rect|text)\b[^>]*"
    r"(?:/>|>(?:<title>[^<]*</title>)?[^<]*</\3>))+)</g>"
)
START = re.compile(r"<(?:path|line|rect|text)\b[^>]*>")
LOOK = re.compile(
    r" (fill|stroke|stroke-width|stroke-dasharray|font-family|font-size|font-weight|text-anchor)"
    r'="[^"]*"'
)


def declared(
    chart: Any,
    description: str,
    *,
    rows: Mapping[str, list[dict[str, Any]]] | None = None,
    left: int = LABELS_MAY_BE_WIDER,
) -> dict[str, Any]:
    """A chart's declaration in the house's style.

    `rows` are the data that the chart names, and `left` is the room before its labels, more where
    names are long. Neither rows nor declaration are checked against Vega-Lite's schema: that takes
    longer than the drawing itself, and the tests draw every plot.
    """
    quiet = {"labelColor": INK, "titleColor": INK, "tickColor": INK, "domainColor": INK}
    drawn = (
        chart.configure(
            background="transparent",
            font=FONT,
            padding={"left": left, "top": 4, "right": RIGHT, "bottom": 4},
        )
        .configure_axis(
            **quiet,
            gridColor=INK,
            gridOpacity=0.15,
            labelFontSize=LETTERS,
            titleFontSize=LETTERS,
            titleFontWeight=400,
        )
        .configure_title(
            color=INK, fontSize=LETTERS, fontWeight=600, anchor="start", frame="group", offset=6
        )
        .configure_view(stroke=None)
        .properties(description=description)
    )
    whole: dict[str, Any] = drawn.to_dict(validate=False)
    names, kinds = _longest(whole)
    whole["config"]["padding"] |= {"left": max(left, names), "right": max(RIGHT, kinds)}
    whole.setdefault("datasets", {}).update(rows or {})
    return _shown(whole)


def _longest(declaration: Any) -> tuple[int, int]:
    """The letters of the longest name down the left, and of the longest in a legend.

    As letters of a reader's font may be a pixel wider, this is also the room in pixels that names
    need beside what they were measured to take.
    """
    inner = declaration.values() if isinstance(declaration, dict) else declaration
    letters = [_longest(part) for part in inner if isinstance(part, dict | list)]
    if isinstance(declaration, dict):
        down, colour = (declaration.get(channel) for channel in ("y", "color"))
        letters.append(
            (_letters(down, "axis", "sort"), _letters(colour, "legend", "scale", "domain"))
        )
    names, kinds = zip(*letters, strict=True) if letters else ((0,), (0,))
    return max(names), max(kinds)


def _letters(channel: Any, shown: str, *place: str) -> int:
    """The letters of the longest of a channel's names that stand at one place of it."""
    names = channel
    for key in place:
        names = names.get(key) if isinstance(names, dict) else None
    if not isinstance(names, list) or channel.get(shown, True) is None:
        return 0
    return min(max((len(str(name)) for name in names), default=0), LABELS_MAY_BE_WIDER)


def _shown(value: Any) -> Any:
    """A declaration without characters that end the drawing program, or that no SVG may have."""
    if isinstance(value, dict):
        return {name: _shown(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shown(inner) for inner in value]
    return UNSHOWN.sub("\ufffd", value) if isinstance(value, str) else value


def start_drawing() -> None:
    """Draw a first, empty picture: it takes half a second longer than any other."""
    vl_convert.vegalite_to_svg({"data": {"values": []}, "mark": "point"})


def svg_of(declaration: dict[str, Any]) -> str:
    """A declared chart as SVG; marks that have a description show it under the mouse."""
    text: str = vl_convert.vegalite_to_svg(declaration)
    text = EMPTY.sub(r'\1 aria-hidden="true"/>', text)
    text = UNSTROKED.sub(r"\1", NAMED.sub(r"<\1\2\4\5><title>\3</title></\1>", text))
    text = MARK_GROUP.sub(_look_said_once, text.replace(' opacity="1"', ""))
    return _with_own_ids(MOVED.sub(lambda moved: FINE.sub("", moved[0]), text))


def _look_said_once(group: re.Match[str]) -> str:
    """A group of marks that says itself what they all look like: each inherits it."""
    said, inner = group[1], group[2]
    starts = START.findall(inner)
    if len(starts) < 2:
        return group[0]
    for look in LOOK.finditer(starts[0]):
        if f" {look[1]}=" not in f" {said}" and all(look[0] in start for start in starts):
            said += look[0]
            inner = START.sub(lambda start, look=look[0]: start[0].replace(look, "", 1), inner)
    return f"<g {said}>{inner}</g>"


def _with_own_ids(text: str) -> str:
    """Ids of clips, which Vega counts on from picture to picture, named after the picture itself.

    The same picture is then the same text, and two on one page do not clip each other.
    """
    numbers = {number: str(place) for place, number in enumerate(dict.fromkeys(CLIP.findall(text)))}
    plain = CLIP.sub(lambda found: f"clip{numbers[found[1]]}", text)
    own = crc32(plain.encode())
    return CLIP.sub(lambda found: f"clip-{own:08x}-{found[1]}", plain)


def pdf_of(drawing: str) -> bytes:
    """A drawing of `svg_of` as PDF, in black on white; its pixels become points."""
    pdf: bytes = vl_convert.svg_to_pdf(drawing.replace(INK, "black"))
    return pdf


def svg(
    chart: Any,
    description: str,
    *,
    rows: Mapping[str, list[dict[str, Any]]] | None = None,
    left: int = LABELS_MAY_BE_WIDER,
) -> str:
    """A chart as SVG; see `declared`."""
    return svg_of(declared(chart, description, rows=rows, left=left))
