"""Topics side by side: agreement, spread, failures, time, and the systems' scores.

**Shows** topics side by side: alpha and agreement of units with the labels (with and without
anchors), the median ratio of the largest to the smallest score of a document, the share of units
with a failed press of Finish, median seconds, and the mean of all systems' nDCG; and, from five
topics, Spearman's correlations of each pair of these.

**Computed**: alpha at ratio level on the first ten normalised scores of a pair (all, for labels and
scores given elsewhere). A unit's agreement is the share of its document pairs with different labels
that are not in the wrong order; units without such a pair are left out of the mean. Systems are
measured by the gains of magnitudes. p values are those of permutation tests: exact up to 8 topics,
otherwise from 20,000 random orders as (b + 1) / (B + 1), with Holm's correction for the number of
pairs. Alpha, ratios, agreement and nDCG are computed from the same scores, so that their
correlations with each other are shown but not interpreted.

**Source**: not in the paper, except for its Table I.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses import papers
from evaluation.analyses.agreement import topic_correlations
from evaluation.analyses.analysis import OnProgress, analysis, tracked
from evaluation.analyses.question import first_counted
from evaluation.presentation import dot_panels, published
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Result, number
from evaluation.study import scoring
from evaluation.study.data import Floats, Mask, StudyData
from evaluation.study.topics import TopicData
from judging.models import Study
from magnitudes.agreement.alpha import krippendorff_alpha
from magnitudes.agreement.units import unit_agreement
from magnitudes.files.words import count
from magnitudes.spread.spread import spread

AGREEMENT = (
    "Unit agreement: share of a unit's pairs of documents with different labels that are not in "
    "the wrong order, averaged over units.",
    "A cell is empty where nothing can be said: no document with scores of two workers, or all "
    "scores equal (alpha); no unit with documents of different labels (agreement); no system.",
)


class Property(NamedTuple):
    """Something that topics are compared by; panel: empty where only the anchors are left out."""

    head: str
    panel: str
    value: Callable[[Study, TopicData], Any]
    imported: bool = False  # also of opinions from elsewhere
    levels: bool = True  # also of levels


def _alpha(study: Study, topic: TopicData, which: Mask | None = None) -> float:
    which = np.ones(topic.places.shape, bool) if which is None else which
    level, first = "ordinal" if study.is_graded else "ratio", first_counted(study)
    judges = np.broadcast_to(topic.workers[:, np.newaxis], topic.places.shape)[which]
    values, items = topic.normalised[which], topic.places[which]
    return krippendorff_alpha(values, items, level, first, judges=judges).alpha


def _agreement(study: Study, topic: TopicData, which: Mask | bool = True) -> float:
    labels = np.where(which, topic.shown_labels, np.nan)
    return _of_known(unit_agreement(topic.scores, labels).shares)


def _without_anchors(of: Callable[[Study, TopicData, Mask], float]) -> Callable[..., float]:
    """The same of the judgments of other documents."""
    return lambda study, t: of(study, t, (t.places != t.h_k) & (t.places != t.n_k))


def _of_known(values: Floats, how: Callable[[Floats], Any] = np.mean) -> float:
    """The mean, or the like, of those that are defined."""
    known = values[~np.isnan(values)]
    return float(how(known)) if known.size else np.nan


def _ratio(study: Study, topic: TopicData) -> float:
    items = topic.places.ravel()
    return _of_known(spread(topic.normalised.ravel(), items, len(topic.doc_ids)).ratio, np.median)


def _ndcg(study: Study, topic: TopicData) -> float:
    if not len(topic.lists):
        return np.nan
    gains = [scoring.magnitudes(topic)]
    return _of_known(scoring.measure([topic], gains, scoring.first(study)).values)


FINISH = "units with a failed Finish"
WITHOUT = "unit agreement without anchors"
PROPERTIES = {
    "alpha": Property("alpha", "alpha", _alpha, imported=True),
    "alpha_no_anchors": Property("alpha without anchors", "", _without_anchors(_alpha)),
    "median_ratio": Property("median max / min", "max / min", _ratio, imported=True, levels=False),
    "unit_agreement": Property("unit agreement", "agreement", _agreement),
    "unit_agreement_no_anchors": Property(WITHOUT, "", _without_anchors(_agreement)),
    "failed": Property(FINISH, "failed finish", lambda _, topic: (topic.failed > 0).mean()),
    "median_seconds": Property("median seconds", "seconds", lambda _, t: np.median(t.seconds)),
    "mean_ndcg": Property("mean nDCG", "mean nDCG", _ndcg, imported=True),
}


@analysis("How do topics differ?", counts_unlabelled=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Everything that tells topics apart, as dots, and how it goes together."""
    if not data.topics:
        return Result(["No unit is completed yet: there is no topic to look at."])
    study, topics = data.study, _topics(data, on_progress)
    scale, scores = ("ordinal", "levels") if study.is_graded else ("ratio", "normalised scores")
    counted = f"{'all' if study.is_imported else 'the first ten'} {scores}"
    ratio = " Median max / min: of the largest to the smallest normalised score of a document."
    table = topics.table(
        "topics",
        "Topics side by side",
        f"Alpha: Krippendorff's, {scale} level, of {counted} of each document."
        f"{'' if study.is_graded else ratio}",
        *(() if study.is_imported else AGREEMENT),
        f"Mean nDCG: {scoring.first(study).short} averaged over all systems.",
    )
    if len(topics) == 1:
        return Result(["There is one topic, and none to compare it with."], [table])
    by_alpha = topics.sorted_by("alpha", descending=True)
    figures = dot_panels.figures(by_alpha, "topic", "highest alpha")
    compared = Result([_range(study, topics)], [*figures, table])
    return compared.followed_by(topic_correlations.analyse(topics, data.seed))


def _topics(data: StudyData, on_progress: OnProgress) -> Frame:
    study, columns = data.study, {}
    for name, each in tracked(PROPERTIES.items(), on_progress):
        if (each.imported or not study.is_imported) and (each.levels or not study.is_graded):
            values = np.array([each.value(study, topic) for topic in data.with_zeros.topics], float)
            columns[name] = Column(values, each.head, panel=each.panel)
    counted = "judgments" if study.is_imported else "units"
    return Frame.of(
        topic=[topic.query_id for topic in data.topics],
        title=[topic.title for topic in data.topics],
        documents=[int((topic.counts > 0).sum()) for topic in data.topics],
        **{counted: [len(topic.scores) for topic in data.topics]},
        **columns,
    )


def _range(study: Study, topics: Frame) -> str:
    alphas, names = topics["alpha"], topics["topic"]
    if np.isnan(alphas).all():
        return f"{count(len(topics), 'topic')}; alpha is not defined on any."
    low, high = np.nanargmin(alphas), np.nanargmax(alphas)
    least, most = number(alphas[low]), number(alphas[high])
    between = f"from {least} (topic {names[low]}) to {most} (topic {names[high]})"
    between = between if least != most else f"{least} wherever it is defined"
    alone = study.is_graded or not papers.is_comparable(study)
    paper = "" if alone else published.quote("; the paper found {alpha} over all of its {topics}")
    return f"On {count(len(topics), 'topic')}, Krippendorff's alpha is {between}{paper}."
