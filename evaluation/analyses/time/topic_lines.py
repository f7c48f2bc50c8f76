"""Whether topics need a line of their own: slopes and intercepts of T_D(l) = a l + b, by topic.

Smucker and Clarke (SIGIR 2012), section 4. A part of the analysis `reading`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.time.views import Views
from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, drawn, number, span
from evaluation.study.data import Floats
from magnitudes.files.words import count
from magnitudes.reading_time.line import Lines, intervals, reading_lines

SOURCE = "Section 4 of Smucker and Clarke, SIGIR 2012"


class Topic(NamedTuple):
    """A parameter of a topic's line, with its 95% interval (NaN with one worker)."""

    query_id: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Parameter:
    """Slopes or intercepts: of each topic that has a line, and of the line of all topics."""

    name: str
    unit: str
    topics: list[Topic]
    of_all: float

    @property
    def one(self) -> str:
        return self.name.removesuffix("s")

    @property
    def with_interval(self) -> list[Topic]:
        return [topic for topic in self.topics if np.isfinite(topic.low)]

    @property
    def apart(self) -> int:
        """How many intervals leave out the line of all topics."""
        return sum(
            topic.low > self.of_all or topic.high < self.of_all for topic in self.with_interval
        )


@dataclass(frozen=True)
class Found:
    """The lines of topics; slopes are for a thousand words."""

    lines: Lines
    slopes: Parameter
    intercepts: Parameter

    @property
    def several(self) -> bool:
        return len(self.slopes.topics) > 1


def compute(first: Views, query_ids: Sequence[str], of_all: Lines) -> Found:
    """Lines of first views by topic; `of_all`: that of all of them, its first entry."""
    lines = reading_lines(first.words, first.seconds, first.workers, first.topics, len(query_ids))
    slopes = _topics(query_ids, 1000 * lines.slope, 1000 * lines.slope_error, lines)
    intercepts = _topics(query_ids, lines.intercept, lines.intercept_error, lines)
    return Found(
        lines,
        Parameter("slopes", "seconds for a thousand words", slopes, 1000 * float(of_all.slope[0])),
        Parameter(
            "intercepts", "seconds whatever the length", intercepts, float(of_all.intercept[0])
        ),
    )


def _topics(query_ids: Sequence[str], values: Floats, errors: Floats, lines: Lines) -> list[Topic]:
    low, high = intervals(values, errors, lines.workers)
    columns = query_ids, values.tolist(), low.tolist(), high.tolist()
    topics = [Topic(*row) for row in zip(*columns, strict=True)]
    return [topic for topic in topics if np.isfinite(topic.mean)]


def says(found: Found) -> Iterator[str]:
    if not found.several:
        return
    slopes = [topic.mean for topic in found.slopes.topics]
    n = len(found.slopes.with_interval)
    falling = sum(slope < 0 for slope in slopes)
    alone = (
        f"On {falling} of {count(len(slopes), 'topic')} the line falls, as no time can: such a "
        "topic has too few views for a line of its own."
        if falling
        else f"By topic, a thousand words take {span(min(slopes), max(slopes))} s."
    )
    apart = f" In slope, {_apart(found.slopes)}; about {number(0.05 * n, 2)} would by chance."
    yield alone + (apart if n else "")


def _apart(parameter: Parameter) -> str:
    n = len(parameter.with_interval)
    if not n:
        return "no topic has an interval"
    differs = "differs" if parameter.apart == 1 else "differ"
    return (
        f"{parameter.apart} of {count(n, 'topic')} {differs} from the {parameter.one} of all by "
        f"{'its' if parameter.apart == 1 else 'their'} 95% interval"
    )


def figures(found: Found) -> Iterator[Figure]:
    if found.several:
        yield _figure(found.slopes)
        yield _figure(found.intercepts)


def _figure(parameter: Parameter) -> Figure:
    rows, unit = parameter.topics, parameter.unit
    down = plots.names("topic", [row.query_id for row in rows], "topic")
    of_all = plots.rule_at("all", x=plots.axis("mean", unit))
    chart = plots.layer(of_all, plots.intervals("topics", unit, {"y": down}))
    return Figure(
        parameter.name,
        f"{unit[0].upper()}{unit[1:]}: {_apart(parameter)}",
        "Topics with their 95% intervals; dashed: all topics.",
        plots.sized(chart, max(60, 18 * len(rows))),
        {
            "topics": drawn(rows, "mean low high", _tooltip, topic="query_id"),
            "all": [{"mean": parameter.of_all}],
        },
        ("query_id", parameter.one, "low", "high"),
        rows,
        SOURCE,
        reading="Intervals allow for workers alike in all they do. Look for topics whose interval "
        "leaves the dashed line out: time-biased gain may take a line of their own. About "
        f"{number(0.05 * len(parameter.with_interval), 2)} would leave it out by chance.",
    )


def _tooltip(row: Topic) -> str:
    sure = (
        f" ({number(row.low)} to {number(row.high)})" if np.isfinite(row.low) else ", no interval"
    )
    return f"topic {row.query_id}: {number(row.mean)} s{sure}"
