"""Weights of levels as predicted from pairs of labels, and as seen on documents with many.

**Shows** what the formula predicts from p(T|i), which needs only two labels per document, beside
what is observed where documents have many: the probability that at least M of N users find a
document best; p from 1, 2, ... other labels of each document; and, topic by topic, how many
documents are best to at least one of three users, expected from the labels of one of them and
observed.

**Computed**: on documents with 6 labels or more, as in the paper, or with the largest number of
labels, at least 3, that 100 documents have (20 if there are no 100). Every label counts
individually; anchors are left out. *Predicted* is by equations (4) and (5), also for the lowest
level. *Seen* is the exact share over all draws of N labels; *sampled* are 50 draws, as in the
paper, with their standard deviation.

**Beware**: the formula assumes that users are independent, given the label of one. Documents on
which users split violate this, and the observed shares fall below the prediction as N grows.

**Source**: sections 3.2, 4.2 and 4.5, Figures 1 and 5, Table 1.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.disagreement import labels_needed, predicted
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, number
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import Ints, StudyData
from magnitudes.agreement.opinions import Opinions
from magnitudes.files.words import count
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import gains_of, level_weights
from magnitudes.gains.prediction import MIN_LABELS_AS_PRINTED

MIN_LABELS = 3  # of a document: one of the first user, two of others
DOCUMENTS = (100, 20)  # that must have so many: enough, or at least
USERS = 3  # of whom one is to find a document best
SEEN = f"best_to_one_of_{USERS}"


@analysis("Do these chances come true where documents have many labels?", applies_to=in_levels)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Predictions against what is seen, how many labels p needs, and how many are best."""
    every, names = levels.opinions(data), levels.names(data)
    if reason := levels.why_no_chances(every, names[-1]):
        return Result([reason, *levels.left_out(data)])
    # Without the anchors, which have hundreds of labels.
    opinions = levels.for_themselves(levels.without_anchors(data, every))
    labels = opinions.counts.sum(axis=1)
    least = _least(labels)
    if least is None:
        some = count(int((labels >= MIN_LABELS).sum()), "has", "have")
        reason = (
            f"To see what several users say of a document, {DOCUMENTS[-1]} documents must have "
            f"{MIN_LABELS} labels or more; {some}."
        )
        return Result([reason])
    many = opinions.where((labels >= least)[opinions.items])
    weights = predicted.analyse(many, least, names, data.seed)
    on_progress(0.4)
    needed = labels_needed.analyse(many, least, names, data.seed)
    on_progress(0.8)
    best = _best(many, [topic.query_id for topic in data.topics])
    anchors = ["Anchors, of which there are hundreds of scores, are left out."] * data.has_anchors
    return Result(
        [*weights.sentences, *needed.sentences, *anchors, *best.sentences, *levels.sentences(data)],
        [*weights.parts, *needed.parts, *best.parts],
        weights.numbers,
    )


def _least(labels: Ints) -> int | None:
    """The most labels that enough documents have; labels: (items,)."""
    for documents in DOCUMENTS:
        for least in range(MIN_LABELS_AS_PRINTED, MIN_LABELS - 1, -1):
            if (labels >= least).sum() >= documents:
                return least
    return None


def _best(many: Opinions, query_ids: Sequence[str]) -> Result:
    """How many documents are best to one of several users, and how many one of them predicts.

    many: opinions on documents that have labels enough; query_ids: those of all topics.
    """
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
        source=levels.source("section 4.2"),
    )
