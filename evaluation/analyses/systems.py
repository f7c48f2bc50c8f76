"""What systems are worth by gains from different sources, and how far two sources agree."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation import pipeline
from evaluation.analyses.data import Floats, Ints, StudyData, TopicData
from evaluation.analyses.parts import number
from evaluation.comparison.correlation import Tau
from evaluation.comparison.sensitivity import sensitivity
from evaluation.comparison.top_set import top_set
from evaluation.gains.levels import linear
from evaluation.measures.names import Measure, parse
from evaluation.measures.relevance import between

ENOUGH = 6  # topics, for a signed-rank test that may be significant
Codes = NDArray[np.int32]
GainsOf = Callable[[ArrayLike], Floats]
MEASURES = tuple(parse(name) for name in pipeline.MEASURES)


def _binary(levels: ArrayLike) -> Floats:
    return (np.asarray(levels) > 0).astype(np.float64)


def _graded(levels: ArrayLike) -> Floats:
    return linear(levels).values


# Gains of labels; NaN, of documents without one, must be taken out before.
KINDS: dict[str, GainsOf] = {"binary": _binary, "graded": _graded}


class Source(NamedTuple):
    """What documents of one topic are worth, by code in its vocabulary (-1: in no list or pool).

    known: what measures may need beside gains, by names of `measures.names.KNOWN`.
    """

    codes: Ints
    gains: Floats
    known: Mapping[str, float] = {}


class Values(NamedTuple):
    """A measure's values and the shares judged (NaN: no list), both (topics, runs)."""

    values: Floats
    judged: Floats


class Compared(NamedTuple):
    """How far two sources of gains agree on systems; `reason`: why a number is NaN, or empty.

    tau: of the means, with its interval; first, second: who is in the top sets, (runs,);
    overlap: the share of the first that is in the second.
    """

    tau: Tau
    first: NDArray[np.bool_]
    second: NDArray[np.bool_]
    overlap: float
    reason: str

    @property
    def both(self) -> int:
        return int((self.first & self.second).sum())


def magnitudes(topic: TopicData, gains: Floats | None = None) -> Source:
    """Gains of the pool, the aggregated scores unless others are given; NaN is unjudged."""
    given = topic.gains if gains is None else gains
    judged = ~np.isnan(given)
    return Source(topic.codes[judged], given[judged], _between_anchors(topic, given))


def _between_anchors(topic: TopicData, gains: Floats) -> dict[str, float]:
    """From which gain on a document is relevant; nothing without anchors that have one."""
    if min(topic.h_k, topic.n_k) < 0:
        return {}
    h_k, n_k = gains[topic.h_k], gains[topic.n_k]
    return {"anchors": float(between(h_k, n_k))} if h_k > 0 and n_k > 0 else {}


def labels(topic: TopicData, gains_of: GainsOf) -> Source:
    """Gains of all labelled documents, those outside the pool too."""
    return Source(topic.labelled.codes, gains_of(topic.labelled.levels))


def labelled(data: StudyData) -> list[TopicData]:
    """The topics that have labels: on others there is nothing to compare magnitudes with."""
    return [topic for topic in data.topics if topic.labelled.levels.size]


def why_not(data: StudyData) -> str:
    """Why no system can be compared by magnitudes and by labels; empty where some can."""
    if not data.runs:
        return "The collection has no run: there is no system to rank."
    if not labelled(data):
        return "No topic with a completed unit has a label: there is no ranking to compare with."
    return ""


def too_few(topics: int) -> list[str]:
    """What to say of top sets where no outcome of their test would be significant."""
    if topics >= ENOUGH:
        return []
    return [f"On fewer than {ENOUGH} topics no test tells systems apart: all are in the top sets."]


def kinds(topics: Iterable[TopicData]) -> list[str]:
    """The kinds of gains that labels have: where all relevant ones are 1, graded is binary."""
    levels = [topic.labelled.levels for topic in topics]
    relevant = np.concatenate([found[found > 0] for found in levels]) if levels else np.empty(0)
    return list(KINDS) if (relevant != 1).any() else ["binary"]


def measure(topics: Sequence[TopicData], sources: Iterable[Source], by: Measure) -> Values:
    """Every run on every topic, with the gains of one source for each topic."""
    return measure_lists([topic.lists for topic in topics], sources, by)


def measure_lists(lists: Iterable[Codes], sources: Iterable[Source], by: Measure) -> Values:
    """Systems by their lists on each topic, (systems, depth), with one source for each topic."""
    found = [_measure(codes, source, by) for codes, source in zip(lists, sources, strict=True)]
    if not found:
        return Values(np.empty((0, 0)), np.empty((0, 0)))
    return Values(*(np.stack(column) for column in zip(*found, strict=True)))


def _measure(lists: Codes, source: Source, by: Measure) -> tuple[Floats, Floats]:
    codes, gains, known = source
    lists = lists[:, : by.cutoff]
    place_of = np.full(max(lists.max(initial=-1), codes.max(initial=-1)) + 2, -1)
    named = np.flatnonzero(codes >= 0)
    place_of[codes[named]] = named
    places = place_of[lists]  # code -1 reads the last entry, which no document has
    judged, lengths = places >= 0, (lists >= 0).sum(axis=1)
    share = np.full(len(lists), np.nan)
    np.divide(judged.sum(axis=1), lengths, out=share, where=lengths > 0)
    ranked = np.append(gains, 0.0)[places]  # place -1 reads the last entry, unjudged
    values = by.evaluate(ranked, gains, n_judged=len(gains), places=places, **known)
    return np.where(lengths > 0, values, 0.0), share


def compare(
    first: Floats, second: Floats, names: tuple[str, str] = ("by labels", "by magnitudes")
) -> Compared:
    """Two tables of values, (topics, runs); `names` are those of their rankings in a reason."""
    [row] = sensitivity(first, {"second": second})
    members = top_set(first).members, top_set(second).members
    reason = row.tau.reason
    for list_, name in zip(("first", "second"), names, strict=True):
        reason = reason.replace(f"{list_} list", f"ranking {name}")
    reason = reason or row.reason
    return Compared(row.tau, *members, row.overlap, reason)


def with_interval(tau: Tau) -> str:
    """Tau in a sentence."""
    if np.isnan(tau.tau):
        return "tau is not defined"
    if np.isnan(tau.low):
        return f"tau is {number(tau.tau)}"
    return f"tau is {number(tau.tau)} (95% interval {number(tau.low)} to {number(tau.high)})"
