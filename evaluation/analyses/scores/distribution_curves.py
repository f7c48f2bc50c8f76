"""Distribution functions of scores, and the log-normals that are fitted to them, as curves."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Figure, number, percent
from evaluation.study.data import Floats
from magnitudes.files.words import count
from magnitudes.spread.distribution import ROUND, empirical_cdf, fit_log_normal
from web.drawing.charts import Plot

RANGE = (0.01, 100.0)  # drawn where nearly all scores lie in it
NEARLY_ALL = 0.95
TAILS = (0.005, 0.995)
STEPS, STEPS_OF_A_TOPIC = 200, 40
ALL = "all"  # the name of all topics together
Groups = Mapping[str, Floats]  # scores, by name of the topic


def drawn_range(values: Floats) -> tuple[float, float]:
    """0.01 to 100 if nearly all values lie there, else from where to where 99% do.

    >>> drawn_range(np.array([0.5, 1, 50])), drawn_range(np.full(8, 1e9))
    ((0.01, 100.0), (100000000.0, 10000000000.0))
    """
    if ((values >= RANGE[0]) & (values <= RANGE[1])).mean() >= NEARLY_ALL:
        return RANGE
    low, high = np.quantile(np.log10(values), TAILS)
    if high - low < 1:
        low, high = low - 1, high + 1
    return float(10**low), float(10**high)


def curves(
    name: str,
    title: str,
    groups: Groups,
    every: Floats,
    called: str,
    left_out: int = 0,
    **about: Any,
) -> Figure:
    """One panel, or one for each of several groups; every: the scores whose range is drawn."""
    several = len(groups) > 1
    ends = drawn_range(every)
    steps = STEPS_OF_A_TOPIC if several else STEPS
    chart = _chart(ends, "score" if several else called)
    panels = plots.panels(chart, "topic", list(groups)) if several else plots.sized(chart)
    left = f". Left out: {count(left_out, 'topic')} closer to the fit." if left_out else "."
    return _points(groups, steps).figure(
        name,
        title,
        f"Steps: scores; smooth: the fitted log-normal; dashed: 1, 2, 5 and 10{left}",
        panels,
        data=marks(groups, steps, ends),
        reading="The share of scores at or below a score. The log-normal has the mean and the "
        "deviation of their logarithms. Look for steps where a number is liked; steps of less than "
        f"{percent(1 / steps, 1)} are drawn together.",
        **about,
    )


def _points(groups: Groups, steps: int) -> Frame:
    rows: list[tuple[Any, ...]] = []
    for topic, scores in groups.items():
        values, shares = empirical_cdf(scores, steps)
        fitted = fit_log_normal(scores).cdf(values)
        rows += zip([topic] * len(values), values, shares, fitted, strict=True)
    return Frame.of_rows("topic score share_at_or_below log_normal", rows)


def _chart(ends: tuple[float, float], title: str) -> Plot:
    """Steps, fit and dashed lines, each from rows of its own kind."""
    across = plots.axis("score", title, log=True, domain=ends)
    up = plots.axis("share", "share at or below", domain=(0, 1), values=[0, 0.5, 1])
    return plots.layer(
        plots.rule_at("round", x=across),
        plots.line("fit", across, up, colour=plots.OTHER, width=1.5, named=True),
        plots.line("steps", across, up, width=1.5, step="after", named=True),
    )


def marks(groups: Groups, steps: int, ends: tuple[float, float]) -> dict[str, list[dict[str, Any]]]:
    """What is drawn, nothing outside of the ends."""
    low, high = ends
    smooth = np.geomspace(low, high, max(steps // 2, 30))
    fitted, stepped = [], []
    for topic, scores in groups.items():
        cdf, fit = empirical_cdf(scores, steps), fit_log_normal(scores)
        inside = (cdf.values > low) & (cdf.values < high)
        below, to_the_end = ((scores <= end).mean() for end in ends)
        x, y = [low, *cdf.values[inside], high], [below, *cdf.shares[inside], to_the_end]
        whose = "" if topic == ALL else f"topic {topic}, "
        quartiles = ", ".join(map(number, np.quantile(scores, (0.25, 0.5, 0.75))))
        stepped += Frame.of(score=x, share=y).marks(
            topic=topic, name=f"{whose}{len(scores):,} scores: quartiles {quartiles}"
        )
        if fit.sd > 0:
            middle = number(float(np.exp(fit.mean)))
            fitted += Frame.of(score=smooth, share=fit.cdf(smooth)).marks(
                topic=topic, name=f"{whose}log-normal: median {middle}, sd of logs {number(fit.sd)}"
            )
    inside_range = [{"score": value} for value in ROUND if low < value < high]
    return {"round": inside_range, "fit": fitted, "steps": stepped}
