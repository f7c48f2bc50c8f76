"""How plots are drawn, whatever their data are called."""

from xml.etree import ElementTree

import altair as alt
import pytest

from web import charts

ODD = ["a\x01b", "a\x00b", "a\u2028b", "a\ufffeb", "a\nb", "<script>\"&'>"]


def declared(name: str) -> dict[str, object]:
    chart = (
        alt.Chart(alt.NamedData("rows"))
        .mark_circle()
        .encode(x="n:Q", y=alt.Y("name:N"), description="name:N")
    )
    return charts.spec_of(chart, f"About {name}", rows={"rows": [{"n": 1, "name": name}]})


@pytest.mark.parametrize("name", ODD)
def test_no_name_ends_the_drawing(name: str) -> None:
    drawn = charts.svg_of(declared(name))
    titles = [one.text for one in ElementTree.fromstring(drawn).iter() if one.tag.endswith("title")]
    assert titles == [charts.UNPRINTABLE.sub("\ufffd", name)]
    assert charts.pdf_of(drawn).startswith(b"%PDF")


def padding(chart: alt.Chart) -> tuple[int, int]:
    """The room at the left and at the right."""
    found = charts.spec_of(chart, "", left=8)["config"]["padding"]
    return found["left"], found["right"]


def test_names_have_room_for_wider_letters() -> None:
    names = ["a", "aggregated: arithmetic"]
    dots = alt.Chart(alt.NamedData("rows")).mark_point()
    down = alt.Y("name:N", sort=names)
    colour = alt.Color("kind:N", scale=alt.Scale(domain=["alone", "first and second"]))
    assert padding(dots.encode(y=down)) == (22, 8)
    assert padding(alt.layer(dots, dots.encode(y=down, color=colour))) == (22, 16)
    assert padding(alt.hconcat(dots, dots.encode(y=down).properties(width=90))) == (22, 8)
    assert padding(dots.encode(y=alt.Y("name:N", sort=names, axis=None))) == (8, 8)
    assert padding(dots.encode(y=alt.Y("name:N", sort=["a" * 300]))) == (40, 8)
    colour.legend = None
    assert padding(dots.encode(color=colour)) == (8, 8)
    assert padding(dots.encode(y="n:Q")) == (8, 8)
