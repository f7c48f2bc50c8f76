"""Plots are drawn on the server, as SVG without scripts and as PDF."""

import re
from collections.abc import Mapping
from typing import Any
from zlib import crc32

from web.lazy import vl_convert

# Lines and text take the colour of the surrounding text, in light and dark.
INK = "currentColor"
MARK = "#2f7fc4"
FONT = "system-ui, sans-serif"
# Room for a reader's font, which may be wider than ours.
LABEL_MARGIN = 40
FONT_SIZE = 13  # pixels high
RIGHT = 8


# An empty layer would be an image without a name to a screen reader.
EMPTY = re.compile(r'(<g class="mark-[^>]*) role="graphics-symbol"[^>]*/>')
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
CLIP = re.compile(r"\bclip(\d+)\b")
# Marks with a name for screen readers show it under the mouse, too.
NAMED = re.compile(
    r'<(path|line|rect)([^>]*?) aria-label="([^"]+)"( role="[^"]*")? aria-roledescription="[^"]*"'
    r"([^>]*?)/>"
)
MOVED = re.compile(r'(?<= transform=")translate\([^)]*\)')
UNSTROKED = re.compile(r'(<path(?![^>]* stroke=)[^>]*?) stroke-width="[^"]*"')
FINE = re.compile(r"(?<=\.\d\d)\d+")  # less than a hundredth of a pixel
MARK_GROUP = re.compile(
    r"<g ([^>]*)>((?:<(path|line|rect|text)\b[^>]*"
    r"(?:/>|>(?:<title>[^<]*</title>)?[^<]*</\3>))+)</g>"
)
START = re.compile(r"<(?:path|line|rect|text)\b[^>]*>")
STYLE = re.compile(
    r" (fill|stroke|stroke-width|stroke-dasharray|font-family|font-size|font-weight|text-anchor)"
    r'="[^"]*"'
)


def spec_of(
    chart: Any,
    description: str,
    *,
    rows: Mapping[str, list[dict[str, Any]]] | None = None,
    left: int = LABEL_MARGIN,
) -> dict[str, Any]:
    """A chart's Vega-Lite specification in our style.

    `rows` has the data sets that the chart names; `left` is the width of its labels in pixels.
    Vega-Lite's schema is not checked, as that takes longer than drawing: tests draw every plot.
    """
    axis_colours = {"labelColor": INK, "titleColor": INK, "tickColor": INK, "domainColor": INK}
    styled = (
        chart.configure(
            background="transparent",
            font=FONT,
            padding={"left": left, "top": 4, "right": RIGHT, "bottom": 4},
        )
        .configure_axis(
            **axis_colours,
            gridColor=INK,
            gridOpacity=0.15,
            labelFontSize=FONT_SIZE,
            titleFontSize=FONT_SIZE,
            titleFontWeight=400,
        )
        .configure_title(
            color=INK, fontSize=FONT_SIZE, fontWeight=600, anchor="start", frame="group", offset=6
        )
        .configure_view(stroke=None)
        .properties(description=description)
    )
    spec: dict[str, Any] = styled.to_dict(validate=False)
    names, kinds = _label_lengths(spec)
    spec["config"]["padding"] |= {"left": max(left, names), "right": max(RIGHT, kinds)}
    spec.setdefault("datasets", {}).update(rows or {})
    return _printable(spec)


def _label_lengths(spec: Any) -> tuple[int, int]:
    """The lengths of the longest label of the y axis and of the longest in a legend.

    They are also the extra pixels: a character of a reader's font may be a pixel wider.
    """
    inner = spec.values() if isinstance(spec, dict) else spec
    lengths = [_label_lengths(part) for part in inner if isinstance(part, dict | list)]
    if isinstance(spec, dict):
        down, colour = (spec.get(channel) for channel in ("y", "color"))
        lengths.append(
            (
                _longest_label(down, "axis", "sort"),
                _longest_label(colour, "legend", "scale", "domain"),
            )
        )
    left, right = zip(*lengths, strict=True) if lengths else ((0,), (0,))
    return max(left), max(right)


def _longest_label(channel: Any, shown: str, *path: str) -> int:
    names = channel
    for key in path:
        names = names.get(key) if isinstance(names, dict) else None
    if not isinstance(names, list) or channel.get(shown, True) is None:
        return 0
    return min(max((len(str(name)) for name in names), default=0), LABEL_MARGIN)


def _printable(value: Any) -> Any:
    """Without characters that crash the renderer or that SVG forbids."""
    if isinstance(value, dict):
        return {name: _printable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_printable(inner) for inner in value]
    return UNPRINTABLE.sub("\ufffd", value) if isinstance(value, str) else value


def svg_of(spec: dict[str, Any]) -> str:
    """Marks with a description show it under the mouse."""
    text: str = vl_convert.vegalite_to_svg(spec)
    text = EMPTY.sub(r'\1 aria-hidden="true"/>', text)
    text = UNSTROKED.sub(r"\1", NAMED.sub(r"<\1\2\4\5><title>\3</title></\1>", text))
    text = MARK_GROUP.sub(_hoist_shared_styles, text.replace(' opacity="1"', ""))
    return _with_own_ids(MOVED.sub(lambda moved: FINE.sub("", moved[0]), text))


def _hoist_shared_styles(group: re.Match[str]) -> str:
    """Move styles that all marks of a group share to the group."""
    attributes, inner = group[1], group[2]
    starts = START.findall(inner)
    if len(starts) < 2:
        return group[0]
    for style in STYLE.finditer(starts[0]):
        if f" {style[1]}=" not in f" {attributes}" and all(style[0] in start for start in starts):
            attributes += style[0]
            inner = START.sub(lambda start, style=style[0]: start[0].replace(style, "", 1), inner)
    return f"<g {attributes}>{inner}</g>"


def _with_own_ids(text: str) -> str:
    """Replace the ids of clips, which Vega numbers across charts, by ids from the chart's content.

    So a chart is always the same text, and two on one page do not clip each other.
    """
    numbers = {number: str(index) for index, number in enumerate(dict.fromkeys(CLIP.findall(text)))}
    plain = CLIP.sub(lambda match: f"clip{numbers[match[1]]}", text)
    own = crc32(plain.encode())
    return CLIP.sub(lambda match: f"clip-{own:08x}-{match[1]}", plain)


def pdf_of(drawing: str) -> bytes:
    """In black on white; pixels become points."""
    pdf: bytes = vl_convert.svg_to_pdf(drawing.replace(INK, "black"))
    return pdf


def svg(
    chart: Any,
    description: str,
    *,
    rows: Mapping[str, list[dict[str, Any]]] | None = None,
    left: int = LABEL_MARGIN,
) -> str:
    return svg_of(spec_of(chart, description, rows=rows, left=left))
