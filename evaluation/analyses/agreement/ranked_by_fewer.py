"""Whether fewer judges of a document, or fewer topics, would rank systems alike.

A part of the analysis `judges`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from evaluation.analyses.agreement.by_person import by_person
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Figure,
    OnProgress,
    amount,
    correlation,
    drawn,
    interval,
    number,
    percent,
)
from evaluation.study import scoring
from evaluation.study.data import Floats, StudyData
from evaluation.study.scoring import MIN_TOPICS, drawable
from evaluation.study.topics import TopicData
from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.fewer_topics import by_topics
from magnitudes.comparison.resampling import (
    QUANTILES,
    Resampled,
    all_judges,
    quantiles,
    resample,
    stacked,
)
from magnitudes.comparison.top_set import top_set
from magnitudes.files.words import count
from magnitudes.measures.names import Measure

DRAWS = 400
MOST_NUMBERS = 20  # of topics that are tried
NO_OVERLAP = f"Below {MIN_TOPICS} topics no test tells systems apart, and there is no overlap."
TAU, OVERLAP = "tau with all", "overlap of top sets"


class Band(NamedTuple):
    """How draws of so many judges or topics agree with all of them: QUANTILES of the draws."""

    agreement: str
    at: int
    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


class Part(NamedTuple):
    """Draws of so many judges or topics: their agreement with all, and the size of top sets."""

    at: int
    tau: Band
    overlap: Band
    systems: float  # in the top set, at the median


@dataclass(frozen=True)
class Fewer:
    """Some of the judges of a document, or of the topics, and at the end all of them."""

    what: str
    called: str  # in the figure
    parts: list[Part]

    @property
    def middle(self) -> Part:
        """That of which sentences speak."""
        return self.parts[(len(self.parts) - 1) // 2]

    @property
    def all(self) -> str:
        return count(self.parts[-1].at, self.what)

    @property
    def bands(self) -> list[Band]:
        bands = [part.tau for part in self.parts] + [part.overlap for part in self.parts]
        return [band for band in bands if not np.isnan(band.median)]


@dataclass(frozen=True)
class Found:
    """Fewer judges, and fewer topics if there are enough; reason: why there is nothing to rank."""

    systems: int
    topics: int
    measure: Measure
    reason: str = ""
    fewer: Sequence[Fewer] = ()
    top_set: int = 0  # of all judges and topics


def compute(data: StudyData, most: int, on_progress: OnProgress) -> Found:
    """Draws of 1 to `most` judges, and of fewer topics."""
    systems, n, measure = len(data.runs), len(data.topics), scoring.first(data.study)
    if systems < 2:
        reason = "There are fewer than two runs: no order of systems depends on judges."
        return Found(systems, n, measure, reason)
    topics = [_by_people(topic) for topic in data.topics]
    usual = all_judges(topics, measure)
    draws = []
    for judges in range(1, most + 1):
        draws.append(resample(topics, measure, usual, DRAWS, data.seed, judges, n >= MIN_TOPICS))
        on_progress(judges / (most + 1))
    by_judges = stacked(draws, DRAWS, data.seed)
    if by_judges.reason or np.isnan(by_judges.taus).all():
        why = by_judges.reason or "the lists hold no judged document"
        reason = f"The order of systems by {measure} cannot be compared: {why}."
        return Found(systems, n, measure, reason)
    fewer = [Fewer("judge", "judges of a document", _parts(range(1, most + 1), by_judges))]
    if n > 2:
        fewer.append(Fewer("topic", "topics", _by_topics(usual, data.seed)))
    return Found(systems, n, measure, "", fewer, int(top_set(usual).members.sum()))


def _by_people(topic: TopicData) -> Topic:
    """The topic with one score of each judge of a document."""
    judges = np.repeat(topic.workers, topic.places.shape[1])
    scores, documents = by_person(topic.normalised.ravel(), topic.places.ravel(), judges)
    return replace(drawable(topic, topic.lists), scores=scores, documents=documents)


def _by_topics(usual: Floats, seed: int) -> list[Part]:
    """Numbers of topics from 1 to all, without overlaps where every system is in the top set."""
    n = len(usual)
    numbers = np.unique(np.linspace(1, n, min(n, MOST_NUMBERS)).round()).astype(int)
    draws = by_topics(usual, numbers.tolist(), DRAWS, seed)
    draws.overlaps[numbers < MIN_TOPICS] = np.nan
    return _parts(numbers.tolist(), draws)


def _parts(numbers: Sequence[int], draws: Resampled) -> list[Part]:
    columns = [quantiles(values).tolist() for values in draws[:3]]
    return [
        Part(at, Band(TAU, at, *tau), Band(OVERLAP, at, *overlap), systems[2])
        for at, tau, overlap, systems in zip(numbers, *columns, strict=True)
    ]


def says(found: Found) -> Iterator[str]:
    if found.reason:
        yield found.reason
        return
    for fewer in found.fewer:
        yield f"{_says(fewer)}."
    yield (
        f"{count(found.systems, 'system')} by {found.measure}, {DRAWS} draws each, compared "
        "with all judges and topics."
    )
    if found.topics >= MIN_TOPICS:
        yield f"The top set of all judges and topics has {count(found.top_set, 'system')}."
    else:
        yield (
            f"With fewer than {MIN_TOPICS} topics no test tells two systems apart: every system is "
            "in the top set, and overlaps mean nothing."
        )


def _says(fewer: Fewer) -> str:
    at, tau, overlap, systems = fewer.middle
    remain = (
        ""
        if np.isnan(overlap.median)
        else f", and of the top set of all, {percent(overlap.median)} remain in it, which then has "
        f"{amount(systems, 'system')} at the median"
    )
    return (
        f"With {at} of {fewer.all}, tau is {correlation(tau.median, 3)} at the median of draws "
        f"({interval(tau.lowest, tau.highest)} in 95% of them){remain}"
    )


def figures(found: Found) -> Iterator[Figure]:
    return map(_figure, found.fewer)


def _figure(fewer: Fewer) -> Figure:
    rows, middle = fewer.bands, fewer.middle
    names = list(dict.fromkeys(row.agreement for row in rows))
    ends = Band._fields[2:]
    across = plots.axis("at", fewer.called, **plots.whole(fewer.parts[0].at, fewer.parts[-1].at))
    lowest = min(0.0, *(row.lowest for row in rows))
    bands = plots.bands("drawn", across, "", (lowest, 1))
    return Figure(
        f"by-{fewer.what}s",
        f"With {middle.at} of {fewer.all} tau is {correlation(middle.tau.median)} at the median",
        "Line: median of draws; darker: half of them; lighter: 95%.",
        plots.panels(bands, "of", names, columns=2 if len(names) > 1 else 1, height=170),
        {"drawn": drawn(rows, " ".join(("at", *ends)), _tooltip, of="agreement")},
        (
            "of",
            f"{fewer.what}s",
            *(f"{end}_{percent(at, 1)}" for end, at in zip(ends, QUANTILES, strict=True)),
        ),
        rows,
        reading=f"How the order of systems by some {fewer.called}, and the top set, agree with "
        "those of all. Look for where the lines flatten. "
        f"{_says_systems(fewer) or NO_OVERLAP}",
    )


def _tooltip(row: Band) -> str:
    return f"{row.at}: {number(row.median)}"


def _says_systems(fewer: Fewer) -> str:
    """How large top sets are, without which their overlap cannot be read."""
    parts = [part for part in fewer.parts if not np.isnan(part.overlap.median)]
    if not parts:
        return ""
    first, last = parts[0], parts[-1]
    return (
        "Overlap is the share of the top set of all that remains in it; a larger top set keeps "
        f"more. At the median it has {amount(first.systems, 'system')} with {first.at}, and "
        f"{number(last.systems)} with {last.at}."
    )
