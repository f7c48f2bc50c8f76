"""Weights of levels as predicted from pairs of labels, and as seen on documents with many.

Demeester and others (WSDM 2014), sections 3.2, 4.2 and 4.5: Figures 1 and 5, Table 1.
"""

from evaluation.analyses import expected_best, in_levels, other_labels, predicted_weights
from evaluation.analyses.data import Ints, StudyData
from evaluation.analyses.parts import Analysed, Tell
from evaluation.gains.prediction import LEAST, p_by_labels
from trec.words import count

FEWEST = 3  # labels of a document: one of the first user, two of others
DOCUMENTS = (100, 20)  # that must have so many: enough, or at least


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Predictions against what is seen, how many labels p needs, and how many are best."""
    every = in_levels.opinions(data)
    if reason := in_levels.why_no_chances(every, in_levels.names(data)[-1]):
        return Analysed([reason, *in_levels.left_out(data)])
    # Without the anchors, which have hundreds of labels.
    said = in_levels.for_themselves(in_levels.without_anchors(data, every))
    labels = said.counts.sum(axis=1)
    least = _least(labels)
    if least is None:
        return Analysed([_too_few(labels)])
    many = said.where((labels >= least)[said.items])
    weights = predicted_weights.compared(many, least, data.seed)
    tell(0.4)
    by_labels = p_by_labels(many, least, predicted_weights.REPEATS, seed=data.seed)
    tell(0.8)
    names = in_levels.names(data)
    tops = expected_best.tops(many, data)
    return Analysed(
        [
            predicted_weights.says(weights, least, names),
            *other_labels.says(by_labels, least, names),
            *_anchors(data),
            expected_best.says(tops),
            *in_levels.told(data),
        ],
        [
            *predicted_weights.figure(weights, names),
            predicted_weights.table(weights, names),
            other_labels.figure(by_labels, names),
            expected_best.figure(tops),
        ],
        {
            "documents": weights.sampled.documents,
            "largest_difference": weights.largest()[0],
            **{
                f"seen_{m}/{n}": float(weights.seen[row, -2])
                for row, (m, n) in enumerate(weights.users)
            },
        },
    )


def _least(labels: Ints) -> int | None:
    """The most labels that enough documents have."""
    return next(
        (
            n
            for some in DOCUMENTS
            for n in range(LEAST, FEWEST - 1, -1)
            if (labels >= n).sum() >= some
        ),
        None,
    )


def _too_few(labels: Ints) -> str:
    return (
        f"To see what several users say of a document, {DOCUMENTS[-1]} documents must have "
        f"{FEWEST} labels or more; {count(int((labels >= FEWEST).sum()), 'has', 'have')}."
    )


def _anchors(data: StudyData) -> list[str]:
    if not data.has_anchors:
        return []
    return ["Anchors, of which there are hundreds of scores, are left out."]
