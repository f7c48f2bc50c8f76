"""This study beside others of the same collection: do they rank systems and documents alike?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Table,
    Tell,
    drawn,
    number,
    plain_row,
)
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from evaluation.study.other_studies import OtherStudy
from evaluation.study.topics import TopicData
from magnitudes.comparison.compared import FEW_TOPICS, Compared, compare
from magnitudes.comparison.correlation import tau_b
from magnitudes.files.words import count
from magnitudes.measures.names import Measure


class Ranked(NamedTuple):
    """Systems by one measure on the topics that two studies share, (topics, runs)."""

    measure: Measure
    here: Floats
    there: Floats
    compared: Compared


class Mean(NamedTuple):
    """A system's mean in both studies."""

    measure: str
    system: str
    mean_there: float
    mean_here: float


class Order(NamedTuple):
    """The order of systems and their top set here, against those of another study."""

    study: str
    measure: str
    systems: int
    topics: int
    tau: float
    low: float
    high: float
    top_set_there: int | None
    top_set_here: int | None
    in_both: int | None
    overlap: float


class Topic(NamedTuple):
    """How far two studies order the documents of a topic alike that both have judged."""

    study: str
    query_id: str
    documents: int
    tau: float


@dataclass(frozen=True)
class Found:
    """What another study shares with this one; rankings: by measure, none without a system."""

    other: OtherStudy
    topics: list[Topic]
    rankings: list[Ranked]

    @property
    def documents(self) -> int:
        return sum(topic.documents for topic in self.topics)

    @property
    def tau_of_documents(self) -> float:
        """The mean over the topics that have one."""
        known = [topic.tau for topic in self.topics if not np.isnan(topic.tau)]
        return float(np.mean(known)) if known else float("nan")

    def numbers(self) -> dict[str, Any]:
        return plain_row(
            {
                "topics": len(self.topics),
                "documents": self.documents,
                "tau_of_documents": self.tau_of_documents,
                **{f"tau_{by.measure.name}": by.compared.tau.tau for by in self.rankings},
            }
        )


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau, top sets, and agreement on documents with every other study of the collection."""
    if not data.others:
        return Analysed(["The collection has no other study with results to compare with."])
    every = []
    for done, other in enumerate(data.others, 1):
        every.append(compute(data, other))
        tell(done / len(data.others))
    common = [found for found in every if found.topics]
    return Analysed(
        [*says(every, data.runs)],
        [
            *(figure(found, data.runs) for found in common if found.rankings),
            *(tables(common) if common else []),
        ],
        {found.other.slug: found.numbers() for found in common},
    )


def compute(data: StudyData, other: OtherStudy) -> Found:
    judged = [topic for topic in data.topics if topic.query_id in other.gains]
    by_topic = [(topic, _topic(topic, other)) for topic in judged]
    shared = [(topic, row) for topic, row in by_topic if row.documents]
    topics = [topic for topic, _ in shared]
    measures = comparing.measures(data.study) if topics and data.runs else ()
    rankings = [_ranked(topics, other, measure) for measure in measures]
    return Found(other, [row for _, row in shared], rankings)


def _topic(topic: TopicData, other: OtherStudy) -> Topic:
    codes, gains = other.gains[topic.query_id]
    judged = np.flatnonzero(~np.isnan(topic.gains))
    both, here, there = np.intersect1d(topic.codes[judged], codes, return_indices=True)
    tau = tau_b(topic.gains[judged[here]], gains[there])
    return Topic(other.slug, topic.query_id, len(both), tau)


def _ranked(topics: Sequence[TopicData], other: OtherStudy, measure: Measure) -> Ranked:
    sources = (comparing.Source(*other.gains[topic.query_id]) for topic in topics)
    here = comparing.measure(topics, map(comparing.magnitudes, topics), measure).values
    there = comparing.measure(topics, sources, measure).values
    compared = compare(there, here, (f"ranking by {other.slug}", "ranking by this one"))
    return Ranked(measure, here, there, compared)


def says(every: Sequence[Found], runs: Sequence[str]) -> Iterator[str]:
    yield from map(_says, every)
    yield from comparing.too_few(max(len(found.topics) for found in every))
    if not runs:
        yield "The collection has no run: there is no system to rank."


def _says(found: Found) -> str:
    other = found.other
    name = f"“{other.slug}” ({', '.join(filter(None, (other.scale, other.mark)))})"
    if not found.topics:
        return f"With the study {name} this one has no judged document in common."
    orders = "; ".join(
        f"by {by.measure}, {comparing.with_interval(by.compared.tau)}{_top_sets(by.compared)}"
        for by in found.rankings
    )
    return (
        f"With the study {name} this one shares {count(len(found.topics), 'topic')} and "
        f"{count(found.documents, 'document')}. {f'Systems: {orders}. ' if orders else ''}"
        "Documents: the mean over topics of tau between their gains is "
        f"{number(found.tau_of_documents)}."
    )


def _top_sets(compared: Compared) -> str:
    """Nothing where too few topics have none, which is said once."""
    if compared.why == FEW_TOPICS:
        return ""
    return f", {comparing.top_sets(compared, 'the other', 'this one')}"


def figure(found: Found, runs: Sequence[str]) -> Figure:
    rows = [
        Mean(str(by.measure), run, there, here)
        for by in found.rankings
        for run, there, here in zip(
            runs, by.there.mean(axis=0).tolist(), by.here.mean(axis=0).tolist(), strict=True
        )
    ]
    first, slug = found.rankings[0], found.other.slug
    across = plots.axis("there", "mean in the other", ticks=3)
    dots = plots.points("systems", across, plots.axis("here", "mean in this study"))
    panels = [str(by.measure) for by in found.rankings]
    return Figure(
        f"systems-{slug}",
        comparing.how_alike(f"This study and {slug}", first.compared, first.measure.brief),
        "One dot a system, on the topics that both studies have. The closer all are to a rising "
        "line, the more alike both rank systems; look for those far from it.",
        plots.panels(dots, "measure", panels),
        {"systems": drawn(rows, "measure", _tooltip, there="mean_there", here="mean_here")},
        Mean,
        rows,
    )


def _tooltip(row: Mean) -> str:
    return f"{row.system}: {number(row.mean_there)} there, {number(row.mean_here)} here"


def tables(every: Sequence[Found]) -> Iterator[Table]:
    """every: those that share a document."""
    orders = [(found.other.slug, by) for found in every for by in found.rankings]
    reasons = {by.compared.reason for _, by in orders} - {""}
    yield Table(
        "order",
        "Order of systems and top set, here and in other studies",
        Order,
        [_order(study, by) for study, by in orders],
        (
            comparing.OF_TAU,
            f"{comparing.TOP_SET} Overlap: the share of the other study's top set that is in both.",
            *(f"A dash: {reason}." for reason in sorted(reasons)),
        ),
        limits=comparing.TAU_ENDS,
    )
    yield Table(
        "documents",
        "Documents that both judged, by topic",
        Topic,
        [topic for found in every for topic in found.topics],
        (
            "tau: Kendall's tau-b of the gains; NaN, shown as a dash, where one study gave all of "
            "them the same.",
        ),
    )


def _order(study: str, by: Ranked) -> Order:
    compared, (topics, systems) = by.compared, by.here.shape
    where = study, str(by.measure), systems, topics
    return Order._make([*where, *compared.tau[:3], *compared.sizes, compared.overlap])


ANALYSIS = Analysis(
    "studies",
    "Do other studies of this collection say the same?",
    analyse,
    of_others=True,
    of_systems=True,
)
