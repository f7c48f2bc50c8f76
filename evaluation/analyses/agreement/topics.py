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
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses import papers
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.question import first_counted
from evaluation.presentation import dot_panels, published
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.heads import heading
from evaluation.presentation.parts import OnProgress, Result, Table, number, p_value
from evaluation.study import scoring
from evaluation.study.data import Floats, Mask, StudyData
from evaluation.study.topics import TopicData
from judging.models import Study
from magnitudes.agreement.alpha import krippendorff_alpha
from magnitudes.agreement.units import unit_agreement
from magnitudes.comparison.holm import holm
from magnitudes.comparison.rank_correlation import MAX_EXACT, N_RESAMPLES, spearman
from magnitudes.comparison.top_set import LEVEL
from magnitudes.files.words import count
from magnitudes.spread.spread import spread

MIN_TOPICS = 5  # for a correlation to be reported
AGREEMENT = (
    "Unit agreement: share of a unit's pairs of documents with different labels that are not in "
    "the wrong order, averaged over units.",
    "A cell is empty where nothing can be said: no document with scores of two workers, or all "
    "scores equal (alpha); no unit with documents of different labels (agreement); no system.",
)


class Property(NamedTuple):
    """Something that topics are compared by; panel: empty where only the anchors are left out."""

    panel: str
    value: Callable[[Study, TopicData], Any]
    of_scores: bool = True  # computed from the scores, and not from how they came about
    imported: bool = False  # also of opinions from elsewhere
    levels: bool = True  # also of levels


def _alpha(study: Study, topic: TopicData, which: Mask | None = None) -> float:
    which = np.ones(topic.places.shape, bool) if which is None else which
    level, first = "ordinal" if study.is_graded else "ratio", first_counted(study)
    judges = np.broadcast_to(topic.workers[:, np.newaxis], topic.places.shape)[which]
    values, items = topic.normalised[which], topic.places[which]
    return krippendorff_alpha(values, items, level, first, judges=judges).alpha


def _others(topic: TopicData) -> Mask:
    """Which judgments are not of anchors."""
    return (topic.places != topic.h_k) & (topic.places != topic.n_k)


def _of_known(values: Floats, how: Callable[[Floats], Any] = np.mean) -> float:
    """The mean, or the like, of those that are defined."""
    known = values[~np.isnan(values)]
    return float(how(known)) if known.size else np.nan


def _ratio(study: Study, topic: TopicData) -> float:
    items = topic.places.ravel()
    return _of_known(spread(topic.normalised.ravel(), items, len(topic.doc_ids)).ratio, np.median)


def _agreement(topic: TopicData, labels: Floats) -> float:
    return _of_known(unit_agreement(topic.scores, labels).shares)


def _agreement_of_others(study: Study, topic: TopicData) -> float:
    return _agreement(topic, np.where(_others(topic), topic.shown_labels, np.nan))


def _ndcg(study: Study, topic: TopicData) -> float:
    if not len(topic.lists):
        return np.nan
    gains = [scoring.magnitudes(topic)]
    return _of_known(scoring.measure([topic], gains, scoring.first(study)).values)


PROPERTIES = {
    "alpha": Property("alpha", _alpha, imported=True),
    "alpha_no_anchors": Property("", lambda s, topic: _alpha(s, topic, _others(topic))),
    "median_ratio": Property("max / min", _ratio, imported=True, levels=False),
    "unit_agreement": Property("agreement", lambda s, topic: _agreement(topic, topic.shown_labels)),
    "unit_agreement_no_anchors": Property("", _agreement_of_others),
    "failed": Property("failed finish", lambda s, t: (t.failed > 0).mean(), of_scores=False),
    "median_seconds": Property("seconds", lambda s, t: np.median(t.seconds), of_scores=False),
    "mean_ndcg": Property("mean nDCG", _ndcg, imported=True),
}


