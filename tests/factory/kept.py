"""Analyses as they are cached, and systems as the overview has them, without a database."""

from collections.abc import Mapping
from typing import Any

from evaluation.analyses import ANALYSES
from evaluation.cache.stored import CachedResult
from evaluation.models import CachedAnalysis
from evaluation.study import scoring
from evaluation.study.data import StudyData
from tests.factory import NOON


def cached(name: str, result: Mapping[str, Any] | None) -> CachedResult:
    """What `Analysis.of` gave, as it is found again; None: it is still to be computed."""
    row = CachedAnalysis(name=name)
    if result:
        row.numbers, row.finding = result["numbers"], ANALYSES[name].finding(dict(result))
        row.titles = {part["name"]: part["says"] for part in result["parts"]}
        row.computed_at = NOON
    return CachedResult(row, current=True)


def ranked(data: StudyData) -> dict[str, Any]:
    """The systems by the study's first measure; none where there are no runs or topics."""
    by = scoring.first(data.study)
    results: list[dict[str, Any]] = []
    if data.runs and data.topics:
        values = scoring.measure(data.topics, map(scoring.magnitudes, data.topics), by).values
        means = dict(zip(data.runs, values.mean(axis=0).tolist(), strict=True))
        order = sorted(means, key=lambda run: -round(means[run], 12))
        results = [{"run": run, "mean": means[run]} for run in order]
    topics, interim = len(data.topics), data.interim
    of = {"measure": str(by), "gains": "usual", "topics": topics, "interim": interim}
    return of | {"results": results}
