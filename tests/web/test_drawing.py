"""Charts, whatever their data are: readable, all on the canvas, no label on another."""

import math
import re
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from web.drawing import scales, texts
from web.drawing.charts import Chart, Panels, Plot, Stack, svg
from web.drawing.marks import SHAPES, Mark
from web.drawing.pdf import pdf_of
from web.drawing.scales import Axis, scale_of
from web.drawing.texts import FONT_SIZE, width

SVG = "{http://www.w3.org/2000/svg}"
ODD = ["a\x01b", "a\x00b", "a\u2028b", "a\ufffeb", "a\ud800b", "a\nb", "<script>\"&'>", "Ωж漢字"]
ANY = st.one_of(st.none(), st.floats(), st.integers(-10, 10), st.floats(1e-12, 1e12))
FINITE = st.floats(-1e300, 1e300)
INHERITED = "text-anchor", "font-size"
NAMES = ["a", "b", "a rather long name of a system", "漢字" * 9]
KINDS: dict[str, dict[str, Any]] = {"one": {}, "two": {"shape": "cross", "dash": (3, 3)}}
PLOTTED = ["point", "dots", "line", "area", "rule", "rect", "tick", "text"]
ROW = st.fixed_dictionaries(
    dict.fromkeys(("x", "to", "y", "high"), ANY)
    | {"group": st.sampled_from([*NAMES, "unknown"]), "kind": st.sampled_from(["one", "two"])}
    | {"panel": st.sampled_from(["first", "second"]), "name": st.sampled_from(ODD)}
)


def axes(field: str) -> st.SearchStrategy[Axis]:
    ends = st.none() | st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
    fields = {"field": st.just(field), "title": st.sampled_from([None, "of a thing", "long " * 40])}
    numbers = st.builds(
        Axis,
        kind=st.sampled_from(["linear", "log"]),
        domain=ends,
        ticks=st.integers(1, 9),
        percent=st.booleans(),
        whole=st.booleans(),
        **fields,
    )
    times = st.builds(Axis, kind=st.just("time"), domain=st.just((1.7e9, 1.7e9 + 1e6)), **fields)
    names = st.just(Axis(field="group", kind="names", order=NAMES, title="groups"))
    return st.one_of(numbers, times, names)


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    x, y = draw(axes("x")), draw(axes("y"))
    marks = [
        Mark(
            kind=kind,
            data="rows",
            x=x,
            y=y,
            x2=draw(st.sampled_from(["", "to"])) if x.kind != "names" else "",
            y2=draw(st.sampled_from(["", "high"])) if y.kind != "names" else "",
            by=by,
            kinds=KINDS if by else {},
            apart=bool(by) and y.kind == "names",
            step=draw(st.sampled_from(["", "before", "after"])),
            shape=draw(st.sampled_from(["circle", *SHAPES])),
            text="name",
            size=draw(st.sampled_from([FONT_SIZE, 40])),
            named=True,
        )
        for kind in draw(st.lists(st.sampled_from(PLOTTED), min_size=1, max_size=3))
        for by in [draw(st.sampled_from(["", "kind"]))]
    ]
    plot = Plot(tuple(marks), draw(st.integers(60, 400)), draw(st.integers(50, 260)))
    panels = Panels(
        plot, "panel", ["first", "second"], draw(st.integers(1, 2)), draw(st.booleans())
    )
    return draw(st.sampled_from([plot, panels, Stack([plot, panels], draw(st.booleans()))]))


