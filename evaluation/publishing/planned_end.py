"""What a study's systems were worth at its planned end, where batches were ordered after a ranking.

Who sees a ranking and orders more judgments may stop where it pleases. Then the units of the plan
alone, which were settled before, are ranked and tested once more, beside all units.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation import pipeline, results
from evaluation.models import CachedAnalysis
from evaluation.ranking import Ranked, rank
from judging import completed
from judging.models import Study
from judging.studies.analysis_plan import batches_after_ranking
from magnitudes.comparison.significant_pairs import Pairs, pairs_of
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.comparison.tukey import tukey_hsd
from magnitudes.files.words import count
from magnitudes.measures.lists import Values
from magnitudes.measures.names import Measure, parse

SEED = 1  # of the test, as analyses have it


class PlannedEnd(NamedTuple):
    """The systems, `runs`, over the units of the plan alone and over all, and how many units."""

    batches: int
    measure: str
    runs: list[str]
    units: int
    alone: Ranked
    all_units: int
    over_all: Ranked

    @property
    def sentence(self) -> str:
        """The count of batches, and both results side by side."""
        alone, every = (_outcome(self.runs, ranked) for ranked in (self.alone, self.over_all))
        return (
            f"{_ordered(self.batches)} By {self.measure}: at the planned end, over "
            f"{count(self.units, 'unit')} of the plan alone, {alone}; over all "
            f"{count(self.all_units, 'unit')}, {every}."
        )


def sentence_of(study: Study) -> str:
    """How many batches were ordered so, with the result at the planned end; empty if none were."""
    batches = batches_after_ranking(study)
    return sentence(batches, read(study, batches))


def sentence(batches: int, end: PlannedEnd | None) -> str:
    """The same, of a study that has been read."""
    if end:
        return end.sentence
    return f"{_ordered(batches)} No system can be ranked at the planned end." if batches else ""


def cached_sentence(study: Study) -> str:
    """The same, from the latest analysis; empty if there is none."""
    cached = CachedAnalysis.objects.filter(study=study, numbers__has_key="planned_end")
    latest = cached.order_by("-computed_at").values_list("numbers__planned_end", flat=True)
    return latest.first() or ""


@results.snapshot()
def read(study: Study, batches: int) -> PlannedEnd | None:
    """Rank a study's systems over the units of its plan alone, by the measure that it froze.

    Returns None where none of its `batches` was ordered after a ranking was visible, or nothing
    can be ranked.
    """
    header = results.published(study)
    name = study.analysis_plan.get("measure") or next(iter(pipeline.measures(study)), "")
    if not (batches and header and name):
        return None
    over_all = results.table(study, parse(name)).ranked
    units, alone = _of_plan(study, parse(name).in_study(), header.runs)
    if over_all is None or alone is None:
        return None
    return PlannedEnd(batches, name, header.tags, units, alone, header.units, over_all)


def _of_plan(study: Study, measure: Measure, runs: list[int]) -> tuple[int, Ranked | None]:
    """How many units of the plan count, and the systems by them; None: there is none."""
    values: dict[str, Values] = {}
    units = 0
    for topic in study.topics.select_related("topic").order_by("topic__query_id"):
        done, pool = completed.judgments(topic.pk, of_plan=True), completed.pool(topic.pk)
        if not done.assignments.size:
            continue
        units += len(done.assignments)
        scaled = pipeline.scale(done, pool, *pipeline.schemes(study))
        codes = completed.rankings(topic.topic_id, runs, measure.cutoff)
        values[topic.topic.query_id] = pipeline.measure_runs(
            pool, scaled.documents, scaled.gains, codes, measure
        )
    return units, rank(list(values), list(values.values())) if values else None


def pairs(ranked: Ranked) -> Pairs | None:
    """How many pairs of systems differ; None: there are too few topics to say."""
    if len(ranked.query_ids) < LEAST_TOPICS or ranked.values.shape[1] < 2:
        return None
    return pairs_of(tukey_hsd(ranked.values[:, order(ranked)], seed=SEED))


def order(ranked: Ranked) -> NDArray[np.int64]:
    """The places of the systems, best first."""
    return np.argsort(ranked.ranks, kind="stable")


def _ordered(batches: int) -> str:
    were = "was" if batches == 1 else "were"
    some = count(batches, "batch", "batches")
    return f"{some} of units {were} ordered after a ranking was visible."


def _outcome(runs: list[str], ranked: Ranked) -> str:
    """The highest system, and how many pairs differ."""
    best, tested = runs[int(order(ranked)[0])], pairs(ranked)
    topics = count(len(ranked.query_ids), "topic")
    if tested is None:
        return f"{best} is the highest, and {topics} are too few to say which differ"
    differ = "differs" if tested.differ == 1 else "differ"
    return f"{best} is the highest, and {tested.said} of {count(tested.all, 'pair')} {differ}"
