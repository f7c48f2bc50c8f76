"""Ratios of magnitudes of documents of higher and lower levels (section 8, Figure 15).

**Shows** the ratios of scores of two documents of a unit, one of a higher level: the top level over
the next; the top level over all lower relevant ones; the two upper levels over the lowest relevant
one, the last two in units with a document of level 1. Median, mean, and how many are above 3.5.

**Computed**: all pairs of documents of all units. A scale of three levels has one ratio, a binary
one none.

**Source**: section 8, Figure 15, where the levels are H, R and M.
"""

from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import boxes, plots, published
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, Result, Table, span, thinned
from evaluation.study import label_levels
from evaluation.study.applies_to import magnitude
from evaluation.study.data import StudyData
from magnitudes.files.words import count
from magnitudes.gains import GainError
from magnitudes.gains.profiles import ABOVE_RATIO, Ratios, level_ratios

# In the paper, and what Kanoulas and Aslam (CIKM 2009) recommend, as it reports.
MEDIANS = published.values("level_ratio_medians")
PAPER = {
    "paper's_median": [*MEDIANS.values()],
    "paper's_mean": [*published.values("level_ratio_means").values()],
}
RECOMMENDED = published.value("recommended_ratio")
IN_PAPER = published.quote(
    "The paper found medians of {level_ratio_medians.H/R}, {level_ratio_medians.H/(R or M)} and "
    "{level_ratio_medians.(H or R)/M} and means of {level_ratio_means.H/R}, "
    "{level_ratio_means.H/(R or M)} and {level_ratio_means.(H or R)/M} for H/R, H/(R or M) and "
    "(H or R)/M"
)


@analysis("How much more is a higher level worth?", applies_to=magnitude)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """How many times as much a level is worth as the one below, by pairs within units."""
    if reason := label_levels.why_no_scale(data):
        return Result([reason])
    try:
        computed = compute(data)
    except GainError as fault:
        return Result([f"Ratios cannot be taken: {fault}."])
    every = computed["all"]
    if why := every.reason:
        return Result([f"There is no ratio between relevant levels: {why}. The paper has three."])
    of_all = _ratios(every)
    with_pairs = of_all.where(of_all["n"] > 0)
    medians, means = with_pairs["median"].tolist(), with_pairs["mean"].tolist()
    numbers = {"of": with_pairs["levels"].tolist(), "medians": medians, "means": means}
    ends = with_pairs["median"].min(), with_pairs["median"].max()
    times = span(*ends, lambda median: f"{median:,.2f}").removeprefix("from ")
    title = f"At the median a higher level is scored {times} times a lower one"
    sentence = (
        f"{title}. Medians are {_by_levels(with_pairs, 'median')}, means "
        f"{_by_levels(with_pairs, 'mean')}. {IN_PAPER}: a few workers make large differences."
    )
    return Result([sentence], [_figure(of_all, every, title), _table(computed)], numbers)


def compute(data: StudyData) -> dict[str, Ratios]:
    """Ratios of all documents, and, where there are anchors, without them; may raise GainError."""
    units, top = label_levels.units(data), label_levels.top(data)
    labels = {"all": units.labels}
    if data.has_anchors:
        labels["without anchors"] = np.where(units.is_anchor, np.nan, units.labels)
    return {name: level_ratios(units.scores, of, top) for name, of in labels.items()}


def _ratios(ratios: Ratios) -> Frame:
    """The box of the ratios of two levels, and how many of them are above the limit.

    On a scale of three levels all three ratios are the same one, which is there once.
    """
    names = [name.replace("/", " / ").replace("-", "–") for name in ratios.names]
    return Frame.of(
        levels=names,
        n=Column(ratios.boxes.counts, "pairs"),
        **boxes.columns(ratios.boxes),
        above=ratios.above,
    ).where([place for place, name in enumerate(names) if name not in names[:place]])


def _by_levels(rows: Frame, value: str) -> str:
    return ", ".join(f"{getattr(row, value):,.2f} ({row.levels})" for row in rows)


def _figure(of_all: Frame, computed: Ratios, title: str) -> Figure:
    means = computed.boxes.mean[computed.boxes.counts > 0]
    ends = boxes.ends(computed.boxes, RECOMMENDED, *means)
    names = [boxes.label(row.levels, row.n, row.above, ABOVE_RATIO) for row in of_all]
    used = [name for name, n in zip(names, of_all["n"], strict=True) if n]
    # Ratios that are there twice come last.
    every = [*names, *[""] * (len(computed.names) - len(names))]
    drawn_of = [
        (every[computed.groups[at]], computed.values[at]) for at in thinned(len(computed.values))
    ]
    pairs = [{"group": of, "ratio": float(ratio)} for of, ratio in drawn_of if of in used]
    drawn = boxes.whole_rows(computed.boxes, every, ends, means=True)
    drawn = [box for box in drawn if box["group"] in used]
    unseen = computed.boxes.outliers[: len(of_all)].sum() - sum("value" in box for box in drawn)
    along, axis = "ratio of scores", plots.decades(*ends)
    across = plots.names("group", used, "levels")
    of_ratios = plots.boxes("boxes", across, along, means=True, **axis)
    ratio, at = (plots.axis(field, along, **axis) for field in ("ratio", "at"))
    style: dict[str, Any] = {"colour": plots.INK, "width": 3, "opacity": 0.15}
    dots = plots.mark("dots", "pairs", x=across, y=ratio, **style)
    advice, diamonds = plots.rule_at("advice", y=at), plots.paper(across, at)
    of_paper = [
        {"group": name, "at": median, "name": f"the paper's median of {of}: {median:.2f}"}
        for name, (of, median) in zip(names, MEDIANS.items(), strict=False)
        if name in used and len(names) == len(MEDIANS)
    ]
    return of_all.figure(
        "boxes",
        title,
        "Ratios of scores of a higher level and a lower one, of all pairs within units; diamonds: "
        "means; grey: pairs. Below: how many pairs, n, and how many of them above "
        f"{ABOVE_RATIO:g}.",
        plots.layer(of_ratios, dots, advice, diamonds),
        data={"pairs": pairs, "advice": [{"at": RECOMMENDED}], "boxes": drawn, OF_PAPER: of_paper},
        source="Figure 15",
        reading="Before the stroke the higher levels, after it the lower ones; boxes hold half of "
        "the pairs, the thick line is their median. Look for boxes that reach below 1: pairs in "
        f"the opposite order. Dashed: {RECOMMENDED}, which Kanoulas and Aslam recommend for "
        "distinguishing systems."
        + (f" Not drawn: {count(unseen, 'ratio')} beyond the axis." if unseen else ""),
    )


def _table(computed: dict[str, Ratios]) -> Table:
    named = []
    for name, ratios in computed.items():
        frame = _ratios(ratios)
        papers = PAPER if ratios is computed["all"] else {of: [None] * len(frame) for of in PAPER}
        paper = {of: values[: len(frame)] for of, values in papers.items()}
        named.append(Frame.of(documents=[name] * len(frame), **frame.columns, **paper))
    note = (
        f"Pairs: of documents of a unit. Above: ratios over {ABOVE_RATIO:g}. The paper's are "
        f"for {', '.join(MEDIANS)}, with anchors. A dash: no unit has such a pair, or the "
        "paper does not have the number."
    )
    title = "Ratios of magnitudes of two levels, within units"
    return named[0].followed_by(*named[1:]).table("ratios", title, note, source="Figure 15")
