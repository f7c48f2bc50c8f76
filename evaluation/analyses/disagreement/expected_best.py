"""How many documents are best to one of several users, and how many are expected from one of them.

Demeester and others (WSDM 2014), section 4.2. A part of the analysis `prediction`.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, number
from evaluation.study.levels import source
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import gains_of, level_weights

USERS = 3  # of whom one is to find a document best
SEEN = f"best_to_one_of_{USERS}"


def analyse(many: Opinions, query_ids: Sequence[str]) -> Result:
    """many: opinions on documents that have labels enough; query_ids: those of all topics."""
    counts = many.counts
    documents = np.flatnonzero(counts.sum(axis=1) > 0)
    size, top = counts[documents].sum(axis=1), counts[documents, -1]
    p = disagreement(many).p
    of_documents = {
        "best_to_one_user": top / size,
        SEEN: 1 - scipy.stats.hypergeom.pmf(0, size, top, USERS),
        "expected": gains_of(many, np.nan_to_num(level_weights(p, 1, USERS, True)))[documents],
        "expected_without_lowest_level": gains_of(many, np.nan_to_num(level_weights(p, 1, USERS)))[
            documents
        ],
    }
    topic, n = many.topic_of_item[documents], len(query_ids)
    n_documents = np.bincount(topic, minlength=n)
    sums = {name: np.bincount(topic, values, n) for name, values in of_documents.items()}
    to_one, seen, expected, without_lowest = (number(values.sum()) for values in sums.values())
    topics = Frame.of(query_id=query_ids, documents=n_documents, **sums).where(n_documents > 0)
    sentence = (
        f"One user alone finds {to_one} of these documents best, and at least one of {USERS} finds "
        f"{seen}; from one user's labels {expected} are expected ({without_lowest} if the lowest "
        "level weighs 0)."
    )
    title = f"{expected} best documents are expected, and {seen} are found, by one of {USERS} users"
    return Result([sentence], [_figure(topics, title)])


def _figure(topics: Frame, title: str) -> Figure:
    seen, expected = topics[SEEN], topics["expected"]
    ends = (0, 1.05 * (np.maximum(seen, expected).max().item() or 1.0))
    across = plots.axis("expected", "expected from one user's labels", domain=ends)
    up = plots.axis(SEEN, f"best to one of {USERS}", domain=ends)
    chart = plots.layer(
        plots.line("even", across, up, colour=plots.INK, width=1, dash=(3, 3)),
        plots.points(ROWS, across, up),
    )
    return topics.figure(
        "tops",
        title,
        "One dot a topic: how many documents are best to at least one of "
        f"{USERS} users, and how many are expected from the labels of one of them. Dots on the "
        "broken line are as expected; above it judges of the topic disagree more than elsewhere. "
        f"{(seen > expected).sum():,} of {len(topics):,} topics are above.",
        plots.sized(chart, plots.WIDTH - 100),
        label="{query_id}: {expected} expected, {" + SEEN + "} found",
        data={"even": [{"expected": end, SEEN: end} for end in ends]},
        source=source("section 4.2"),
    )
