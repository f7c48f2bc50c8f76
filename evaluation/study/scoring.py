"""What systems are worth by gains from different sources, and how far two sources agree."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation import pipeline
from evaluation.presentation.parts import correlation, interval
from evaluation.publishing import named_gains
from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.levels import opinions
from evaluation.study.topics import DEPTH, TopicData
from evaluation.study.whole_lists import Codes
from judging.models import Study
from judging.models.study import DEFAULT_CUTOFF
from judging.studies.analysis_plan import MEASURE_NAMES
from magnitudes.comparison.compared import FEW_TOPICS, Compared
from magnitudes.comparison.correlation import Tau
from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.gains import GainError, named
from magnitudes.gains.catalogue import NamedGain
from magnitudes.measures.lists import (
    END,
    UNJUDGED,
    Lists,
    Values,
    numbers_of,
    places_of,
    refuse_unknown,
)
from magnitudes.measures.names import Measure, parse
from magnitudes.scaling import ScalingError

MIN_TOPICS = LEAST_TOPICS
ALIKE, IN_PART = 0.9, 0.5  # tau from which on two orders are usually taken for one, and half-way
TAU = -1.0, 1.0  # what tau can be
TAU_ENDS = {"low": TAU, "high": TAU}  # columns of tables
OF_TAU = (
    "tau: Kendall's tau-b of system means, with its 95% interval; none at 1 or -1, where it would "
    "have no width."
)
TOP_SET = (
    "Top set: the system with the highest mean, and all that do not differ from it significantly "
    "by a two-sided Wilcoxon signed-rank test over topics (p ≥ 0.05), each compared alone; they "
    "need not be equal."
)
GainsOf = Callable[[ArrayLike], Floats]
NAMES = tuple(parse(name).name for name in MEASURE_NAMES)


def cutoff(study: Study) -> int:
    """The rank that a study's systems are measured to; where there is none, what is usual."""
    return study.used_cutoff or DEFAULT_CUTOFF


def measures(study: Study) -> tuple[Measure, ...]:
    """What a study's systems are ranked by; where that is nothing, what is usual elsewhere."""
    return tuple(to_cutoff(name, study) for name in MEASURE_NAMES)


def first(study: Study) -> Measure:
    """The one by which a study's systems are ranked unless another is asked for."""
    return parse(pipeline.first_measure(study))


def to_cutoff(name: str, study: Study) -> Measure:
    """A measure by its name without a cutoff, to the rank that the study's systems are measured to.

    >>> str(to_cutoff("RBP", Study(pooled_to=4)))
    'RBP@4'
    """
    return parse(f"{name}@{cutoff(study)}")


# Gains of labels; NaN, of documents without one, must be taken out before.
KINDS: dict[str, GainsOf] = {
    "binary": named.parse("binary").gains,
    "graded": named.parse("linear").gains,
}


class Source(NamedTuple):
    """What documents of one topic are worth, by code in its vocabulary (-1: in no list or pool).

    known: what measures may need that gains alone do not tell, as `measures.lists.numbers_of` has
    it.
    """

    codes: Ints
    gains: Floats
    known: Mapping[str, Any] = {}


def magnitudes(topic: TopicData, gains: Floats | None = None) -> Source:
    """Gains of the pool, the aggregated scores unless others are given; NaN is unjudged."""
    gains = topic.gains if gains is None else gains
    judged = ~np.isnan(gains)
    return Source(topic.codes[judged], gains[judged], numbers_of(gains, topic.h_k, topic.n_k))


def labels(topic: TopicData, gains_of: GainsOf) -> Source:
    """Gains of all labelled documents, those outside the pool too."""
    return Source(topic.labelled.codes, gains_of(topic.labelled.levels))


def labelled(data: StudyData) -> list[TopicData]:
    """The topics that have labels: on others there is nothing to compare magnitudes with.

    Unlabelled documents count as 0 there if the study has it so.
    """
    return [topic for topic in data.with_zeros.topics if topic.labelled.levels.size]


