"""The plot of a ranking."""

from typing import Any

import altair as alt

from web import charts
from web.charts import MARK

ROW = 22


def ranking(
    systems: list[dict[str, Any]], measure: str, crowd: str, gains: str = ""
) -> dict[str, Any]:
    """Every system's mean with its 95% interval over topics, best first, and who judged.

    `gains`: their name, if they are not the usual ones of the study.
    """
    judged = "" if crowd == "people" else f" ({crowd})"
    measure += f" of {gains}" if gains else ""
    base = alt.Chart(alt.NamedData("systems")).encode(
        y=alt.Y(
            "run:N",
            sort=[system["run"] for system in systems],
            title=None,
            axis=alt.Axis(labelLimit=220, ticks=False, domain=False),
        )
    )
    interval = base.mark_rule(color=MARK, strokeWidth=2, opacity=0.6, clip=True, aria=False).encode(
        x=alt.X("low:Q", title=[measure + judged, "mean and 95% interval over topics"]), x2="high:Q"
    )
    mean = base.mark_circle(color=MARK, size=70, opacity=1).encode(
        x=alt.X("mean:Q", scale=alt.Scale(domain=[0, 1])), description="name:N"
    )
    chart = (interval + mean).properties(width=420, height=max(ROW * len(systems), ROW))
    said = f"{measure} of {len(systems)} systems{judged}; the table has the numbers."
    return charts.declared(chart, said, rows={"systems": [_row(system) for system in systems]})


def _row(system: dict[str, Any]) -> dict[str, Any]:
    kept = {name: system[name] for name in ("run", "mean", "low", "high")}
    return {"name": f"{system['run']}: rank {system['rank']}, {system['mean']:.4f}", **kept}
