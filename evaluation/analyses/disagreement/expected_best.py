"""How many documents are best to one of several users, and how many are expected from one of them.

Demeester and others (WSDM 2014), section 4.2. A part of the analysis `prediction`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, drawn, number
from evaluation.study.levels import source
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import gains_of, level_weights

USERS = 3  # of whom one is to find a document best
COLUMNS = (
    *("query_id", "documents", "best_to_one_user", f"best_to_one_of_{USERS}"),
    *("expected", "expected_without_lowest_level"),
)


class TopicBest(NamedTuple):
    """Of a topic: documents, and how many are best to one user, to one of three, expected."""

    query_id: str
    documents: int
    to_one: float
    seen: float
    expected: float
    without_lowest: float


@dataclass(frozen=True)
class Found:
    """The topics that have documents, and the sums over them."""

    topics: list[TopicBest]
    to_one: float
    seen: float
    expected: float
    without_lowest: float


def compute(many: Opinions, query_ids: Sequence[str]) -> Found:
    """many: opinions on documents that have labels enough; query_ids: those of all topics."""
    counts = many.counts
    documents = np.flatnonzero(counts.sum(axis=1) > 0)
    size, top = counts[documents].sum(axis=1), counts[documents, -1]
    p = disagreement(many).p
    columns = [
        np.ones(len(documents)),
        top / size,
        1 - scipy.stats.hypergeom.pmf(0, size, top, USERS),
        gains_of(many, np.nan_to_num(level_weights(p, 1, USERS, True)))[documents],
        gains_of(many, np.nan_to_num(level_weights(p, 1, USERS)))[documents],
    ]
    topic = many.topic_of_item[documents]
    sums = [np.bincount(topic, column, len(query_ids)) for column in columns]
    rows = [
        TopicBest(query_id, int(n), *map(float, values))
        for query_id, n, *values in zip(query_ids, *sums, strict=True)
        if n
    ]
    return Found(rows, *(float(of_topics.sum()) for of_topics in sums[1:]))


def says(found: Found) -> str:
    return (
        f"One user alone finds {number(found.to_one)} of these documents best, and at least one of "
        f"{USERS} finds {number(found.seen)}; from one user's labels {number(found.expected)} "
        f"are expected ({number(found.without_lowest)} if the lowest level weighs 0)."
    )


def figure(found: Found) -> Figure:
    rows = found.topics
    ends = (0, 1.05 * (max(max(row.seen, row.expected) for row in rows) or 1.0))
    across = plots.axis("expected", "expected from one user's labels", domain=ends)
    up = plots.axis("seen", f"best to one of {USERS}", domain=ends)
    chart = plots.layer(
        plots.line("even", across, up, colour=plots.INK, width=1, dash=(3, 3)),
        plots.points("topics", across, up),
    )
    above = sum(row.seen > row.expected for row in rows)
    return Figure(
        "tops",
        f"{number(found.expected)} best documents are expected, and {number(found.seen)} are "
        f"found, by one of {USERS} users",
        "One dot a topic: how many documents are best to at least one of "
        f"{USERS} users, and how many are expected from the labels of one of them. Dots on the "
        "broken line are as expected; above it judges of the topic disagree more than elsewhere. "
        f"{above:,} of {len(rows):,} topics are above.",
        plots.sized(chart, plots.WIDTH - 100),
        {
            "even": [{"expected": end, "seen": end} for end in ends],
            "topics": drawn(rows, "expected seen", _tooltip),
        },
        COLUMNS,
        rows,
        source("section 4.2"),
    )


def _tooltip(row: TopicBest) -> str:
    return f"{row.query_id}: {number(row.expected)} expected, {number(row.seen)} found"
