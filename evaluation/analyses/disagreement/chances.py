"""How likely others find best what one labelled lower: p(T|i).

Demeester and others (WSDM 2014), section 3.2. A part of the analysis `weights`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, Tell, drawn, number, percent
from evaluation.study import levels
from evaluation.study.data import StudyData
from magnitudes.agreement.opinions import Names
from magnitudes.files.words import count
from magnitudes.gains.disagreement import disagreement, reasons, sums
from magnitudes.gains.disagreement_bootstrap import RESAMPLES, bootstrap_disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.topic_interval import by_topic, disagreement_over_topics

USERS = ((1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (2, 5))
M, N = map(list, zip(*USERS, strict=True))
USER_NAMES = [f"{m}/{n}" for m, n in USERS]
OF_THREE = USERS.index((1, 3))  # as in the gains `udm:1/3`
OTHERWISE = {
    levels.ALL: "On all documents",
    levels.APART: "Where labels of one worker on one document are not held against each other",
    levels.OTHERS: "Without the anchors, which everybody judges and whose order check (c) forces,",
}
STYLES = (("circle", plots.MARK), ("diamond", plots.OTHER))
FIELDS = ("counted", "level", "labels", "p", "low", "high")  # of a Chance, in the figure


class Chance(NamedTuple):
    """p(T|i), how many labels it is from, its 95% interval, and the weights P(M/N) by it."""

    counted: str  # which opinions
    level: str
    labels: int
    p: float
    low: float
    high: float
    weights: tuple[float, ...]  # (users,)


class Reading(NamedTuple):
    """One way to count opinions: the chances of its levels, lowest first."""

    name: str
    documents: int  # with two judges
    chances: list[Chance]


@dataclass(frozen=True)
class Found:
    """The readings of the opinions, the main one first."""

    names: Sequence[str]  # of the levels
    readings: list[Reading]
    over: str  # what intervals are over: topics or documents
    seed: int
    careful: str  # what is not sure about the main reading, or empty

    @property
    def main(self) -> list[Chance]:
        return self.readings[0].chances

    @property
    def top(self) -> str:
        return self.names[-1]

    @property
    def interval(self) -> str:
        """What low and high are."""
        if self.over == "topics":
            return "Student's 95% intervals over topics, cut at 0 and 1"
        return f"95% of {RESAMPLES:,} draws of documents with replacement, seed {self.seed}"

    def numbers(self) -> dict[str, str | float]:
        best = self.main[-1]
        return {
            "reading": self.readings[0].name,
            "top": self.top,
            "p_top": best.p,
            "p_top_low": best.low,
            "p_top_high": best.high,
            **{f"p_{level}": row.p for level, row in enumerate(self.main)},
            "observations": sum(row.labels for row in self.main),
            "interval": self.interval,
        }


def compute(data: StudyData, tell: Tell) -> Found:
    names = levels.names(data)
    over = "topics" if len(data.topics) >= levels.ENOUGH_TOPICS else "documents"
    every, readings = levels.readings(data), []
    for reading in every:
        readings.append(_read(reading, names, over, data.seed))
        tell(len(readings) / len(every))
    faults = reasons(disagreement(every[0].opinions), Names(data.study.levels))
    where = "" if data.study.is_graded else " (levels from 0)"
    careful = "; ".join(fault for fault in faults if fault)
    return Found(names, readings, over, data.seed, careful and f"{careful}{where}")


def _read(reading: levels.Reading, names: Sequence[str], over: str, seed: int) -> Reading:
    disagreed = disagreement(reading.opinions)
    if over == "topics":
        ends = disagreement_over_topics(by_topic(sums(reading.opinions), reading.opinions))
    else:
        ends = bootstrap_disagreement(reading.opinions, seed=seed)[1:3]
    columns = (disagreed.observations, disagreed.p, *ends)
    numbers = zip(*(column.tolist() for column in columns), strict=True)
    weights = map(tuple, level_weights(disagreed.p, M, N).T.tolist())
    chances = [
        Chance(reading.name, name, labels, p, low, high, of_users)
        for name, (labels, p, low, high), of_users in zip(names, numbers, weights, strict=True)
    ]
    documents = int(levels.two_judges(reading.opinions).sum())
    return Reading(reading.name, documents, chances)


def _between(row: Chance) -> str:
    """The interval of a chance, if there is one: a level on one topic has none."""
    return "" if np.isnan(row.low) else f" ({percent(row.low, 1)} to {percent(row.high, 1)})"


def says(found: Found) -> Iterator[str]:
    main, *others = found.readings
    chances = [
        f"{row.level} {percent(row.p, 1)}{_between(row)}"
        for row in main.chances
        if not np.isnan(row.p)
    ]
    yield (
        f"Chance that another judge says {found.top} after one said: {', '.join(chances)}; from "
        f"{count(main.documents, 'document')} ({main.name}), with 95% intervals."
    )
    top, below = len(found.names) - 1, main.chances[-2]
    if not np.isnan(below.p) and top > 1:
        yield (
            f"The weight P(1/3) of {below.level}, the chance that at least one of three users "
            f"calls such a document {found.top}, is {number(below.weights[OF_THREE])}; linear "
            f"gains give it {number((top - 1) / top)}, exponential ones "
            f"{number((2 ** (top - 1) - 1) / (2**top - 1))} of the best."
        )
    for reading in others:
        p = reading.chances[-2].p
        if not np.isnan(p + below.p):
            here, there = _three(below.p), _three(p)
            yield (
                f"{OTHERWISE[reading.name]} the chance after {below.level} is "
                + (f"{there}, too." if here == there else f"{there} rather than {here}.")
            )
    if found.careful:
        yield f"To be careful with: {found.careful}."


def _three(p: float) -> str:
    """Three decimals, without the zero before them."""
    return f"{p:.3f}".lstrip("0")


def figure(found: Found) -> Figure:
    shown = found.readings[:2]
    rows = [row for reading in shown for row in reading.chances if not np.isnan(row.p)]
    kinds = dict(zip([reading.name for reading in shown], STYLES, strict=False))
    order = [name for name in reversed(found.names) if name in {row.level for row in rows}]
    chart = plots.intervals_of_kinds(
        "levels",
        "p",
        "chance of the top level",
        plots.names("level", order),
        "counted",
        kinds,
        percent=True,
        domain=(0, min(1.0, 1.05 * max(row.high for row in rows) + 0.01)),
    )
    return Figure(
        "chances",
        _finding(found),
        f"A dot a level, with its 95% interval over {found.over}.",
        plots.sized(chart, max(44 * len(order), 80), plots.WIDTH - 150),
        {"levels": drawn(rows, "counted level p low high", _tooltip)},
        FIELDS,
        list(map(attrgetter(*FIELDS), rows)),
        levels.source("section 3.2"),
        reading="If judges agreed on what is best, the top level would be at 100% and all others "
        "at 0%. Levels that lie close together say little about who else will find a document "
        "best.",
    )


def _tooltip(row: Chance) -> str:
    return f"{row.level}, {row.counted}: {percent(row.p, 1)}, from {count(row.labels, 'label')}"


def _finding(found: Found) -> str:
    known = [row for row in found.main if not np.isnan(row.p)]
    last = known[-1]
    so = "so, too," if last.level == found.top else found.top
    others = "".join(f"; after {row.level}, in {percent(row.p)}" for row in known[-2:-1])
    return f"After {last.level} another judge says {so} in {percent(last.p)} of cases{others}"