def why_not(data: StudyData) -> str:
    """Why no system can be compared by magnitudes and by labels; empty where some can."""
    if not data.runs:
        return "The collection has no run: there is no system to rank."
    if not labelled(data):
        return "No topic with a completed unit has a label: there is no ranking to compare with."
    return ""


def too_few(topics: int) -> list[str]:
    """What to say of top sets where no outcome of their test would be significant."""
    return [] if topics >= MIN_TOPICS else [f"{FEW_TOPICS[0].upper()}{FEW_TOPICS[1:]}."]


def kinds(topics: Iterable[TopicData]) -> list[str]:
    """The kinds of gains that labels have: where all relevant ones are 1, graded is binary."""
    levels = np.concatenate([np.empty(0), *(topic.labelled.levels for topic in topics)])
    return list(KINDS) if (levels[levels > 0] != 1).any() else ["binary"]


def measure(topics: Sequence[TopicData], sources: Iterable[Source], by: Measure) -> Values:
    """Every run on every topic, with the gains of one source for each topic."""
    return measure_lists([topic.lists for topic in topics], sources, by)


def measure_lists(lists: Iterable[Codes], sources: Iterable[Source], by: Measure) -> Values:
    """Systems by their lists on each topic, (systems, depth), with one source for each topic."""
    values = [
        Lists(
            places_of(codes, source.codes),
            source.gains,
            {**numbers_of(source.gains), **source.known},
        ).measure(by)
        for codes, source in zip(lists, sources, strict=True)
    ]
    if not values:
        return Values(np.empty((0, 0)), np.empty((0, 0)))
    return Values(*(np.stack(column) for column in zip(*values, strict=True)))


def drawable(topic: TopicData, lists: Codes) -> Topic:
    """The topic with documents by their place in the pool; all others are one without a score."""
    size = len(topic.codes)
    places = places_of(lists, topic.codes)
    codes = np.select([places == UNJUDGED, places == END], [size, -1], places)
    return Topic(codes, topic.normalised.ravel(), topic.places.ravel(), size + 1)


class Measured(NamedTuple):
    """All systems by one measure: (topics, runs), values and shares of judged documents."""

    measure: Measure
    runs: list[str]
    values: Floats
    judged: Floats  # NaN: no list


def measured(data: StudyData, by: Measure, gains: str = "") -> Measured:
    """All systems of a study by any measure, with the gains of a name, or the usual ones.

    A topic on which no document has such a gain is left out.

    Raises:
        NoSuchGains: there are none of that name, or none of these judgments.
        MeasureNameError: the measure needs what is not known, or does not go with the gains.
    """
    gain = named_gains.named(data.study, gains or None)
    by.goes_with(gain)
    if gain.of == "scores":
        by = by.in_study()
    of_topics = np.split(gains_by(data, gain), data.offsets[1:-1])
    places = [place for place, some in enumerate(of_topics) if not np.isnan(some).all()]
    every = [_lists(data, place, of_topics[place], by).measure(by) for place in places]
    shape = len(places), len(data.runs)
    table = np.array([one.values for one in every]).reshape(shape)
    judged = np.array([one.judged for one in every], dtype=np.float64).reshape(shape)
    refuse_unknown(by, table, [data.topics[place].query_id for place in places], data.runs)
    return Measured(by, data.runs, table, judged)


def gains_by(data: StudyData, gain: NamedGain) -> Floats:
    """The gains of all items under a definition, (items,); NaN where there is none.

    Raises:
        NoSuchGains: nothing can be computed from these judgments.
    """
    if gain.name == named_gains.usual(data.study):
        return data.documents.gains
    judgments = opinions(data) if data.study.is_graded else data.magnitudes
    try:
        return gain.gains(judgments)
    except (GainError, ScalingError) as fault:
        raise named_gains.NoSuchGains(f"{gain.name}: {fault}") from fault


