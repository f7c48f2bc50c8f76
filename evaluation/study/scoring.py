"""What systems are worth by gains from different sources."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation import pipeline
from evaluation.publishing import named_gains
from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.levels import opinions
from evaluation.study.topics import DEPTH, TopicData
from evaluation.study.whole_lists import Codes
from judging.models import Study
from judging.models.study import DEFAULT_CUTOFF
from judging.studies.analysis_plan import MEASURE_NAMES
from magnitudes.comparison.drawing import Topic
from magnitudes.gains import GainError, named
from magnitudes.gains.catalogue import NamedGain
from magnitudes.measures.lists import END, UNJUDGED, Lists, Values, places_of, refuse_unknown
from magnitudes.measures.names import Measure, parse
from magnitudes.scaling import ScalingError

GainsOf = Callable[[ArrayLike], Floats]
NAMES = tuple(parse(name).name for name in MEASURE_NAMES)
SHORT = {parse(name).name: parse(name).short for name in MEASURE_NAMES}  # without a cutoff


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


def briefly(measures: Iterable[Measure]) -> dict[str, str]:
    """What measures are called in figures: without options, unless two would have one name.

    >>> briefly([parse("P(rel='anchors')@10"), parse("AP@10")])
    {"P(rel='anchors')@10": 'P@10', 'AP@10': 'AP@10'}
    """
    every = list(measures)
    is_clear = len({measure.short for measure in every}) == len(every)
    return {str(measure): measure.short if is_clear else str(measure) for measure in every}


# Gains of labels; NaN, of documents without one, must be taken out before.
KINDS: dict[str, GainsOf] = {
    "binary": named.parse("binary").gains,
    "graded": named.parse("linear").gains,
}


class Source(NamedTuple):
    """What documents of one topic are worth, by code in its vocabulary (-1: in no list or pool).

    gains: NaN is unjudged. h_k, n_k: places of the anchors among the documents; -1: there are none.
    """

    codes: Ints
    gains: Floats
    h_k: int = -1
    n_k: int = -1


def magnitudes(topic: TopicData, gains: Floats | None = None) -> Source:
    """Gains of the pool, the aggregated scores unless others are given; NaN is unjudged."""
    return Source(topic.codes, topic.gains if gains is None else gains, topic.h_k, topic.n_k)


def labels(topic: TopicData, gains_of: GainsOf) -> Source:
    """Gains of all labelled documents, those outside the pool too."""
    return Source(topic.labelled.codes, gains_of(topic.labelled.levels))


def with_gains(data: StudyData, gains: Floats) -> tuple[list[TopicData], list[Source]]:
    """The topics on which a document has one of these gains, (items,), and what it is worth."""
    by_topic = zip(data.topics, np.split(gains, data.offsets[1:-1]), strict=False)
    known = [(topic, some) for topic, some in by_topic if not np.isnan(some).all()]
    return [topic for topic, _ in known], [magnitudes(*each) for each in known]


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


def kinds(topics: Iterable[TopicData]) -> list[str]:
    """The kinds of gains that labels have: where all relevant ones are 1, graded is binary."""
    levels = np.concatenate([np.empty(0), *(topic.labelled.levels for topic in topics)])
    return list(KINDS) if (levels[levels > 0] != 1).any() else ["binary"]


def measure(
    topics: Sequence[TopicData],
    sources: Iterable[Source],
    by: Measure,
    lists: Iterable[Codes] | None = None,
    words: Iterable[Floats | None] | None = None,
) -> Values:
    """Systems by their lists on each topic, with one source for each: (topics, systems).

    lists: of each topic (systems, depth), those of the runs unless others are given. words: of each
    topic the lengths of documents by code, where the measure needs them.
    """
    codes = [topic.lists for topic in topics] if lists is None else lists
    lengths = [None] * len(topics) if words is None else words
    values = [
        Lists.of_topic(of_topic, *source, of_words).measure(by)
        for of_topic, source, of_words in zip(codes, sources, lengths, strict=True)
    ]
    if not values:
        return Values(np.empty((0, 0)), np.empty((0, 0)))
    return Values(*(np.stack(column) for column in zip(*values, strict=True)))


def by_own_gains(topics: Sequence[TopicData], by: Measure) -> Floats:
    """The runs by the study's own gains, (topics, runs)."""
    return measure(topics, map(magnitudes, topics), by).values


def drawable(topic: TopicData, lists: Codes) -> Topic:
    """The topic with documents by their place in the pool; all others are one without a score."""
    size = len(topic.codes)
    places = places_of(lists, topic.codes)
    codes = np.select([places == UNJUDGED, places == END], [size, -1], places)
    return Topic(codes, topic.normalised.ravel(), topic.places.ravel(), size + 1)


def measured(data: StudyData, by: Measure, gains: str = "") -> tuple[Measure, Values]:
    """All systems of a study by any measure, with the gains of a name, or the usual ones.

    Returns the measure as it is of such gains, and values and shares of judged documents, both
    (topics, runs). A topic on which no document has such a gain is left out.

    Raises:
        NoSuchGains: there are none of that name, or none of these judgments.
        MeasureNameError: the measure needs what is not known, or does not go with the gains.
    """
    gain = named_gains.named(data.study, gains or None)
    by.goes_with(gain)
    if gain.of == "scores":
        by = by.in_study()
    topics, sources = with_gains(data, gains_by(data, gain))
    lists = words = None
    if by.by_rank or by.cutoff is None or by.cutoff > DEPTH:
        lists = (data.whole_lists(topic, by.by_rank) for topic in topics)
    if "words" in by.needs:
        words = (data.lengths[data.topics.index(topic)] for topic in topics)
    values, judged = (
        table.reshape(len(topics), len(data.runs))
        for table in measure(topics, sources, by, lists, words)
    )
    refuse_unknown(by, values, [topic.query_id for topic in topics], data.runs)
    return by, Values(values, judged)


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
