"""Systems by their means, with bars that do not overlap where two differ.

Of the analysis `significance`.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from evaluation.analyses.systems import all_pairs
from evaluation.analyses.systems.all_pairs import SOURCE, Tested
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS
from evaluation.presentation.parts import Figure, number
from magnitudes.files.words import count

MAX_NAMED = 50  # systems whose names there is room for
PER_NAME, PER_SYSTEM = 17, 7  # pixels of a row, with and without
SETS = dict(zip(all_pairs.SETS, (("circle", plots.MARK), ("diamond", plots.OTHER)), strict=True))
BARS = "place", "system", "mean", "low", "high", "set"


def figure(tested: Tested) -> Figure:
    systems, best = tested.systems, tested.systems["mean"].max()
    ends = 0.0, 1.0 if best <= 1 else np.inf  # no mean lies beyond
    cut = {end: np.clip(systems[end], *ends) for end in ("low", "high")}
    edge = float(systems["mean"][0]) - tested.critical
    return systems.of_columns(*BARS).figure(
        f"systems-{tested.slug}",
        _title(tested),
        f"Dots: means by {tested.measure.short}; bars: half of the critical difference to both "
        "sides.",
        _chart(tested),
        data={
            ROWS: systems.with_columns(**cut).marks("{system}: {mean}, place {place}, {set}"),
            # left of which means differ from the best
            "edge": [{"low": edge}] if tested.is_enough and edge >= 0 else [],
        },
        source=f"section 5 {SOURCE}",
        reading=(
            "One row a system, the best above. Two systems differ where their bars do not overlap; "
            "dots left of the dashed line differ significantly from the best. "
            f"Half of the critical difference is {number(tested.critical / 2)}; bars are cut where "
            "no mean can be."
        ),
    )


def _title(tested: Tested) -> str:
    pairs, measure = tested.told.pairs, tested.measure.short
    if not tested.is_enough:
        return tested.too_few
    if not pairs.differ:
        seed = f" ({pairs.by_seed})" if pairs.by_seed else ""
        return f"By {measure}, no difference between systems can be shown{seed}"
    return (
        f"By {measure}, {pairs.said} of {count(pairs.all, 'pair')} of systems "
        f"{'differs' if pairs.differ == 1 else 'differ'}; without {tested.told.busiest}, "
        f"{tested.told.others.said}"
    )


def _chart(tested: Tested) -> Any:
    """Systems from top to bottom, by place where there is no room for names."""
    n, title = len(tested.systems), f"mean {tested.measure.short}"
    named = n <= MAX_NAMED
    places = replace(
        plots.names("place", range(1, n + 1), "place"), values=[1, *range(10, n + 1, 10)]
    )
    down = plots.names("system", tested.systems["system"].tolist()) if named else places
    across = plots.axis("low", title)
    grey = {"colour": plots.INK, "opacity": 0.45, "width": 2}
    spans = plots.mark("rule", ROWS, x=across, x2="high", y=down, **grey)
    dots = plots.shaped(ROWS, plots.axis("mean", title), down, "set", SETS)
    return plots.sized(
        plots.layer(plots.rule_at("edge", x=across), spans, dots),
        n * (PER_NAME if named else PER_SYSTEM) + 10,
        plots.WIDTH - (180 if named else 50),
    )
