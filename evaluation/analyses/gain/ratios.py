"""Ratios of magnitudes of documents of higher and lower levels (section 8, Figure 15)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import boxes, plots, published
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, span
from evaluation.study import label_levels
from evaluation.study.data import StudyData
from evaluation.study.fits import magnitude
from magnitudes.files.words import count
from magnitudes.gains import GainError
from magnitudes.gains.profiles import ABOVE_RATIO, Ratios, level_ratios

# In the paper, and what Kanoulas and Aslam (CIKM 2009) recommend, as it reports.
MEDIANS = published.values("level_ratio_medians")
PAPER = [*zip(MEDIANS.values(), published.values("level_ratio_means").values(), strict=True)]
RECOMMENDED = published.value("recommended_ratio")
IN_PAPER = published.quote(
    "The paper found medians of {level_ratio_medians.H/R}, {level_ratio_medians.H/(R or M)} and "
    "{level_ratio_medians.(H or R)/M} and means of {level_ratio_means.H/R}, "
    "{level_ratio_means.H/(R or M)} and {level_ratio_means.(H or R)/M} for H/R, H/(R or M) and "
    "(H or R)/M"
)


class Ratio(NamedTuple):
    """The box of the ratios of two levels, and how many of them are above the limit."""

    levels: str
    n: int
    low: float
    q1: float
    median: float
    q3: float
    high: float
    mean: float
    above: int


@dataclass(frozen=True)
class Found:
    """Ratios of all documents, and, where there are anchors, without them."""

    every: Ratios
    without_anchors: Ratios | None

    @property
    def different(self) -> list[int]:
        """The places of the ratios: on a scale of three levels all three are the same one."""
        names = self.every.names
        return [place for place, name in enumerate(names) if name not in names[:place]]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """How many times as much a level is worth as the one below, by pairs within units."""
    if reason := label_levels.why_no_scale(data):
        return Analysed([reason])
    try:
        found = compute(data)
    except GainError as fault:
        return Analysed([f"Ratios cannot be taken: {fault}."])
    if reason := found.every.reason:
        return Analysed(
            [f"There is no ratio between relevant levels: {reason}. The paper has three."]
        )
    return Analysed([says(found)], [figure(found), table(found)], numbers(found))


def numbers(found: Found) -> dict[str, list[float] | list[str]]:
    """Medians and means of the ratios, and of which levels they are."""
    rows = [row for row in map(ratios(found.every).__getitem__, found.different) if row.n]
    return {
        "of": [row.levels for row in rows],
        "medians": [row.median for row in rows],
        "means": [row.mean for row in rows],
    }


def compute(data: StudyData) -> Found:
    """It may raise GainError."""
    units, top = label_levels.units(data), label_levels.top(data)
    every = level_ratios(units.scores, units.labels, top)
    if not data.has_anchors:
        return Found(every, None)
    others = np.where(units.is_anchor, np.nan, units.labels)
    return Found(every, level_ratios(units.scores, others, top))


def ratios(of_levels: Ratios) -> list[Ratio]:
    box = of_levels.boxes
    columns = box.counts, box.low, box.lower, box.median, box.upper, box.high, box.mean
    names = (name.replace("/", " / ").replace("-", "–") for name in of_levels.names)
    rows = zip(*(column.tolist() for column in (*columns, of_levels.above)), strict=True)
    return [Ratio(name, *row) for name, row in zip(names, rows, strict=True)]


def says(found: Found) -> str:
    rows = [row for row in map(ratios(found.every).__getitem__, found.different) if row.n]
    return (
        f"{_title(rows)}. Medians are {_by_levels(rows, 'median')}, means "
        f"{_by_levels(rows, 'mean')}. {IN_PAPER}: a few workers make large "
        "differences."
    )


def _title(rows: Sequence[Ratio]) -> str:
    medians = [row.median for row in rows]
    times = span(min(medians), max(medians), lambda median: f"{median:,.2f}").removeprefix("from ")
    return f"At the median a higher level is scored {times} times a lower one"


def _by_levels(rows: Sequence[Ratio], value: str) -> str:
    return ", ".join(f"{getattr(row, value):,.2f} ({row.levels})" for row in rows)


def figure(found: Found) -> Figure:
    computed, rows = found.every.boxes, ratios(found.every)
    ends = boxes.ends(computed, RECOMMENDED)
    names = [boxes.label(row.levels, row.n, row.above, ABOVE_RATIO) for row in rows]
    different = [rows[place] for place in found.different]
    used = [names[place] for place in found.different if rows[place].n]
    drawn = boxes.whole_rows(computed, names, ends)
    unseen = sum(int(computed.outliers[place]) for place in found.different) - sum(
        "value" in box and box["group"] in used for box in drawn
    )
    return Figure(
        "boxes",
        _title([row for row in different if row.n]),
        "Ratios of scores of a higher level and a lower one, of all pairs within units.",
        _chart(used, ends),
        {
            "boxes": [box for box in drawn if box["group"] in used],
            "advice": [{"at": RECOMMENDED}],
        },
        Ratio,
        different,
        "Figure 15",
        reading="Before the stroke the higher levels, after it the lower ones; boxes hold half of "
        "the pairs, the thick line is their median. Look for boxes that reach below 1: pairs in "
        f"the opposite order. Dashed: {RECOMMENDED}, which Kanoulas and Aslam recommend for "
        "telling systems apart."
        + (f" Not drawn: {count(unseen, 'ratio')} beyond the axis." if unseen else ""),
    )


def _chart(names: list[str], ends: tuple[float, float]) -> Any:
    title, axis = "ratio of scores", plots.decades(*ends)
    across = plots.names("group", names, "levels")
    of_ratios = plots.boxes("boxes", across, title, **axis)
    advice = plots.rule_at("advice", y=plots.axis("at", title, **axis))
    return plots.sized(plots.layer(of_ratios, advice))


def table(found: Found) -> Table:
    documents = {"all": found.every, "without anchors": found.without_anchors}
    return Table(
        "ratios",
        "Ratios of magnitudes of two levels, within units",
        ("documents", *Ratio._fields, "paper's_median", "paper's_mean"),
        [
            (name, *row, *(PAPER[place] if of_levels is found.every else (None, None)))
            for name, of_levels in documents.items()
            if of_levels
            for place, row in enumerate(ratios(of_levels))
            if place in found.different
        ],
        (
            f"Pairs: of documents of a unit. Above: ratios over {ABOVE_RATIO:g}. The paper's are "
            f"for {', '.join(MEDIANS)}, with anchors. A dash: no unit has such a pair, or the "
            "paper does not have the number.",
        ),
        "Figure 15",
    )


ANALYSIS = Analysis("ratios", "How much more is a higher level worth?", analyse, fits=magnitude)
