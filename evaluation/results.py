"""What is published of a study, and its rankings by any measure, as the ways out need them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from django.db.models import F, Max, Sum
from numpy.typing import NDArray

from evaluation import VERSION, pipeline
from evaluation.models import Evaluation, Ranking, TopicEvaluation
from evaluation.publishing import named_gains
from evaluation.ranking import Ranked, rank, stored
from judging import completed
from judging.models import Study
from magnitudes.comparison.correlation import tau_b
from magnitudes.gains import GainError
from magnitudes.gains.catalogue import NamedGain
from magnitudes.measures.lists import Values, refuse_unknown
from magnitudes.measures.names import Measure, MeasureNameError, parse
from web.snapshots import snapshot

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class CannotRank(ValueError):
    """Systems cannot be ranked so; `option` is what was asked for: measure or gains."""

    def __init__(self, option: str, why: object) -> None:
        super().__init__(str(why))
        self.option = option


@contextmanager
def refusals(measure: str) -> Iterator[None]:
    """Have whatever speaks against a ranking by the measure of this name raise CannotRank."""
    try:
        yield
    except MeasureNameError as fault:
        raise CannotRank("measure", fault) from fault
    except named_gains.NoSuchGains as fault:
        raise CannotRank("gains", fault) from fault
    except GainError as fault:  # an option of the measure that does not go with the gains
        raise CannotRank("measure", MeasureNameError(measure, str(fault))) from fault


class Table(NamedTuple):
    """One measure of all systems, whose names are `runs`, and the evaluation that it is from."""

    measure: str
    gains: str
    source: Evaluation | None
    runs: list[str]
    ranked: Ranked | None

    @property
    def query_ids(self) -> list[str]:
        return self.ranked.query_ids if self.ranked else []

    @property
    def values(self) -> Floats:
        return self.ranked.values if self.ranked else np.empty((0, len(self.runs)))

    @property
    def judged(self) -> Floats:
        return self.ranked.judged if self.ranked else np.empty((0, len(self.runs)))


def published(study: Study) -> Evaluation | None:
    """What is published of a study; None before its first completed unit is evaluated."""
    return Evaluation.objects.filter(study=study).first()


# What says nothing of the judgments: counters, and who is let in when.
OTHER_SETTINGS = {"id", "version", "stage", "archived_at"}


def version(study: Study) -> str:
    """Changes whenever anything that leaves the study as a result may have changed.

    That is the published evaluation, the judgments, the plan of a draft, every setting of the
    study, and the code that computes.
    """
    # A draft may be planned anew; every plan has pooled documents of its own.
    plan = study.stage == Study.Stage.DRAFT and study.topics.aggregate(n=Max("documents"))["n"]
    names = [field.name for field in Study._meta.concrete_fields]
    settings = [name for name in names if name not in OTHER_SETTINGS]
    (number, data, *given) = (
        Study.objects.annotate(data=Sum("topics__revision"))
        .values_list("evaluation__number", "data", *settings, "collection__free_to_share")
        .get(pk=study.pk)
    )
    digest = sha256(repr((VERSION, given)).encode()).hexdigest()[:16]
    return f"{number or 0}.{data or 0}.{plan or 0}.{digest}"


def topics_of(study: Study) -> list[TopicEvaluation]:
    """What is published of each topic. After another import its documents may be gone."""
    of_data = {"revision": F("study_topic__revision")} if study.is_imported else {}
    return list(
        TopicEvaluation.objects.filter(evaluation__study=study, **of_data)
        .select_related("study_topic__topic")
        .defer("normalised", "gamma_u")  # as many as there are judgments, and not wanted here
        .order_by("study_topic__topic__query_id")
    )


@snapshot()
def table(study: Study, measure: Measure, named: str | None = None) -> Table:
    """A measure of all runs on all topics with a completed unit, from the published judgments.

    A measure that was published with them is read; any other, or one of other gains, is computed by
    the same function. `named`: the name of the gains. A topic on which no document has such a gain
    is left out.

    Raises:
        NoSuchGains: see `named_gains`.
        MeasureNameError: the measure needs what is not known, or does not go with the gains.
    """
    gain = named_gains.named(study, named)
    measure.goes_with(gain)
    if gain.of == "scores":
        measure = measure.in_study()
    if gain.name == named_gains.usual(study) and (row := _stored(study, measure)):
        return Table(str(measure), gain.name, row.evaluation, row.evaluation.tags, stored(row))
    header = published(study)
    if header is None:
        return Table(str(measure), gain.name, None, [], None)
    ranked = computed(study, measure, gain, of_runs(header.runs))
    whole = Table(str(measure), gain.name, header, header.tags, ranked)
    refuse_unknown(measure, whole.values, whole.query_ids, whole.runs)
    return whole


def table_by(study: Study, measure: str, named: str | None = None) -> Table:
    """`table` by the name of a measure.

    Raises:
        CannotRank: there is no such measure, or no such gains, or they do not go together.
    """
    with refusals(measure):
        return table(study, parse(measure), named)


def _stored(study: Study, measure: Measure) -> Ranking | None:
    """The ranking by a measure that is published."""
    rows = Ranking.objects.select_related("evaluation")
    return rows.filter(evaluation__study=study, measure=str(measure)).first()


class RankedLists(NamedTuple):
    """The lists of some runs on a topic: codes (runs, ranks) in the order of a measure.

    words: by code and NaN at the end, the lengths of documents, for a measure that needs them.
    """

    codes: NDArray[np.int32]
    words: Floats | None


def computed(
    study: Study,
    measure: Measure,
    gain: NamedGain,
    lists: Callable[[TopicEvaluation, Ids, Measure], RankedLists],
) -> Ranked | None:
    """A ranking from the published gains, or others of the published judgments; None: no topic.

    `lists` gives those of a topic; its pooled documents, by code, are those that are judged.
    """
    topics = topics_of(study)
    of_topics = named_gains.of_topics(study, topics, gain)
    values = {
        topic.study_topic.topic.query_id: _measure(topic, gains, lists, measure)
        for topic, gains in zip(topics, of_topics, strict=True)
        if gains.documents.size
    }
    return rank(list(values), list(values.values())) if values else None


def _measure(
    topic: TopicEvaluation,
    known: named_gains.TopicGains,
    lists: Callable[[TopicEvaluation, Ids, Measure], RankedLists],
    measure: Measure,
) -> Values:
    pool = completed.pool(topic.study_topic_id)
    codes, words = lists(topic, pool.codes, measure)
    return pipeline.measure_runs(pool, known.documents, known.gains, codes, measure, words)


def of_runs(runs: list[int]) -> Callable[[TopicEvaluation, Ids, Measure], RankedLists]:
    """The stored lists of some runs, by key."""

    def lists(topic: TopicEvaluation, pooled: Ids, measure: Measure) -> RankedLists:
        of = topic.study_topic.topic_id
        codes = completed.rankings(of, runs, measure.cutoff, by_rank=measure.by_rank)
        words = completed.words(of, codes, pooled) if "words" in measure.needs else None
        return RankedLists(codes, words)

    return lists


@snapshot()
def ranking(study: Study, measure: Measure, named: str | None = None) -> dict[str, Any]:
    """The systems by their mean, best first, with what it was computed from.

    `named` and errors: see `table`.
    """
    return as_ranking(study, table(study, measure, named))


def no_measure(study: Study) -> str:
    """Why systems are ranked by no measure unless one is asked for."""
    return (
        f"the pools hold every run to rank {study.pooled_to}, too few to rank systems unless a "
        "measure is asked for"
    )


def as_ranking(study: Study, systems: Table) -> dict[str, Any]:
    """A table as what REST and pages show: the systems by their mean, best first."""
    return {
        "study": study.slug,
        "crowd": study.mark or "people",
        "measure": systems.measure,
        "gains": systems.gains,
        "topics": len(systems.query_ids),
        "interim": systems.source.interim if systems.source else "",
        "source": source(systems.source),
        "results": sorted(
            _systems(systems.runs, systems.ranked) if systems.ranked else [],
            key=lambda system: (system["rank"], system["run"].encode()),
        ),
    }


def _systems(runs: list[str], ranked: Ranked) -> Iterator[dict[str, Any]]:
    """Every system with its values; None where there is no interval, or nothing judged."""
    columns = {
        "rank": ranked.ranks.tolist(),
        "run": runs,
        "mean": ranked.means.tolist(),
        "low": _or_none(ranked.lows),
        "high": _or_none(ranked.highs),
        "judged": _or_none(ranked.shares),
        "missing_topics": ranked.missing.tolist(),
    }
    for cells, values in zip(
        zip(*columns.values(), strict=True), ranked.values.T.tolist(), strict=True
    ):
        pairs = zip(ranked.query_ids, values, strict=True)
        topics = [{"query_id": query_id, "value": value} for query_id, value in pairs]
        yield {**dict(zip(columns, cells, strict=True)), "topics": topics}


def _or_none(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def source(header: Evaluation | None) -> dict[str, Any] | None:
    """What a published evaluation was computed from."""
    if header is None:
        return None
    return {
        "evaluation": header.number,
        "units": header.units,
        "judgments": header.judgments,
        "revisions": dict(
            header.topic_set.order_by("study_topic__topic__query_id").values_list(
                "study_topic__topic__query_id", "revision"
            )
        ),
        "normalisation": header.normalisation,
        "aggregation": header.aggregation,
        "code_version": header.code_version,
        "computed_at": header.computed_at,
    }


FACTORS = (0.1, 0.5, 2.0, 10.0)


@snapshot()
def err_by_factor(study: Study, measure: Measure) -> list[tuple[float, float]]:
    """How the order by ERR changes when all gains are multiplied by a factor: (factor, tau-b).

    ERR is not invariant to a constant factor, and the size of the gains is an accident of the
    numbers that workers chose.
    """
    header = published(study)
    topics = [topic for topic in topics_of(study) if topic.assignments] if header else []
    if header is None or not topics:
        return []
    means = {factor: np.zeros(len(header.runs)) for factor in (1.0, *FACTORS)}
    for topic in topics:
        pool = completed.pool(topic.study_topic_id)
        codes = completed.rankings(topic.study_topic.topic_id, header.runs, measure.cutoff)
        documents, plain = np.array(topic.documents), np.array(topic.gains)
        for factor, mean in means.items():
            measured = pipeline.measure_runs(pool, documents, factor * plain, codes, measure)
            mean += measured.values / len(topics)
    return [(factor, tau_b(means[1.0], means[factor])) for factor in FACTORS]
