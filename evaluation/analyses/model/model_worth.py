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

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis, tracked
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Part, Result
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

MAX_LINES = 40
ALONE, POWERED = "people alone", "with the model"
KINDS: plots.Kinds = {ALONE: plots.MEASURES["nDCG"], POWERED: plots.MEASURES["ERR"]}


@analysis(
    "What are few people and many judgments of a model worth?",
    applies_to=about_people,
    of_about=True,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Differences by people alone and with the model's judgments, and what these are worth."""
    if (about := data.about) is None:
        return Result([two_crowds.NOT_SEEN])
    people = {t.query_id: t for t in about.topics if _is_complete(t, about.study.redundancy)}
    model = {t.query_id: t for t in data.topics if _is_complete(t, 1)}
    both = [name for name in people if name in model]
    known = {topic.query_id for topic in about.topics}
    others = [topic for name, topic in model.items() if name not in known]
    if reason := _why_not(data, about, len(both), len(others)):
        return Result([reason])
    found = {}
    for by in tracked(scoring.measures(data.study), on_progress):
        of = [people[name] for name in both], [model[name] for name in both], others
        found[by] = prediction_powered(*(scoring.by_own_gains(topics, by) for topics in of))
    units = float(np.mean([people[name].n_units for name in both]))
    worth = {f"worth_{by.name}": _worth(of) for by, of in found.items()}
    return Result(
        [
            *(_sentence(by, _worth(of), len(both), len(others), units) for by, of in found.items()),
            *_left_out(data.topics_there - len(both) - len(others)),
        ],
        [_part(data.runs, by, of) for by, of in found.items()],
        {"topics": len(both), "others": len(others), "units_per_topic": units, **worth},
    )


def _is_complete(topic: TopicData, times: int) -> bool:
    return bool(topic.counts.min(initial=times) >= times)


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


def _worth(found: PredictionPowered) -> float:
    """Of the median pair, in topics of people; NaN where no pair has an interval."""
    worth = found.pairs.worth[np.triu_indices(len(found.pairs.worth), 1)]
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


def _left_out(topics: int) -> list[str]:
    fair = "That is fair only if chance decides which these are."
    left_out = f"Not judged completely, and left out: {count(topics, 'topic')} of the collection."
    return [f"{left_out} {fair}"] if topics > 0 else []


def _part(runs: list[str], by: Measure, found: PredictionPowered) -> Part:
    """Differences to the highest system: a figure where systems are few, else a table."""
    best, pairs = int(np.argmax(found.systems.mean)), found.pairs
    order = np.argsort(-pairs.mean[:, best], kind="stable")
    alone = pairs.alone.mean, pairs.alone.low, pairs.alone.high
    powered = pairs.mean, pairs.low, pairs.high
    names = "people", "people_low", "people_high", "powered", "low", "high", "lambda", "worth"
    columns = dict(zip(names, (*alone, *powered, pairs.weight, pairs.worth), strict=True))
    rows = {name: table[order, best] for name, table in columns.items()}
    systems = [runs[place] for place in order]
    frame = Frame.of(system=systems, mean=found.systems.mean[order], **rows)
    title = f"{by.short}: differences to {runs[best]}, by people alone and with the model"
    about = (
        "lambda: the weight of the model. worth: how many topics, judged by people alone, would "
        "give an interval as narrow."
    )
    if found.reason:
        about += f" {found.reason[0].upper()}{found.reason[1:]}."
    if len(runs) > MAX_LINES:
        return frame.table(by.name.lower(), title, about)
    marks = []
    for kind, ends in {ALONE: alone, POWERED: powered}.items():
        value, low, high = (table[order[1:], best] for table in ends)
        of = Frame.of(system=systems[1:], value=value, low=low, high=high)
        of = of.with_columns(kind=[kind] * len(of))
        marks += of.marks("{system}, {kind}: {value} ({low} to {high})")
    down = plots.names("system", systems[1:])
    chart = plots.intervals_of_kinds(ROWS, "value", f"less {runs[best]}", down, "kind", KINDS)
    return frame.figure(
        by.name.lower(),
        title,
        "Differences of means over topics, with 95% intervals.",
        plots.sized(chart, height=30 * len(systems)),
        data={ROWS: marks},
        reading=f"Look how much shorter the intervals with the model are. {about}",
    )
