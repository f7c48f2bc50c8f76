"""How likely others find best what one labelled lower: p(T|i).

Demeester and others (WSDM 2014), section 3.2. A part of the analysis `weights`.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.analysis import OnProgress, tracked
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, number, percent
from evaluation.study import levels
from evaluation.study.data import StudyData
from magnitudes.agreement.opinions import Names, Opinions
from magnitudes.files.words import count
from magnitudes.gains.disagreement import disagreement, reasons, sums
from magnitudes.gains.disagreement_bootstrap import RESAMPLES, bootstrap_disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.topic_interval import by_topic, disagreement_over_topics

USERS = ((1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (2, 5))
M, N = map(list, zip(*USERS, strict=True))
WEIGHTS = [f"P({m}/{n})" for m, n in USERS]
OF_THREE = "P(1/3)"  # as in the gains `udm:1/3`
FIELDS = ("counted", "level", "labels", "p", "low", "high")  # in the figure
OTHERWISE = {
    levels.ALL: "On all documents",
    levels.APART: "Where labels of one worker on one document are not compared with each other",
    levels.OTHERS: "Without the anchors, which everybody judges and whose order a check forces,",
}
STYLES = (("circle", plots.MARK), ("diamond", plots.OTHER))


def compute(data: StudyData, on_progress: OnProgress) -> Frame:
    """By reading of the opinions, the main one first, p(T|i) of each level, and its weights.

    counted: which opinions; labels: how many p is from; low, high: its 95% interval.
    """
    names, readings, rows = levels.names(data), levels.readings(data), []
    for counted, opinions in tracked(readings, on_progress):
        disagreed = disagreement(opinions)
        if over(data) == "topics":
            low, high = disagreement_over_topics(by_topic(sums(opinions), opinions))
        else:
            low, high = bootstrap_disagreement(opinions, seed=data.seed)[1:3]
        weights = level_weights(disagreed.p, M, N)
        columns = disagreed.observations, disagreed.p, low, high, *weights
        rows += [(counted, *row) for row in zip(names, *columns, strict=True)]
    frame = Frame.of_rows([*FIELDS, *WEIGHTS], rows)
    return frame.with_heads(counted="opinions counted", p="chance")


def over(data: StudyData) -> str:
    """What intervals are over."""
    return "topics" if len(data.topics) >= levels.ENOUGH_TOPICS else "documents"


def interval(data: StudyData) -> str:
    """What low and high are."""
    if over(data) == "topics":
        return "Student's 95% intervals over topics, cut at 0 and 1"
    return f"95% of {RESAMPLES:,} draws of documents with replacement, seed {data.seed}"


def by_reading(chances: Frame) -> dict[str, Frame]:
    """The chances of each reading, the main one first."""
    of = dict.fromkeys(chances["counted"])
    return {counted: chances.where(chances["counted"] == counted) for counted in of}


def sentences(data: StudyData, chances: Frame, opinions: Opinions) -> Iterator[str]:
    """opinions: those of the main reading."""
    (counted, main), *others = by_reading(chances).items()
    names = levels.names(data)
    top = len(names) - 1
    known = [
        f"{row.level} {percent(row.p, 1)}"
        # A level on one topic has no interval.
        + ("" if np.isnan(row.low) else f" ({percent(row.low, 1)} to {percent(row.high, 1)})")
        for row in main
        if not np.isnan(row.p)
    ]
    documents = count(int(levels.two_judges(opinions).sum()), "document")
    yield (
        f"Chance that another judge assigns {names[-1]} after one assigned: {', '.join(known)}; "
        f"from {documents} ({counted}), with 95% intervals."
    )
    below = main["p"][-2]
    if not np.isnan(below) and top > 1:
        yield (
            f"The weight P(1/3) of {names[-2]}, the chance that at least one of three users "
            f"assigns {names[-1]} to such a document, is {number(main[OF_THREE][-2])}; linear "
            f"gains give it {number((top - 1) / top)}, exponential ones "
            f"{number((2 ** (top - 1) - 1) / (2**top - 1))} of the best."
        )
    for counted, other in others:
        p = other["p"][-2]
        if not np.isnan(p + below):
            here, there = (f"{each:.3f}".lstrip("0") for each in (below, p))
            yield (
                f"{OTHERWISE[counted]} the chance after {names[-2]} is "
                + (f"{there}, too." if here == there else f"{there} rather than {here}.")
            )
    faults = filter(None, reasons(disagreement(opinions), Names(data.study.levels)))
    if careful := "; ".join(faults):
        where = "" if data.study.is_graded else " (levels from 0)"
        yield f"To be careful with: {careful}{where}."


def figure(data: StudyData, chances: Frame) -> Figure:
    names = levels.names(data)
    counted, rows = list(by_reading(chances))[:2], chances.where(~np.isnan(chances["p"]))
    rows = rows.where([each in counted for each in rows["counted"]]).of_columns(*FIELDS)
    order = [name for name in reversed(names) if name in rows["level"]]
    highest = max(float(row.high) for row in rows)
    chart = plots.intervals_of_kinds(
        ROWS,
        "p",
        "chance of the top level",
        plots.names("level", order),
        "counted",
        dict(zip(counted, STYLES, strict=False)),
        percent=True,
        domain=(0, min(1.0, 1.05 * highest + 0.01)),
    )
    return rows.figure(
        "chances",
        _finding(rows.where(rows["counted"] == counted[0]), names[-1]),
        f"A dot a level, with its 95% interval over {over(data)}.",
        plots.sized(chart, max(44 * len(order), 80), plots.WIDTH - 150),
        label=lambda row: (
            f"{row.level}, {row.counted}: {percent(row.p, 1)}, from {count(row.labels, 'label')}"
        ),
        source=levels.source("section 3.2"),
        reading="If judges agreed on what is best, the top level would be at 100% and all others "
        "at 0%. Levels that lie close together say little about who else will find a document "
        "best.",
    )


def _finding(known: Frame, top: str) -> str:
    *lower, last = known
    so = "it too" if last.level == top else top
    others = "".join(
        f"; after {row.level}, {'another assigns ' + top + ' ' if last.level == top else ''}"
        f"in {percent(row.p)}"
        for row in lower[-1:]
    )
    return (
        f"After one judge assigns {last.level}, another assigns {so} in {percent(last.p)} of cases"
        f"{others}"
    )
