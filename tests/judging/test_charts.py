"""How plots are drawn, whatever their data are called."""

from xml.etree import ElementTree

import altair as alt
import pytest

from judging import charts

ODD = ["a\x01b", "a\x00b", "a\u2028b", "a\ufffeb", "a\nb", "<script>\"&'>"]


def declared(name: str) -> dict[str, object]:
    chart = (
        alt.Chart(alt.NamedData("rows"))
        .mark_circle()
        .encode(x="n:Q", y=alt.Y("name:N"), description="name:N")
    )
    return charts.declared(chart, f"About {name}", rows={"rows": [{"n": 1, "name": name}]})


@pytest.mark.parametrize("name", ODD)
def test_no_name_ends_the_drawing(name: str) -> None:
    drawn = charts.svg_of(declared(name))
    titles = [one.text for one in ElementTree.fromstring(drawn).iter() if one.tag.endswith("title")]
    assert titles == [charts.UNSHOWN.sub("\ufffd", name)]
    assert charts.pdf_of(declared(name)).startswith(b"%PDF")