def _lists(data: StudyData, place: int, gains: Floats, by: Measure) -> Lists:
    """The lists of one topic as deep as a measure reads them, and what it needs of them."""
    topic, judged = data.topics[place], ~np.isnan(gains)
    deep = by.by_rank or by.cutoff is None or by.cutoff > DEPTH
    codes = data.whole_lists(place, by.by_rank) if deep else topic.lists
    known: dict[str, Any] = {**numbers_of(gains, topic.h_k, topic.n_k)}
    ranked = {}
    if "words" in by.needs:
        words = data.lengths[place]
        ranked["words"] = words[codes]
        known["judged_words"] = words[topic.codes[judged]]
    return Lists(places_of(codes, topic.codes[judged]), gains[judged], known, ranked)


def with_interval(tau: Tau) -> str:
    """Tau in a sentence; its interval is cut at -1 and 1."""
    if np.isnan(tau.tau):
        return "tau is not defined"
    if np.isnan(tau.low) or abs(tau.tau) == 1:
        return f"tau is {correlation(tau.tau, 3)}"
    low, high = np.clip(tau[1:3], *TAU).tolist()
    cut = [f"{end:g}" for end, was in ((low, tau.low), (high, tau.high)) if end != was]
    at = f", cut at {' and '.join(cut)}" if cut else ""
    return f"tau is {correlation(tau.tau, 3)} (95% interval {interval(low, high)}{at})"


def briefly(measures: Iterable[Measure]) -> dict[str, str]:
    """What measures are called in figures: without options, unless two would have one name.

    >>> briefly([parse("P(rel='anchors')@10"), parse("AP@10")])
    {"P(rel='anchors')@10": 'P@10', 'AP@10': 'AP@10'}
    """
    every = list(measures)
    is_clear = len({measure.brief for measure in every}) == len(every)
    return {str(measure): measure.brief if is_clear else str(measure) for measure in every}


def how_alike(both: str, compared: Compared, measures: str = "") -> str:
    """A heading on two orders of systems; both: what makes them; measures: beside tau.

    It says that they are alike only where the interval of tau says so.
    """
    tau = compared.tau
    if np.isnan(tau.tau):
        return f"{both} cannot be held against each other: {compared.reason}"
    aside = f"({f'{measures}: ' if measures else ''}tau {correlation(tau.tau)})"
    few = compared.why == FEW_TOPICS
    if tau.low <= 0 or (tau.tau <= 0 and not few):
        return f"It cannot be said that {_within(both)} order systems alike {aside}"
    said = f"{_within(both)} order systems {_degree(tau.tau)} {aside}"
    return f"So far {said}" if few else said[0].upper() + said[1:]


def _within(both: str) -> str:
    """As it stands within a sentence: names of measures keep their capitals."""
    first = both.split()[0]
    return both[0].lower() + both[1:] if first.istitle() else both


def _degree(tau: float) -> str:
    if tau >= 1 - 1e-12:
        return "the same way"
    if tau >= ALIKE:
        return "nearly alike"
    return "alike only in part" if tau >= IN_PART else "hardly alike"


def tau_ends(low: float, high: float) -> dict[str, float]:
    """The ends of an interval of tau for a chart, cut at -1 and 1; NaN where there is none."""
    return dict(zip(("low", "high"), np.clip((low, high), *TAU).tolist(), strict=True))


def cells(compared: Compared) -> tuple[float | int | None, ...]:
    """Tau and its interval, sizes of top sets, and their overlap: a part of a row of a table."""
    return *compared.tau[:3], *compared.sizes, compared.overlap


def top_sets(compared: Compared, first: str, second: str) -> str:
    """The sizes of two top sets in half a sentence; first, second: whose they are."""
    if compared.why == FEW_TOPICS:
        return FEW_TOPICS
    if np.isnan(compared.overlap):
        return "top sets cannot be compared"
    sizes = f"{compared.sizes[0]} by {first}, {compared.sizes[1]} by {second}"
    little = ": says nothing" if compared.says_little else ""
    return f"top sets: {sizes}, {compared.both} in both, of {len(compared.first)}{little}"
