"""What few topics judged by people are worth with a model's judgments of many.

**Shows** differences of systems to the highest one by nDCG and ERR, by people's topics alone and
with what the model says of other topics (prediction-powered), with 95% intervals beside each other,
and how many topics of people alone would give intervals as narrow, also in people's units. Only
where the topics of people were drawn by a seed, at least 15 of them are judged completely, and the
model judged these and others of the collection.

**Computed** as [prediction-powered estimates](prediction-powered.md) are: where the model errs on
topics that both judged is taken off what it says of others, and λ, its weight, falls to 0 where it
says nothing. They hold if chance decided which topics people judge, and if the model judges all
alike; a model that has seen the collection's labels in its training does so, too, but is worth less
on others. Intervals are those of each difference alone, not corrected for how many there are.
Systems' own means have intervals from 50 topics of people on. A topic is complete if each document
of its pool has as many scores as the study asks for, of the model one.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis, tracked
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Part, Result, number
from evaluation.study import scoring, two_crowds
from evaluation.study.applies_to import about_people
from evaluation.study.data import StudyData
from evaluation.study.topics import TopicData
from magnitudes.comparison.prediction_powered import (
    LEAST_TOPICS,
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
    about = data.about
    if about is None or (about.study.scale, about.study.levels) != (
        *(data.study.scale, data.study.levels),
    ):
        return Result([two_crowds.OTHER_SCALE if about else two_crowds.NOT_SEEN])
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
            *_limits(data, about, len(both), len(others)),
        ],
        [part for by, of in found.items() for part in _parts(data.runs, by, of)],
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
    if both < LEAST_TOPICS:
        return (
            f"People and the model have judged {count(both, 'topic')} completely; at least "
            f"{LEAST_TOPICS} are needed."
        )
    return "" if others else "The model has judged no topic completely that people do not judge."


def _worth(found: PredictionPowered) -> float:
    """Of the median pair, in topics of people; NaN where no pair has an interval."""
    worth = found.pairs.worth[np.triu_indices(len(found.pairs.worth), 1)]
    known = worth[~np.isnan(worth)]
    return float(np.median(known)) if known.size else np.nan


def _sentence(by: Measure, worth: float, topics: int, others: int, units: float) -> str:
    if np.isnan(worth):
        return f"By {by.short} no two systems differ on enough topics for an interval."
    more = worth - topics
    return (
        f"By {by.short}, {count(topics, 'topic')} of people with the model's judgments of "
        f"{count(others, 'other')} are worth {number(worth)} topics of people alone, for the "
        f"median pair of systems: {number(abs(more))} {'more' if more >= 0 else 'fewer'}, or about "
        f"{count(round(abs(more) * units), 'unit')} of people."
    )


def _limits(data: StudyData, about: StudyData, both: int, others: int) -> Iterator[str]:
    left_out = {
        "of those drawn for people": about.topics_of_study - both,
        "of the others": data.topics_there - about.topics_of_study - others,
    }
    said = [f"{count(n, 'topic')} {which}" for which, n in left_out.items() if n > 0]
    if said:
        yield (
            f"Not judged completely, and left out: {', '.join(said)}. That is fair only if chance "
            "decides which topics these are."
        )


def _parts(runs: list[str], by: Measure, found: PredictionPowered) -> Iterator[Part]:
    """Differences to the highest system, drawn where systems are few, and a table."""
    best, pairs = int(np.argmax(found.systems.mean)), found.pairs
    order = np.argsort(-pairs.mean[:, best], kind="stable")
    alone = pairs.alone.mean, pairs.alone.low, pairs.alone.high
    columns = {
        **dict(zip(("people", "people_low", "people_high"), alone, strict=True)),
        **{"powered": pairs.mean, "low": pairs.low, "high": pairs.high},
        **{"lambda": pairs.weight, "worth": pairs.worth},
    }
    rows = {name: table[order, best] for name, table in columns.items()}
    names = [runs[place] for place in order]
    frame = Frame.of(system=names, mean=found.systems.mean[order], **rows)
    title = f"{by.short}: differences to {runs[best]}, by people alone and with the model"
    if len(runs) <= MAX_LINES:
        marks = []
        for kind, ends in {ALONE: alone, POWERED: (pairs.mean, pairs.low, pairs.high)}.items():
            of = Frame.of_rows("value low high", zip(*(t[order[1:], best] for t in ends)))
            of = of.with_columns(system=names[1:], kind=[kind] * len(of))
            marks += of.marks("{system}, {kind}: {value} ({low} to {high})")
        down = plots.names("system", names[1:])
        chart = plots.intervals_of_kinds(ROWS, "value", f"less {runs[best]}", down, "kind", KINDS)
        yield frame.figure(
            f"differences-{by.name.lower()}",
            title,
            "Differences of means over topics, with their 95% intervals.",
            plots.sized(chart, height=30 * len(marks) // 2 + 30),
            data={ROWS: marks},
            reading="Look how much shorter the intervals with the model are.",
        )
    yield frame.with_heads(powered="with the model", worth="worth, topics").table(
        f"table-{by.name.lower()}",
        title,
        "lambda: the weight of the model. worth: how many topics, judged by people alone, would "
        "give an interval as narrow.",
        found.reason and f"{found.reason[0].upper()}{found.reason[1:]}.",
    )
