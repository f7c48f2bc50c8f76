"""Whether topics need a line of their own: slopes and intercepts of T_D(l) = a l + b, by topic.

Smucker and Clarke (SIGIR 2012), section 4. A part of the analysis `reading`.
"""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, number, span
from evaluation.study.data import Floats, Mask
from magnitudes.files.words import count
from magnitudes.reading_time.line import Lines, intervals

SOURCE = "Section 4 of Smucker and Clarke, SIGIR 2012"


class Parameter(NamedTuple):
    """Slopes or intercepts: of each topic that has a line, and of the line of all topics.

    topics: query_id, the parameter, and its 95% interval, low and high (NaN with one worker).
    """

    name: str  # of one
    unit: str
    topics: Frame
    of_all: float

    @property
    def has_interval(self) -> Mask:
        return np.isfinite(self.topics["low"])

    @property
    def apart(self) -> str:
        """How many intervals leave out the line of all topics, in words."""
        if not (n := int(self.has_interval.sum())):
            return "no topic has an interval"
        low, high = self.topics["low"], self.topics["high"]
        out = int(((low > self.of_all) | (high < self.of_all))[self.has_interval].sum())
        differ, their = ("differs", "its") if out == 1 else ("differ", "their")
        topics = f"{out} of {count(n, 'topic')}"
        return f"{topics} {differ} from the {self.name} of all by {their} 95% interval"

    @property
    def by_chance(self) -> str:
        """How many intervals would leave it out if all topics had that line."""
        return number(0.05 * int(self.has_interval.sum()), 2)


def parameters(query_ids: Sequence[str], by_topic: Lines, of_all: Lines) -> list[Parameter]:
    """Slopes, for a thousand words, and intercepts; of_all: of all first views, its first entry."""

    def topics(name: str, values: Floats, errors: Floats) -> Frame:
        low, high = intervals(values, errors, by_topic.workers)
        frame = Frame.of(query_id=query_ids, **{name: values}, low=low, high=high)
        return frame.where(np.isfinite(values))

    slopes = topics("slope", 1000 * by_topic.slope, 1000 * by_topic.slope_error)
    intercepts = topics("intercept", by_topic.intercept, by_topic.intercept_error)
    slope, intercept = 1000 * float(of_all.slope[0]), float(of_all.intercept[0])
    return [
        Parameter("slope", "seconds for a thousand words", slopes, slope),
        Parameter("intercept", "seconds whatever the length", intercepts, intercept),
    ]


def sentences(parameters: Sequence[Parameter]) -> Iterator[str]:
    slopes = parameters[0].topics["slope"]
    if len(slopes) < 2:
        return
    falling = int((slopes < 0).sum())
    alone = (
        f"On {falling} of {count(len(slopes), 'topic')} the line falls, as no time can: such a "
        "topic has too few views for a line of its own."
        if falling
        else f"By topic, a thousand words take {span(slopes.min(), slopes.max())} s."
    )
    apart = f" In slope, {parameters[0].apart}; about {parameters[0].by_chance} would by chance."
    yield alone + (apart if parameters[0].has_interval.any() else "")


def figures(parameters: Sequence[Parameter]) -> Iterator[Figure]:
    for parameter in parameters:
        if len(parameter.topics) > 1:
            yield _figure(parameter)


def _figure(parameter: Parameter) -> Figure:
    topics, unit, name = parameter.topics, parameter.unit, parameter.name
    down = plots.names("query_id", topics["query_id"].tolist(), "topic")
    of_all = plots.rule_at("all", x=plots.axis("mean", unit))
    chart = plots.layer(of_all, plots.intervals(ROWS, unit, {"y": down}))
    marks = topics.with_columns(mean=topics[name]).marks(_label)
    return topics.figure(
        f"{name}s",
        f"{unit[0].upper()}{unit[1:]}: {parameter.apart}",
        "Topics with their 95% intervals; dashed: all topics.",
        plots.sized(chart, max(60, 18 * len(topics))),
        data={ROWS: marks, "all": [{"mean": parameter.of_all}]},
        source=SOURCE,
        reading="Intervals allow for workers alike in all they do. Look for topics whose interval "
        "leaves the dashed line out: time-biased gain may take a line of their own. About "
        f"{parameter.by_chance} would leave it out by chance.",
    )


def _label(topic: SimpleNamespace) -> str:
    ends = f" ({number(topic.low)} to {number(topic.high)})"
    known = ends if np.isfinite(topic.low) else ", no interval"
    return f"topic {topic.query_id}: {number(topic.mean)} s{known}"
