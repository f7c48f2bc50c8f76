"""All workers: how far each agrees with the mean of the others, and how each scores and works.

A part of the analysis `workers`.
"""

from typing import Any

import numpy as np

from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Table
from evaluation.study.applies_to import in_units
from evaluation.study.data import StudyData
from judging.monitoring.signals.repeated_judgments import repeats
from magnitudes.agreement.workers import WorkerAgreement, distinct_values, worker_agreement
from magnitudes.scaling.aggregation import aggregate

MIN_DOCUMENTS = 16  # documents, two units as the paper makes them: below, agreement says little
LEVELS_OFF = "how many levels off that mean they are, on average."
RATIOS_OFF = (
    "the factor by which scores are off that mean, in the geometric mean. Ratios of one, two "
    "figures: share of units that keep to them."
)
OF_UNITS = (
    " Repeated words: share of justifications that the worker had given elsewhere in the same "
    "words. Failed finishes: in completed units."
)


def agreement(data: StudyData, which: Any) -> WorkerAgreement:
    """Levels, or logarithms less log γ of the topic, so that topics do not agree by themselves."""
    logs = data.judgments.normalised
    if not data.study.is_graded:
        gammas = np.log([topic.gamma for topic in data.topics])
        logs = np.log(logs) - gammas[data.documents.topics[data.judgments.items]]
    items, workers = data.judgments.items[which], data.judgments.workers[which]
    return worker_agreement(logs[which], items, workers, len(data.documents), len(data.workers))


def table(data: StudyData, of_all: WorkerAgreement, others: WorkerAgreement) -> Table:
    anchors = ", with and without anchors, whose order is checked" if data.has_anchors else ""
    columns = _columns(data, of_all, others)
    order = np.lexsort((-columns["judgments"], of_all.correlation))  # NaN last
    return (
        Frame.of(**columns)
        .where(order)
        .table(
            "workers",
            "All workers, those who agree least first",
            f"Agreement: Spearman's correlation with the mean of the others' scores{anchors}; "
            "empty where the worker, or the others, gave all documents the same. Distance: "
            f"{LEVELS_OFF if data.study.is_graded else RATIOS_OFF}"
            f"{OF_UNITS if data.has_anchors else ''}",
            f"Agreement on fewer than {MIN_DOCUMENTS} documents is mostly chance. None is a "
            "verdict.",
        )
    )


def _columns(data: StudyData, of_all: WorkerAgreement, others: WorkerAgreement) -> dict[str, Any]:
    """The ratio rule of magnitudes alone, how they worked of those who did here."""
    n, judgments, by_unit = len(data.workers), data.judgments, data.units.workers
    graded, by, here = data.study.is_graded, judgments.workers, data.has_anchors
    columns: dict[str, Any] = {"worker": data.workers}
    if in_units(data.study):
        columns["units"] = np.bincount(by_unit, minlength=n)
    columns |= {"judgments": np.bincount(by, minlength=n), "agreement": of_all.correlation}
    if here:
        columns["agreement_no_anchors"] = Column(
            others.correlation, head="agreement without anchors"
        )
    with np.errstate(over="ignore"):
        distance = of_all.deviation if graded else np.exp(of_all.deviation)
    columns["distance"] = Column(distance, head="distance from others")
    columns["distinct_scores"] = distinct_values(judgments.scores, by, n)
    for figures, name in () if graded else enumerate(("one_figure", "two_figures"), 1):
        follows = judgments.typed.ratios_followed(judgments.units, figures)
        shares = aggregate(follows, by_unit, n, "arithmetic").values
        columns[name] = Column(shares, head=f"ratios of {name.replace('_', ' ')}")
    if here:  # how they went through their units
        again = repeats(by, judgments.words)
        columns["median_seconds"] = aggregate(judgments.seconds, by, n, "median").values
        columns["repeated_words"] = aggregate(again, by, n, "arithmetic").values
        columns["failed_finishes"] = np.bincount(by_unit, data.units.failed, n).astype(int)
    return columns
