"""Published and asked-for results of a study, as the ways out need them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from django.db.models import F, Max, Sum
from numpy.typing import NDArray

from evaluation import VERSION, named_gains, pipeline
from evaluation.comparison.correlation import tau_b
from evaluation.gains import GainError
from evaluation.gains.catalogue import NamedGain
from evaluation.measures.lists import Values, refuse_unknown
from evaluation.measures.names import Measure, MeasureNameError, parse
from evaluation.models import Evaluation, Ranking, TopicEvaluation
from evaluation.ranking import Ranked, rank, stored
from evaluation.scaling.aggregation import AGGREGATORS
from evaluation.scaling.normalisation import SCHEMES
from judging import completed
from judging.models import PooledDocument, Study
from web.moments import one_moment

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
NORMALISATIONS, AGGREGATIONS = SCHEMES, tuple(AGGREGATORS)
# Levels are on one scale for all, and the lowest is 0, which has no place in a geometric mean.
OF_LEVELS = ("none",), ("median", "arithmetic")
OF_IMPORTED = tuple(name for name in SCHEMES if name != "anchors"), AGGREGATIONS


class NoSuchScheme(ValueError):
    """Scores of this study cannot be scaled so; `option` is what was asked for."""

    def __init__(self, option: str, value: str, choices: Sequence[str], study: Study) -> None:
        why = ", as there are no anchors" if study.is_imported else ""
        why = ", as scores are levels" if study.is_graded else why
        super().__init__(f"“{value}”: expected one of {', '.join(choices)}{why}")
        self.option = option


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


@dataclass(frozen=True)
class Gain:
    """The gain of one topic-document pair."""

    query_id: str
    doc_id: str
    gain: float
    count: int


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


def version(study: Study) -> str:
    """Changes whenever anything that leaves the study as a result may have changed."""
    header = published(study)
    data = study.topics.aggregate(sum=Sum("revision"))["sum"]
    # A draft may be planned anew; every plan has pooled documents of its own.
    plan = study.stage == Study.Stage.DRAFT and study.topics.aggregate(n=Max("documents"))["n"]
    return f"{header.number if header else 0}.{data or 0}.{plan or 0}.{VERSION}"


def schemes(
    study: Study, normalisation: str | None = None, aggregation: str | None = None
) -> tuple[str, str]:
    """The schemes that are asked for, or those that a study's scores are usually scaled by.

    Raises:
        NoSuchScheme: there is none of that name for the study's kind of scores.
    """
    usual = pipeline.schemes(study)
    asked = (normalisation, aggregation)
    chosen = tuple(usual[place] if name is None else name for place, name in enumerate(asked))
    there = OF_IMPORTED if study.is_imported else (NORMALISATIONS, AGGREGATIONS)
    there = OF_LEVELS if study.is_graded else there
    names = ("normalisation", "aggregation")
    for name, value, choices in zip(names, chosen, there, strict=True):
        if value not in choices:
            raise NoSuchScheme(name, value, choices, study)
    return chosen[0], chosen[1]


@one_moment()
def gains(
    study: Study,
    normalisation: str | None = None,
    aggregation: str | None = None,
    named: str | None = None,
) -> list[Gain]:
    """The gains of all judged pairs, by topic and document.

    Under the published schemes they are from the published judgments; under others they are
    computed from the judgments as they are now. `named`: see `named_gains`.

    Raises:
        NoSuchGains: see there; and for another scheme with gains that are not the scaled scores.
    """
    asked, gain = schemes(study, normalisation, aggregation), named_gains.named(study, named)
    topics = _topics(study)
    if asked == pipeline.schemes(study):
        of_topics = named_gains.of_topics(study, topics, gain)
    elif gain.name == named_gains.usual(study):
        of_topics = [_rescaled(topic, asked) for topic in topics]
    else:
        usual = " and ".join(pipeline.schemes(study))
        raise named_gains.NoSuchGains(f"{gain.name} goes with the usual scheme alone, {usual}")
    names = dict(
        PooledDocument.objects.filter(study_topic__study=study).values_list("id", "doc_id")
    )
    gains = []
    for topic, of_topic in zip(topics, of_topics, strict=True):
        query_id = topic.study_topic.topic.query_id
        gains += sorted(
            (
                Gain(query_id, names[int(key)], float(gain), int(count))
                for key, gain, count in zip(*of_topic, strict=True)
            ),
            key=lambda gain: gain.doc_id.encode(),
        )
    return gains


@one_moment()
def remark(study: Study, named: str | None = None) -> str:
    """What there is to say of the judgments that gains of that name are computed from, or "".

    Raises:
        NoSuchGains: see `named_gains`.
    """
    return named_gains.remark(study, _topics(study), named_gains.named(study, named))


def _rescaled(topic: TopicEvaluation, schemes: tuple[str, str]) -> named_gains.TopicGains:
    of = topic.study_topic_id
    scaled = pipeline.scale(completed.judgments(of), completed.pool(of), *schemes)
    return named_gains.TopicGains(scaled.documents, scaled.gains, scaled.counts)


def _topics(study: Study) -> list[TopicEvaluation]:
    """What is published of each topic. After another import its documents may be gone."""
    of_data = {"revision": F("study_topic__revision")} if study.is_imported else {}
    return list(
        TopicEvaluation.objects.filter(evaluation__study=study, **of_data)
        .select_related("study_topic__topic")
        .defer("normalised", "gamma_u")  # as many as there are judgments, and not wanted here
        .order_by("study_topic__topic__query_id")
    )


@one_moment()
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
    topics = _topics(study)
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


@one_moment()
def ranking(study: Study, measure: Measure, named: str | None = None) -> dict[str, Any]:
    """The systems by their mean, best first, with what it was computed from.

    `named` and errors: see `table`.
    """
    return as_ranking(study, table(study, measure, named))


def as_ranking(study: Study, systems: Table) -> dict[str, Any]:
    """A table as what REST and pages show: the systems by their mean, best first."""
    return {
        "study": study.slug,
        "crowd": study.mark or "people",
        "measure": systems.measure,
        "gains": systems.gains,
        "topics": len(systems.query_ids),
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


@one_moment()
def err_by_factor(study: Study, measure: Measure) -> list[tuple[float, float]]:
    """How the order by ERR changes when all gains are multiplied by a factor: (factor, tau-b).

    ERR is not invariant to a constant factor, and the size of the gains is an accident of the
    numbers that workers chose.
    """
    header = published(study)
    topics = [topic for topic in _topics(study) if topic.assignments] if header else []
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
