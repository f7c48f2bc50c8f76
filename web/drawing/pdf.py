"""Charts as PDF: their SVG is read again, which has few kinds of elements."""

import re
from collections.abc import Iterator
from io import BytesIO
from itertools import groupby
from xml.etree import ElementTree

import pydyf

from web.drawing.texts import FONT_SIZE, natural_width

Style = dict[str, str]
TOKEN = re.compile(r"[MhZ]|[-\d.]+")
TRANSLATED = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\)")
# Letters and signs as the font Symbol encodes them.
SYMBOLS = dict(
    zip(
        "ΑΒΧΔΕΦΓΗΙΚΛΜΝΟΠΘΡΣΤΥΩΞΨΖαβχδεφγηικλμνοπθρςστυωξψζ≤∞≥≠≈√→←↑↓",
        b"ABCDEFGHIKLMNOPQRSTUWXYZabcdefghiklmnopqrVstuwxyz\xa3\xa5\xb3\xb9\xbb\xd6\xae\xac\xad\xaf",
        strict=True,
    )
)
ARC = 0.5523  # of the radius: how far the handles of a quarter of a circle are from its ends


def pdf_of(drawing: str) -> bytes:
    """A chart on a page of its size, in black on white; pixels become points.

    Texts are in Helvetica and Symbol, which every reader of PDF has: a letter that neither has, as
    of a Cyrillic or Chinese name, is a question mark. The SVG has them all.
    """
    svg = ElementTree.fromstring(drawing)  # noqa: S314 - drawn here
    left, top, wide, high = map(float, svg.get("viewBox", "").split())
    page = _Page()
    page.stream.set_matrix(1, 0, 0, -1, -left, top + high)
    page.draw(svg, {"stroke": "none", "fill": "black"})
    return page.written(wide, high)


class _Page:
    def __init__(self) -> None:
        self.stream = pydyf.Stream(compress=True)
        self.opacities: dict[tuple[str, str], str] = {}

    def draw(self, element: ElementTree.Element, outer: Style) -> None:
        style = {**outer, **element.attrib}
        tag = element.tag.rpartition("}")[2]
        self.stream.push_state()
        if moved := TRANSLATED.match(element.get("transform", "")):
            self.stream.set_matrix(1, 0, 0, 1, *map(float, moved.groups()))
        if tag == "text":
            self._text(element, style)
        elif tag in ("path", "circle", "rect"):
            self._shape(tag, style)
        else:
            for inner in element:
                self.draw(inner, style)
        self.stream.pop_state()

    def _shape(self, tag: str, style: Style) -> None:
        filled, stroked = (style[name] != "none" for name in ("fill", "stroke"))
        self._set_colours(style)
        self.stream.set_line_width(float(style.get("stroke-width", 1)))
        self.stream.set_line_cap(1 if style.get("stroke-linecap") == "round" else 0)
        self.stream.set_dash(list(map(float, style.get("stroke-dasharray", "").split())), 0)
        if tag == "path":
            self._path(TOKEN.findall(style["d"]))
        elif tag == "rect":
            corner = (float(style[name]) for name in ("x", "y", "width", "height"))
            self.stream.rectangle(*corner)
        else:
            self._circle(*(float(style[name]) for name in ("cx", "cy", "r")))
        if filled and stroked:
            self.stream.fill_and_stroke()
        elif filled or stroked:
            (self.stream.fill if filled else self.stream.stroke)()
        else:
            self.stream.end()

    def _path(self, tokens: list[str]) -> None:
        begins = False
        rest = iter(tokens)
        x = y = 0.0
        for part in rest:
            if part == "M":
                begins = True
            elif part == "Z":
                self.stream.close()
            elif part == "h":
                self.stream.line_to(x + float(next(rest)), y)
            else:
                x, y = float(part), float(next(rest))
                (self.stream.move_to if begins else self.stream.line_to)(x, y)
                begins = False

    def _circle(self, x: float, y: float, r: float) -> None:
        c = ARC * r
        self.stream.move_to(x + r, y)
        self.stream.curve_to(x + r, y + c, x + c, y + r, x, y + r)
        self.stream.curve_to(x - c, y + r, x - r, y + c, x - r, y)
        self.stream.curve_to(x - r, y - c, x - c, y - r, x, y - r)
        self.stream.curve_to(x + c, y - r, x + r, y - c, x + r, y)

    def _text(self, element: ElementTree.Element, style: Style) -> None:
        text = (element.text or "").replace("−", "–")
        size = float(style.get("font-size", FONT_SIZE))
        bold = style.get("font-weight") == "600"
        wide = natural_width(text, size) * (1.07 if bold else 1)
        shift = {"middle": wide / 2, "end": wide}.get(style.get("text-anchor", ""), 0.0)
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        self._set_colours(style)
        self.stream.begin_text()
        if "rotate" in element.get("transform", ""):
            self.stream.set_text_matrix(0, -1, -1, 0, x, y + shift)
        else:
            self.stream.set_text_matrix(1, 0, 0, -1, x - shift, y)
        for is_symbol, letters in groupby(text, SYMBOLS.__contains__):
            run = "".join(letters)
            self.stream.set_font_size("Symbol" if is_symbol else "Bold" if bold else "Plain", size)
            self.stream.show_text_string(
                bytes(SYMBOLS[letter] for letter in run)
                if is_symbol
                else run.encode("cp1252", "replace")
            )
        self.stream.end_text()

    def _set_colours(self, style: Style) -> None:
        for name, is_stroke in (("fill", False), ("stroke", True)):
            if style[name] != "none":
                self.stream.set_color_rgb(*_rgb(style[name]), stroke=is_stroke)
        both = style.get("fill-opacity", "1"), style.get("stroke-opacity", "1")
        name = self.opacities.setdefault(both, f"O{len(self.opacities)}")
        self.stream.set_state(name)

    def written(self, wide: float, high: float) -> bytes:
        letters = {"Encoding": "/WinAnsiEncoding"}
        fonts = {
            name: pydyf.Dictionary({"Type": "/Font", "Subtype": "/Type1", "BaseFont": font} | more)
            for name, font, more in (
                ("Plain", "/Helvetica", letters),
                ("Bold", "/Helvetica-Bold", letters),
                ("Symbol", "/Symbol", {}),
            )
        }
        states = {
            name: pydyf.Dictionary({"ca": float(fill), "CA": float(stroke)})
            for (fill, stroke), name in self.opacities.items()
        }
        resources = {"Font": pydyf.Dictionary(fonts), "ExtGState": pydyf.Dictionary(states)}
        pdf = pydyf.PDF()
        pdf.add_object(self.stream)
        page = {
            "Type": "/Page",
            "Parent": pdf.pages.reference,
            "MediaBox": pydyf.Array([0, 0, wide, high]),
            "Contents": self.stream.reference,
            "Resources": pydyf.Dictionary(resources),
        }
        pdf.add_page(pydyf.Dictionary(page))
        out = BytesIO()
        pdf.write(out, compress=True)
        return out.getvalue()


def _rgb(colour: str) -> Iterator[float]:
    digits = colour[1:] if colour.startswith("#") else "000000"  # the ink of a page
    return (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
