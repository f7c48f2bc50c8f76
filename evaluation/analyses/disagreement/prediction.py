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

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.disagreement import expected_best, labels_needed, predicted
from evaluation.presentation.parts import OnProgress, Result
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import Ints, StudyData
from magnitudes.files.words import count
from magnitudes.gains.prediction import MIN_LABELS_AS_PRINTED

MIN_LABELS = 3  # of a document: one of the first user, two of others
DOCUMENTS = (100, 20)  # that must have so many: enough, or at least


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
    best = expected_best.analyse(many, [topic.query_id for topic in data.topics])
    anchors = ["Anchors, of which there are hundreds of scores, are left out."] * data.has_anchors
    return Result(
        [*weights.says, *needed.says, *anchors, *best.says, *levels.told(data)],
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


ANALYSIS = Analysis(
    "prediction",
    "Do these chances come true where documents have many labels?",
    analyse,
    applies_to=in_levels,
)
