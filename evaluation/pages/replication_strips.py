"""A small picture of several quantities on one axis: ours as dots, the paper's as diamonds."""

from typing import Any

from evaluation.analyses.quantities import Compared
from evaluation.presentation import plots
from evaluation.presentation.parts import OF_PAPER
from web.drawing.thumbnails import thumbnail

LINE = 18  # pixels of a row
ONE = 1.0


def strip(every: list[Compared], described: str, *, beside_paper: bool) -> str:
    """Shares and correlations on one axis, or, where there are none, all; empty of nothing."""
    shown = [of for of in every if max(abs(of.ours.number), abs(of.theirs.number)) <= ONE] or every
    if not shown:
        return ""
    theirs = [of.theirs.number for of in shown] if beside_paper else []
    known = [end for of in shown if of.ours.has_interval for end in (of.ours.low, of.ours.high)]
    numbers = [*theirs, *known, *(of.ours.number for of in shown)]
    down = plots.names("quantity", [of.quantity for of in shown])
    style: dict[str, Any] = {
        "domain": (min(0.0, *numbers), max(ONE, *numbers)),
        "ticks": 3,
        "percent": all(of.ours.text.endswith(("%", ")")) for of in shown),
    }
    low, ours, of_paper = (plots.axis(name, None, **style) for name in ("low", "ours", "theirs"))
    chart = plots.layer(
        plots.mark("rule", "ours", x=low, x2="high", y=down, width=2, opacity=0.7),
        plots.points("ours", ours, down, size=50, opacity=1),
        plots.paper(of_paper, down),
    )
    rows = [
        {
            "quantity": of.quantity,
            "ours": of.ours.number,
            "low": of.ours.low if of.ours.has_interval else of.ours.number,
            "high": of.ours.high if of.ours.has_interval else of.ours.number,
            "theirs": of.theirs.number,
        }
        for of in shown
    ]
    data = {"ours": rows, OF_PAPER: rows if beside_paper else []}
    return thumbnail(plots.sized(chart, LINE * len(shown)), described, data)
