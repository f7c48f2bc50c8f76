"""How many documents are best to one of several users, and how many are expected from one of them.

Demeester and others (WSDM 2014), section 4.2.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import hypergeom

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import StudyData
from evaluation.analyses.parts import Figure, Row, number
from evaluation.gains.disagreement import disagreement
from evaluation.gains.level_weights import gains_of, level_weights
from evaluation.gains.opinions import Opinions

EXPECTED = 3  # users, of whom one is to find a document best


class Tops(NamedTuple):
    """Of each topic: documents, and how many are best to one user, to one of three, expected."""

    rows: Sequence[Row]
    one: float
    seen: float
    expected: float
    without_lowest: float


def tops(many: Opinions, data: StudyData) -> Tops:
    counts = many.counts
    there = np.flatnonzero(counts.sum(axis=1) > 0)
    size, top = counts[there].sum(axis=1), counts[there, -1]
    p, n = disagreement(many).p, EXPECTED
    columns = [
        np.ones(len(there)),
        top / size,
        1 - hypergeom.pmf(0, size, top, n),
        gains_of(many, np.nan_to_num(level_weights(p, 1, n, True)))[there],
        gains_of(many, np.nan_to_num(level_weights(p, 1, n)))[there],
    ]
    topics = many.topic_of_item[there]
    sums = [np.bincount(topics, column, len(data.topics)) for column in columns]
    rows = [
        (topic.query_id, int(of[0]), *(float(value) for value in of[1:]))
        for topic, of in zip(data.topics, zip(*sums, strict=True), strict=True)
        if of[0]
    ]
    return Tops(rows, *(float(total.sum()) for total in sums[1:]))


def says(found: Tops) -> str:
    return (
        f"One user alone finds {number(found.one)} of these documents best, and at least one of "
        f"{EXPECTED} finds {number(found.seen)}; from one user's labels {number(found.expected)} "
        f"are expected ({number(found.without_lowest)} if the lowest level weighs 0)."
    )


def figure(found: Tops) -> Figure:
    most = max(max(row[3], row[4]) for row in found.rows) or 1.0
    ends = (0, 1.05 * most)
    across = plots.x("expected", "expected from one user's labels", domain=ends)
    up = plots.y("seen", f"best to one of {EXPECTED}", domain=ends)
    chart = plots.alt.layer(
        plots.line("even", across, up, color=plots.INK, strokeWidth=1, strokeDash=[3, 3]),
        plots.points("topics", across, up),
    )
    known = np.array([row[3:5] for row in found.rows])
    above = int((known[:, 0] > known[:, 1]).sum())
    return Figure(
        "tops",
        f"{number(found.expected)} best documents are expected, and {number(found.seen)} are "
        f"found, by one of {EXPECTED} users",
        "One dot a topic: how many documents are best to at least one of "
        f"{EXPECTED} users, and how many are expected from the labels of one of them. Dots on the "
        "broken line are as expected; above it judges of the topic disagree more than elsewhere. "
        f"{above:,} of {len(found.rows):,} topics are above.",
        plots.sized(chart, plots.WIDTH - 100),
        {
            "even": [{"expected": at, "seen": at} for at in ends],
            "topics": [
                {
                    "expected": expected,
                    "seen": seen,
                    "name": f"{topic}: {number(expected)} expected, {number(seen)} found",
                }
                for topic, _, _, seen, expected, _ in found.rows
            ],
        },
        (
            *("query_id", "documents", "best_to_one_user", f"best_to_one_of_{EXPECTED}"),
            *("expected", "expected_without_lowest_level"),
        ),
        found.rows,
        in_levels.source("section 4.2"),
    )