def corners(element: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """The points of an element, without its width."""
    of = {name: element.get(name, "0") for name in ("x", "y", "cx", "cy", "width", "height")}
    x, y = float(of["x"]) + float(of["cx"]), float(of["y"]) + float(of["cy"])
    tag = element.tag.removeprefix(SVG)
    if tag == "path":
        for pair in re.findall(r"(-?[\d.]+) (-?[\d.]+)", element.attrib["d"]):
            yield float(pair[0]), float(pair[1])
    elif tag == "text" and (turned := re.match(r"translate\((\S+) (\S+)\)", moved(element))):
        half = width(element.text or "") / 2
        across, down = map(float, turned.groups())
        yield from ((across, down - half), (across, down + half))
    elif tag == "text":
        wide = width(element.text or "", float(element.get("font-size", FONT_SIZE)))
        shift = {"middle": wide / 2, "end": wide}.get(element.get("text-anchor", ""), 0)
        yield from ((x - shift, y), (x - shift + wide, y))
    else:
        yield from ((x, y), (x + float(of["width"]), y + float(of["height"])))


def moved(element: ElementTree.Element) -> str:
    return element.get("transform", "")


def points_of(
    element: ElementTree.Element, x: float = 0, y: float = 0, **shared: str
) -> Iterator[tuple[float, float]]:
    """Of all elements, with where their groups are."""
    shared |= {name: element.attrib[name] for name in INHERITED if name in element.attrib}
    if element.tag in (f"{SVG}path", f"{SVG}rect", f"{SVG}circle", f"{SVG}text"):
        element.attrib |= shared
        yield from ((x + across, y + down) for across, down in corners(element))
        return
    if at := re.match(r"translate\((\S+) (\S+)\)", moved(element)):
        x, y = x + float(at[1]), y + float(at[2])
    for inner in element:
        yield from points_of(inner, x, y, **shared)


@given(charts(), st.lists(ROW, max_size=6), st.sampled_from(["", "simulated"]))
def test_any_data_are_drawn_on_the_canvas(chart, rows, mark):
    drawn = svg(chart, "About <it>", {"rows": rows}, mark=mark)
    assert drawn == svg(chart, "About <it>", {"rows": rows}, mark=mark)
    root = ElementTree.fromstring(drawn)
    assert root.get("aria-label") == "About <it>"
    left, top, wide, high = map(float, root.attrib["viewBox"].split())
    for x, y in points_of(root):
        assert left - 1 <= x <= left + wide + 1, (x, root.attrib)
        assert top - 1 <= y <= top + high + 1, (y, root.attrib)
    assert "style=" not in drawn
    assert pdf_of(drawn).startswith(b"%PDF")


@given(st.lists(FINITE, min_size=1, max_size=9), st.integers(1, 9), st.booleans(), st.booleans())
@example([0.0, 5e-324], 5, False, False)
@example([1e16, 1e16 + 2], 5, False, False)
@example([-1e300, 1e300], 5, False, False)
def test_ticks_are_round_in_order_and_on_the_axis(values, ticks, log, whole):
    axis = Axis(field="x", kind="log" if log else "linear", ticks=ticks, whole=whole and not log)
    scale = scale_of(axis, values, 400)
    labels = scale.labels()
    places = [at for at, _ in labels]
    assert labels
    assert places == sorted(set(places))
    assert -0.01 <= places[0] <= places[-1] <= 400.01
    assert len({text for _, text in labels}) == len(labels)
    for value in values:
        at = scale.at(value)
        assert (at is None and log and value < scales.LEAST) or -0.01 <= at <= 400.01


@given(st.lists(st.floats(1e-9, 1e9), min_size=2, max_size=30, unique=True), st.integers(60, 400))
def test_labels_never_run_into_each_other(values, size):
    axis = Axis(field="x", values=sorted(values), domain=(min(values), max(values)))
    plot = Plot((Mark(kind="point", data="rows", x=axis, y=axis),), size, size)
    shown = list(ElementTree.fromstring(svg(plot, "", {})).iter(f"{SVG}text"))
    below = [one for one in shown if one.get("text-anchor") == "middle"]
    ends = sorted(sorted(x for x, _ in corners(one)) for one in below)
    for (_, end), (start, _) in pairwise(ends):
        assert end < start
    beside = sorted(float(one.attrib["y"]) for one in shown if one.get("text-anchor") == "end")
    assert beside
    for upper, lower in pairwise(beside):
        assert lower - upper > FONT_SIZE - 0.1


@given(st.floats(1e-300, 1e300), st.floats(1.001, 1e30))
def test_an_axis_of_ratios_has_round_ticks_in_its_domain(low, factor):
    high = min(low * factor, 1e300)
    for tick in scales.log_ticks(low, high, 5):
        assert low * 0.999 <= tick <= high * 1.001
        assert f"{tick:.0e}" == f"{tick:.6e}".replace(".000000", "")


@pytest.mark.parametrize("seconds", [10, 600, 7200, 86400, 1e6, 1e7, 1e8, 1e9])
def test_times_have_a_few_ticks_that_read_differently(seconds):
    ticks = scales.time_ticks(1.7e9, 1.7e9 + seconds, 5)
    assert 2 <= len(ticks) <= 11
    assert ticks == sorted(ticks)
    assert len({scales.clock(tick) for tick in ticks}) == len(ticks) or seconds > 3e7


@given(st.lists(FINITE, min_size=1, max_size=6), st.booleans())
def test_numbers_say_what_they_are(values, percent):
    for value, text in zip(values, texts.numbers(values, percent), strict=True):
        said = float(text.replace("−", "-").replace(",", "").rstrip("%")) / (100 if percent else 1)
        assert math.isclose(said, value, rel_tol=1e-6, abs_tol=1e-6 * max(map(abs, values)))


@given(st.text(), st.floats(20, 400))
def test_what_is_cut_fits(text, room):
    assert width(texts.fitted(text, room)) <= room or texts.fitted(text, room) == "…"
    for line in texts.wrapped(text, room):
        assert width(line) <= room or line == "…"


@pytest.mark.parametrize("name", ODD)
def test_no_name_ends_the_drawing(name):
    x, y = Axis(field="n"), Axis(field="name", kind="names", order=[name])
    dots = Mark(kind="point", data="rows", x=x, y=y, named=True)
    drawn = svg(Plot((dots,), 90, 90), f"About {name}", {"rows": [{"n": 1, "name": name}]})
    (named,) = (one for one in ElementTree.fromstring(drawn).iter() if one.get("data-key"))
    assert named.get("role") == "graphics-symbol"
    assert [one.text for one in named] == [texts.UNPRINTABLE.sub("\ufffd", name)]
    assert pdf_of(drawn).startswith(b"%PDF")


def test_what_has_no_name_is_hidden_from_screen_readers():
    marks = (
        Mark(kind="line", data="rows", x=Axis(field="x"), y=Axis(field="y")),
        Mark(kind="point", data="rows", x=Axis(field="x"), y=Axis(field="y"), named=True),
    )
    rows = [{"x": n, "y": n, "name": f"dot {n}"} for n in range(3)]
    root = ElementTree.fromstring(svg(Plot(marks, 90, 90), "", {"rows": rows}))
    axes, line, points = root
    assert axes.get("aria-hidden") == line.get("aria-hidden") == "true"
    assert [one.get("data-key") for one in points] == ["0", "1", "2"]


def test_what_lies_beyond_an_axis_is_cut_at_its_end():
    x, y = Axis(field="x", domain=(0, 1)), Axis(field="y", domain=(0, 1))
    line = Mark(kind="line", data="rows", x=x, y=y)
    rule = Mark(kind="rule", data="rows", x=Axis(field="low"), x2="high", y=y)
    rows = [
        {"x": 0, "y": 0, "low": -9, "high": 0.5},
        {"x": 1, "y": 2, "low": 2, "high": 3},
    ]
    drawn = svg(Plot((line, rule), 100, 100), "", {"rows": rows})
    assert 'd="M0 100 50.01 0"' in drawn
    assert 'd="M0 100 50 100"' in drawn


def test_kinds_are_named_once_above_all():
    dots = Mark(
        kind="point", data="rows", x=Axis(field="x"), y=Axis(field="y"), by="kind", kinds=KINDS
    )
    plot = Plot((dots,), 200, 50)
    root = ElementTree.fromstring(svg(Stack([plot, plot]), "", {}))
    shown = [one for one in root.iter(f"{SVG}text") if one.text in KINDS]
    assert [one.text for one in shown] == list(KINDS)
    assert all(float(one.attrib["y"]) < 0 for one in shown)


def test_greek_letters_and_signs_are_in_a_pdf_too() -> None:
    text = "μ ≥ 3 γ, Ж"
    drawing = f'<svg viewBox="0 0 9 9"><text fill="black" stroke="none">{text}</text></svg>'
    content = re.search(rb"stream\n(.*?)\nendstream", pdf_of(drawing), re.DOTALL)
    assert content
    shown = re.findall(rb"/(\w+) [\d.]+ Tf\n\((.*?)\) Tj", zlib.decompress(content[1]))
    symbols, letters = (
        [t for font, t in shown if (font == b"Symbol") is is_symbol] for is_symbol in (True, False)
    )
    assert symbols == [b"m", b"\xb3", b"g"]
    assert b"".join(letters) == b"  3 , ?"
