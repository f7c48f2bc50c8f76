"""Ratios of magnitudes of documents of higher and lower levels (section 8, Figure 15)."""

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import scale
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.study.fits import magnitude
from evaluation.analyses.telling import clipped, plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, number
from evaluation.gains import GainError
from evaluation.gains.profiles import ABOVE_RATIO, Ratios, level_ratios

NAMES = ("H/R", "H/(R or M)", "(H or R)/M")
MEDIANS, MEANS = (1.00, 1.00, 1.14), (48, 22, 24)
RECOMMENDED = 1.1  # by Kanoulas and Aslam (CIKM 2009), as the paper reports


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """How many times as much a level is worth as the one below, by pairs within units."""
    if reason := scale.why_not(data):
        return Analysed([reason])
    units, top = scale.units(data), scale.top(data)
    try:
        found = level_ratios(units.scores, units.labels, top)
    except GainError as fault:
        return Analysed([f"Ratios cannot be taken: {fault}."])
    if found.reason:
        return Analysed(
            [f"There is no ratio between relevant levels: {found.reason}. The paper has three."]
        )
    without = np.where(units.is_anchor, np.nan, units.labels)
    rest = level_ratios(units.scores, without, top)
    names = [_read(name) for name in found.names]
    # On a scale of three levels all ratios are the same one.
    shown = [place for place in range(3) if found.names[place] not in found.names[:place]]
    said = "; ".join(
        f"{number(found.boxes.median[place])} and {number(found.boxes.mean[place])} for levels "
        f"{names[place]}"
        for place in shown
        if found.boxes.counts[place]
    )
    return Analysed(
        [
            "Ratios of magnitudes of documents of two levels, within a unit, have the median and "
            f"mean {said}. The paper found medians of 1.00, 1.00 and 1.14 and means of 48, 22 and "
            "24 for H/R, H/(R or M) and (H or R)/M: a few people make large differences.",
        ],
        [
            _figure(found, shown),
            _table({"all": found, "without anchors": rest}, shown),
        ],
    )


def _read(name: str) -> str:
    """“3/1-2” for reading."""
    return name.replace("/", " / ").replace("-", "–")


def _figure(found: Ratios, shown: list[int]) -> Figure:
    of, end = found.boxes, clipped.end_for(found.boxes.median, ABOVE_RATIO)
    names = [
        clipped.lines(_read(name), int(n), int(above), ABOVE_RATIO)
        for name, n, above in zip(found.names, of.counts, found.above, strict=True)
    ]
    used = [names[place] for place in shown if of.counts[place]]
    title = "ratio of scores"
    return Figure(
        "boxes",
        "A higher level is worth "
        + ", ".join(
            f"{number(of.median[p])} ({_read(found.names[p])})" for p in shown if of.counts[p]
        )
        + " times a lower one at the median",
        "Each box: all pairs of a document of the levels before the stroke and one of those after "
        f"it, within units. Dashed: {RECOMMENDED}, which Kanoulas and Aslam recommend for telling "
        "systems apart. Look for boxes that reach below 1: pairs in the opposite order. Cut off at "
        f"{end:.3g}.",
        plots.sized(
            plots.alt.layer(
                plots.boxes(
                    "boxes", plots.category("group", used, "levels"), title, domain=(0, end)
                ),
                plots.rule_at("advice", along=plots.y("at", title, domain=(0, end))),
            )
        ),
        {
            "boxes": [row for row in clipped.rows(of, names, end) if row["group"] in set(used)],
            "advice": [{"at": RECOMMENDED}],
        },
        ("levels", "n", "low", "q1", "median", "q3", "high", "mean", "above"),
        [_row(found, place) for place in shown],
        "Figure 15",
    )


def _row(found: Ratios, place: int) -> Row:
    of = found.boxes
    columns = (of.counts, of.low, of.lower, of.median, of.upper, of.high, of.mean, found.above)
    return (_read(found.names[place]), *(column[place].item() for column in columns))


def _table(found: dict[str, Ratios], shown: list[int]) -> Table:
    rows: list[Row] = [
        (name, *_row(of, place), MEDIANS[place], MEANS[place])
        for name, of in found.items()
        for place in shown
    ]
    return Table(
        "ratios",
        "Ratios of magnitudes of two levels, within units",
        (
            *("documents", "levels", "n", "low", "q1", "median", "q3", "high", "mean", "above"),
            *("paper's_median", "paper's_mean"),
        ),
        rows,
        (
            f"n: pairs of documents of a unit. above: ratios over {ABOVE_RATIO:g}. The paper's are "
            f"for {', '.join(NAMES)}. A dash: no unit has such a pair.",
        ),
        "Figure 15",
    )


ANALYSIS = Analysis("ratios", "How much more is a higher level worth?", analyse, fits=magnitude)