def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Everything that tells topics apart, as dots, and how it goes together."""
    if not data.topics:
        return Result(["No unit is completed yet: there is no topic to look at."])
    topics = _topics(data, on_progress)
    if len(topics) == 1:
        return Result(["There is one topic, and none to compare it with."], [_table(data, topics)])
    pairs = correlations(topics, data.seed)
    has_pairs = len(dot_panels.shown(topics)) > 1
    sentences = [_range(data.study, topics), *([strongest(topics, pairs)] if has_pairs else [])]
    by_alpha = topics.sorted_by("alpha", descending=True)
    figures = dot_panels.figures(by_alpha, "topic", "highest alpha")
    return Result(sentences, [*figures, _table(data, topics), *_table_of_pairs(pairs)])


def _topics(data: StudyData, on_progress: OnProgress) -> Frame:
    study, columns = data.study, {}
    asked = {
        name: each
        for name, each in PROPERTIES.items()
        if (each.imported or not study.is_imported) and (each.levels or not study.is_graded)
    }
    for n, (name, each) in enumerate(asked.items(), start=1):
        values = np.array([each.value(study, topic) for topic in data.with_zeros.topics], float)
        columns[name] = Column(values, panel=each.panel)
        on_progress(n / len(asked))
    counted = {
        "documents": [int((topic.counts > 0).sum()) for topic in data.topics],
        "judgments" if study.is_imported else "units": [len(topic.scores) for topic in data.topics],
    }
    names = {"topic": [topic.query_id for topic in data.topics]}
    return Frame.of(**names, title=[topic.title for topic in data.topics], **counted, **columns)


def correlations(topics: Frame, seed: int) -> Frame:
    """Correlations of properties that have values on enough topics, not all the same."""
    rows = []
    for first, second in combinations([n for n in topics.names if topics.columns[n].panel], 2):
        both = ~np.isnan(topics[first] + topics[second])
        x, y = topics[first][both], topics[second][both]
        if len(x) >= MIN_TOPICS and np.ptp(x) > 0 and np.ptp(y) > 0:
            tested = spearman(x, y, seed=seed)
            same = "yes" if PROPERTIES[first].of_scores and PROPERTIES[second].of_scores else "no"
            heads = heading(first), heading(second)
            rows.append((*heads, len(x), tested.rho, tested.p, np.nan, same))
    pairs = Frame.of_rows("one other topics spearman p p_of_all same_scores", rows)
    pairs = pairs.with_columns(p_of_all=holm(pairs["p"].astype(float)))
    return pairs.sorted_by(np.abs(pairs["spearman"].astype(float)), descending=True)


def _range(study: Study, topics: Frame) -> str:
    alphas, names = topics["alpha"], topics["topic"]
    if np.isnan(alphas).all():
        return f"{count(len(topics), 'topic')}; alpha is not defined on any."
    low, high = np.nanargmin(alphas), np.nanargmax(alphas)
    least, most = number(alphas[low]), number(alphas[high])
    between = f"from {least} (topic {names[low]}) to {most} (topic {names[high]})"
    if least == most:
        between = f"{least} wherever it is defined"
    alone = study.is_graded or not papers.is_comparable(study)
    paper = "" if alone else published.quote("; the paper found {alpha} over all of its {topics}")
    return f"On {count(len(topics), 'topic')}, Krippendorff's alpha is {between}{paper}."


def strongest(topics: Frame, pairs: Frame) -> str:
    if len(topics) < MIN_TOPICS:
        return f"How these go together is said from {MIN_TOPICS} topics on."
    if not len(pairs):
        return "None of these has values on enough topics to go together with another."
    looked = f"Spearman's correlation, corrected for {count(len(pairs), 'pair')}"
    is_same = pairs["same_scores"] == "yes"
    aside = "; pairs computed from the same scores are left aside" if is_same.any() else ""
    claimed = list(pairs.where(~is_same & (pairs["p_of_all"] < LEVEL)))
    if not claimed:
        return f"No two of these are significantly correlated over topics ({looked}){aside}."
    row = claimed[0]
    return (
        f"Over {row.topics} topics, {row.one} and {row.other} are most strongly correlated: "
        f"{number(row.spearman)}, {p_value(row.p_of_all)} ({looked}){aside}."
    )


def _table(data: StudyData, topics: Frame) -> Table:
    study = data.study
    first = "all" if study.is_imported else "the first ten"
    scores = "levels" if study.is_graded else "normalised scores"
    level = "ordinal" if study.is_graded else "ratio"
    alpha = f"Alpha: Krippendorff's, {level} level, of {first} {scores} of each document."
    ratio = "Median max / min: of the largest to the smallest normalised score of a document."
    return topics.table(
        "topics",
        "Topics side by side",
        alpha if study.is_graded else f"{alpha} {ratio}",
        *(() if study.is_imported else AGREEMENT),
        f"Mean nDCG: {scoring.first(study)} averaged over all systems.",
    )


def _table_of_pairs(pairs: Frame) -> list[Table]:
    note = (
        "Spearman's rank correlation over topics. p: by a permutation test, of all orders "
        f"up to {MAX_EXACT} topics and of {N_RESAMPLES:,} drawn ones beyond, for each pair "
        f"alone; p of all: corrected for {count(len(pairs), 'pair')} (Holm). Aspects that are "
        "computed from the same scores are correlated anyway: of those nothing is claimed. Pairs "
        "are left out where one has no value on enough topics, or the same on all."
    )
    title = "How aspects of topics go together"
    return [pairs.table("together", title, note)] if len(pairs) else []


ANALYSIS = Analysis("topics", "How do topics differ?", analyse, counts_unlabelled=True)
