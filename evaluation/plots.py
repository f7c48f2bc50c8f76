"""Plots as SVG without scripts, drawn on the server."""

from typing import Any

import altair as alt
import vl_convert

# Lines and letters take the colour of the text around them, in light and dark.
INK = "currentColor"
MARK = "#2f7fc4"
ROW = 22
FONT = "system-ui, sans-serif"
# Room for a reader's font, which may be wider than the one measured here.
LABELS_MAY_BE_WIDER = 40


def ranking(systems: list[dict[str, Any]], measure: str) -> str:
    """Every system's mean with its 95% interval over topics, best first."""
    base = alt.Chart(alt.Data(values=systems)).encode(
        y=alt.Y(
            "run:N",
            sort=[system["run"] for system in systems],
            title=None,
            axis=alt.Axis(labelLimit=220, ticks=False, domain=False),
        )
    )
    interval = base.mark_rule(color=MARK, strokeWidth=2, opacity=0.6, clip=True).encode(
        x=alt.X("low:Q", title=f"{measure}, mean and 95% interval over topics"), x2="high:Q"
    )
    mean = base.mark_circle(color=MARK, size=70, opacity=1).encode(
        x=alt.X("mean:Q", scale=alt.Scale(domain=[0, 1]))
    )
    chart = (interval + mean).properties(width=420, height=max(ROW * len(systems), ROW))
    return _svg(chart, f"{measure} of {len(systems)} systems; the table has the numbers.")


def _svg(chart: alt.LayerChart, description: str) -> str:
    quiet = {"labelColor": INK, "titleColor": INK, "tickColor": INK, "domainColor": INK}
    drawn = (
        chart.configure(
            background="transparent",
            font=FONT,
            padding={"left": LABELS_MAY_BE_WIDER, "top": 4, "right": 8, "bottom": 4},
        )
        .configure_axis(
            **quiet,
            gridColor=INK,
            gridOpacity=0.15,
            labelFontSize=13,
            titleFontSize=13,
            titleFontWeight=400,
        )
        .configure_view(stroke=None)
        .properties(description=description)
    )
    svg: str = vl_convert.vegalite_to_svg(drawn.to_dict())
    return svg
