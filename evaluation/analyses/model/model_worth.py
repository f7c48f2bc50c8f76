"""What few topics judged by people are worth with a model's judgments of many.

**Shows** differences of systems to the highest one by nDCG and ERR, by people's topics alone and
with what the model says of other topics (prediction-powered), with 95% intervals beside each other,
and how many topics of people alone would give intervals as narrow, also in people's units. Only
where the topics of people were drawn by a seed, at least 15 of them are judged completely, and the
model judged these and others of the collection.

**Computed** as [prediction-powered estimates](prediction-powered.md): what the model gets wrong on
topics that both judged is taken off what it says of others, and its weight λ falls to 0 where it
says nothing. They hold if chance decided which topics people judge, and if the model judges all
topics alike. Intervals are those of each difference alone, not corrected for how many there are. A
topic is complete if each document of its pool has as many scores as the study asks for; of the
model, one.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis, tracked
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result
from evaluation.study import scoring, two_crowds
from evaluation.study.applies_to import about_people
from evaluation.study.data import StudyData
from evaluation.study.topics import TopicData
from magnitudes.comparison.prediction_powered import (
    MIN_TOPICS,
    PredictionPowered,
    prediction_powered,
)
from magnitudes.files.words import count
from magnitudes.measures.names import Measure

MAX_LINES = 40  # systems that are drawn
ALONE, POWERED = "people alone", "with the model"
KINDS: plots.Kinds = {ALONE: plots.MEASURES["nDCG"], POWERED: plots.MEASURES["ERR"]}
COLUMNS = "system judged_by mean difference low high lambda worth"


@analysis(
    "What are few people and many judgments of a model worth?",
    applies_to=about_people,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Differences by people alone and with the model's judgments, and what these are worth."""
    if (about := data.about) is None:
        return Result([two_crowds.NOT_SEEN])
    people, model = _complete(about, about.study.redundancy), _complete(data, 1)
    both = [name for name in people if name in model]
    others = model.keys() - {topic.query_id for topic in about.topics}
    if reason := _why_not(data, about, len(both), len(others)):
        return Result([reason])
    topics = (
        [people[name] for name in both],
        [model[name] for name in both],
        [topic for name, topic in model.items() if name in others],
    )
    by_measure = {
        by: prediction_powered(*(scoring.by_own_gains(some, by) for some in topics))
        for by in tracked(scoring.measures(data.study), on_progress)
    }
    worth = {by: _worth(of) for by, of in by_measure.items()}
    units = float(np.mean([topic.n_units for topic in topics[0]]))
    return Result(
        [
            *(_sentence(by, topics, len(both), len(others), units) for by, topics in worth.items()),
            *_left_out(data.topics_there - len(both) - len(others)),
        ],
        [_figure(data.runs, by, of, len(both)) for by, of in by_measure.items()],
        {"topics": len(both), "others": len(others), "units_per_topic": units}
        | {f"worth_{by.name}": topics for by, topics in worth.items()},
    )


def _complete(data: StudyData, times: int) -> dict[str, TopicData]:
    """The topics of which each document has so many scores, by query id."""
    return {t.query_id: t for t in data.topics if t.counts.min(initial=times) >= times}


def _why_not(data: StudyData, about: StudyData, both: int, others: int) -> str:
    if about.study.topics_seed is None:
        return (
            "The topics that people judge were not drawn by a seed, so nothing follows from them "
            "for others."
        )
    if len(data.runs) < 2:
        return "The collection has fewer than two runs: there is no difference of systems."
    if both < MIN_TOPICS:
        return (
            f"People and the model have judged {count(both, 'topic')} completely; at least "
            f"{MIN_TOPICS} are needed."
        )
    return "" if others else "The model has judged no topic completely that people do not judge."


def _worth(powered: PredictionPowered) -> float:
    """Of the median pair, in topics of people; NaN where no pair has an interval."""
    worth = powered.pairs.worth[np.triu_indices(len(powered.pairs.worth), 1)]
    known = worth[~np.isnan(worth)]
    return float(np.median(known)) if known.size else np.nan


def _sentence(by: Measure, worth: float, topics: int, others: int, per_topic: float) -> str:
    if np.isnan(worth):
        return f"By {by.short} no two systems differ on enough topics for an interval."
    more = worth - topics
    units = f", which would be about {count(round(more * per_topic), 'unit')} of people more"
    return (
        f"By {by.short}, {count(topics, 'topic')} of people with the model's judgments of "
        f"{count(others, 'other')} give the median pair of systems an interval as narrow as "
        f"{worth:.0f} topics of people alone would{units if more >= 0.5 else ': no narrower'}."
    )


def _left_out(topics: int) -> Iterator[str]:
    if topics > 0:
        yield (
            f"Not judged completely, and left out: {count(topics, 'topic')} of the collection. "
            "That is fair only if chance decides which these are."
        )


def _figure(runs: list[str], by: Measure, powered: PredictionPowered, topics: int) -> Figure:
    """Differences to the highest system, by people alone and with the model."""
    best, systems, pairs = int(np.argmax(powered.systems.mean)), powered.systems, powered.pairs
    order = np.argsort(-pairs.mean[:, best], kind="stable")
    by_kind = {
        ALONE: (
            *(systems.alone, pairs.alone, pairs.alone_low, pairs.alone_high),
            *(0 * pairs.weight, 0 * pairs.worth + topics),
        ),
        POWERED: (systems.mean, pairs.mean, pairs.low, pairs.high, pairs.weight, pairs.worth),
    }
    rows = [
        (runs[at], kind, mean[at], *(table[at, best] for table in tables))
        for at in order.tolist()
        for kind, (mean, *tables) in by_kind.items()
    ]
    frame = Frame.of_rows(COLUMNS, rows)
    drawn = frame.where(frame["system"] != runs[best]).first(2 * MAX_LINES)
    down = plots.names("system", list(dict.fromkeys(drawn["system"])))
    what = f"less {runs[best]}"
    chart = plots.intervals_of_kinds(ROWS, "difference", what, down, "judged_by", KINDS)
    why = f" {powered.reason[0].upper()}{powered.reason[1:]}." if powered.reason else ""
    return frame.figure(
        by.name.lower(),
        f"{by.short}: differences to {runs[best]}, by people alone and with the model",
        "Differences of means over topics, with 95% intervals.",
        plots.sized(chart, height=15 * len(drawn) + 30),
        data={ROWS: drawn.marks("{system}, {judged_by}: {difference} ({low} to {high})")},
        reading="Look how much shorter the intervals with the model are. lambda: the weight of the "
        f"model. worth: how many topics of people alone give an interval as narrow.{why}",
    )
