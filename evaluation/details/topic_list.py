"""The topics of a study side by side."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Count

from evaluation.cache import part_files, stored
from evaluation.details.system_list import Ranking
from evaluation.presentation.parts import UNLABELLED
from judging.models import CheckFailure, Study
from judging.monitoring import tries
from judging.monitoring.tries import Rate
from web.text import natural

SIDE_BY_SIDE = "topics"  # the analysis, and its table
ANCHORS = tries.CHECKS.index(CheckFailure.Check.ANCHORS)


@dataclass(frozen=True)
class Topic:
    """A topic with what is known of it; None: not, or not yet."""

    query_id: str
    title: str
    documents: int
    judgments: int
    alpha: float | None
    agreement: float | None  # of units with the labels, on pairs without anchors
    seconds: float | None  # on a document, median
    failed: Rate | None  # presses of Finish that check (c) refused
    values: list[float]  # of all systems

    @property
    def mean(self) -> float | None:
        return float(np.mean(self.values)) if self.values else None

    @property
    def sd(self) -> float | None:
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else None


@dataclass(frozen=True)
class Topics:
    """The topics, in natural order; waits: their agreement is still to be computed.

    unlabelled: documents without a label that count as 0 in it.
    """

    rows: list[Topic]
    waits: bool
    fault: str
    unlabelled: int


def topics(study: Study, ranking: Ranking, label_set: str, now: datetime) -> Topics:
    """The topics of a study, after asking for what is missing of them."""
    (cached,) = stored.get_or_request(study, [SIDE_BY_SIDE], label_set, now)
    found = part_files.rows_of(stored.all_rows(cached.row), SIDE_BY_SIDE)
    compared = defaultdict[str, dict[str, Any]](dict, {row["topic"]: row for row in found})
    failed = {} if study.is_imported else {t.key: t.rates[ANCHORS] for t in tries.by_topic(study)}
    values = values_by_topic(ranking)
    counted = study.topics.annotate(pooled=Count("documents")).order_by("pk")
    fields = "topic__query_id", "topic__title", "pooled", "topicevaluation__judgments"
    rows = [
        Topic(
            *(query_id, title, documents or 0, judgments or 0),
            alpha=compared[query_id].get("alpha"),
            agreement=compared[query_id].get("unit_agreement_no_anchors"),
            seconds=compared[query_id].get("median_seconds"),
            failed=failed.get(key),
            values=list(values.get(query_id, {}).values()),
        )
        for key, query_id, title, documents, judgments in counted.values_list("pk", *fields)
    ]
    in_order = sorted(rows, key=lambda row: natural(row.query_id))
    waits = cached.waits and cached.row.result is None
    return Topics(in_order, waits, cached.row.fault, cached.row.numbers.get(UNLABELLED, 0))


def values_by_topic(ranking: Ranking) -> dict[str, dict[str, float]]:
    """The values of a ranking by topic, then run, best run of the ranking first."""
    values: dict[str, dict[str, float]] = {}
    for row in ranking["results"]:
        for on_topic in row["topics"]:
            values.setdefault(on_topic["query_id"], {})[row["run"]] = on_topic["value"]
    return values
