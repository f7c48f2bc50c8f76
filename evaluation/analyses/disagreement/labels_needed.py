"""The chance p of the top level, from few and from many other labels of a document.

Demeester and others (WSDM 2014), section 3.2: Figure 1. A part of the analysis `prediction`.
"""

from collections.abc import Sequence

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Result, number
from evaluation.study.levels import columns, source
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.prediction import p_by_labels

REPEATS = 50  # draws, as in the paper


def analyse(many: Opinions, least: int, names: Sequence[str], seed: int) -> Result:
    """How far p strays when it is from two labels of a document, and from all.

    many: opinions on documents with `least` labels or more; names: of the levels.
    """
    of_draws = p_by_labels(many, least, REPEATS, seed=seed)
    n_others, below = len(of_draws.mean), names[-2]
    chances = Frame.of(
        level=np.repeat(np.array(names, dtype=object), n_others),
        other_labels=np.tile(np.arange(1, n_others + 1), len(names)),
        p=Column(of_draws.mean.T.ravel(), head="chance"),
        sd=of_draws.sd.T.ravel(),
    )
    few, *_, most = chances.where(chances["level"] == below)
    sentence = (
        f"From two labels of each document the chance after {below} averages {few.p:.3f}, "
        f"and {most.p:.3f} from {n_others + 1}; from one draw to another it strays by "
        f"{few.sd:.3f} and {most.sd:.3f} (standard deviation "
        f"of {REPEATS} draws, seed {seed})."
    )
    says = [] if np.isnan(few.p + most.p) else [sentence]
    return Result(says, [_figure(chances, names, n_others)])


def _figure(chances: Frame, names: Sequence[str], n_others: int) -> Figure:
    rows = chances.where(~np.isnan(chances["sd"]))
    low, high = rows["p"] - rows["sd"], rows["p"] + rows["sd"]
    order = [name for name in reversed(names) if name in rows["level"]]
    title, domain = "chance of the top level", (0, high.max() * 1.05 + 0.01)
    across = plots.axis("other_labels", "other labels", **plots.whole(1, n_others))
    up, from_low = (plots.axis(field, title, domain=domain) for field in ("p", "low"))
    chart = plots.layer(
        plots.mark("rule", ROWS, x=across, y=from_low, y2="high", width=2),
        plots.points(ROWS, across, up, size=50, opacity=1),
    )
    label = "{level}, {other_labels} other labels: {p:.3f} ± {sd:.3f}"
    return rows.figure(
        "by-labels",
        f"The chance that another says {names[-1]}, from 1 to {n_others} other labels",
        f"From 1 to {n_others} other labels of each document, with one standard deviation of "
        f"{REPEATS} draws.",
        plots.panels(chart, "level", order, columns=columns(order), height=150),
        data={ROWS: rows.with_columns(low=low, high=high).marks(label)},
        source=source("Figure 1"),
        reading="Each panel has a level, its dots the chance that another says the top level. All "
        "dots of a level are expected at the same height: look for how much the bars shrink, and "
        f"whether levels differ (their means are up to {number(np.ptp(rows['p']), 2)} "
        "apart).",
    )
