"""Where the model's gains differ from those of people: by topic, length, label and system.

**Shows** for which topics, documents of which length and label, and systems the model gives more or
less than people do, in relation to what it gives elsewhere; and the documents that differ most.
Only in a model's run, if everybody who sees it may see the study of people.

**Computed** from the documents that both judged, without anchors, as ratios of gains, the model's
over those of people (of levels: differences). What is common to all is set aside. *Topics*: what
judges of a topic give its documents on average, over its anchors (levels: as they are), the model's
against people's by Welch's t test with the variance of all topics, less the mean over topics.
*Length*, by thirds of documents, and *labels*: gains less their mean on the topic. *Systems*: mean
gains of the first documents of a list, less the mean over systems, and less the slope of the
model's means on people's: who judges less surely sets all systems closer together. All but topics
have Student's intervals and t tests over topics, from 6 on. A model with a smaller range gives
relevant documents less; where these are longer, length shows it. p is adjusted by Holm over all
rows; named is what stays below .05.
"""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Result, Table, interval, listed, number
from evaluation.study import label_levels, scoring, two_crowds
from evaluation.study.applies_to import about_people
from evaluation.study.data import Floats, Mask, StudyData
from evaluation.study.two_crowds import Crowd, TwoCrowds, off_means, over_topics
from magnitudes.comparison.holm import holm
from magnitudes.comparison.interval import CONFIDENCE, Interval, t_interval
from magnitudes.files.lazy import scipy
from magnitudes.measures.lists import Lists

SIGNIFICANT = 0.05
LISTED, MAX_LINES = 20, 40
COLUMNS = "where difference low high p n"
Row = tuple[Any, ...]


@analysis("Where do the model and people differ most?", applies_to=about_people, of_systems=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Differences by topic, length, label and system, and the documents that differ most."""
    crowds = two_crowds.read(data)
    if isinstance(crowds, str):
        return Result([crowds])
    of_topics, level = _topics(crowds)
    topics, systems = (
        sorted(rows, key=itemgetter(1), reverse=True) for rows in (of_topics, _systems(crowds))
    )
    rows = Frame.of_rows(COLUMNS, [*topics, *_lengths(crowds), *_labels(crowds), *systems])
    rows = rows.with_columns(p=Column(holm(rows["p"]), note="p: adjusted by Holm."))
    clear = rows.where(rows["p"] < SIGNIFICANT)
    named = {
        word: [str(name) for name in clear["where"][np.sign(clear["difference"]) == sign]]
        for word, sign in (("more", 1), ("less", -1))
    }
    return Result(
        [_sentence(rows, named), *_level(crowds, level)],
        [*([_figure(crowds, rows, named)] if len(rows) else []), _documents(crowds)],
        {"documents": len(crowds.topics), **named},
    )


def _topics(crowds: TwoCrowds) -> tuple[Iterator[Row], Interval]:
    """Of each topic how far the model's judges are from people's, and the mean over topics.

    Judges of magnitudes without anchors say nothing of topics: their numbers have no unit.
    """
    if not crowds.is_graded and not all(crowd.data.has_anchors for crowd in crowds):
        return iter(()), Interval(*np.full((3, 1), np.nan))
    (people, model), variances, freedoms = zip(*map(_judges, crowds), strict=True)
    difference, n = model - people, len(people)
    off, variance = difference - difference.mean(), sum(variances)
    # Each topic is among those whose mean is taken off.
    error = np.sqrt(np.maximum(variance * (1 - 2 / n) + variance.sum() / n**2, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = variance**2 / sum(v**2 / f for v, f in zip(variances, freedoms, strict=True))
        p = 2 * scipy.special.stdtr(freedom, -np.abs(off) / error)
    half = scipy.special.stdtrit(freedom, (1 + CONFIDENCE) / 2) * error
    names = [f"topic {topic.query_id}" for topic in crowds.model.data.topics]
    rows = zip(names, off, off - half, off + half, p, np.bincount(crowds.topics), strict=True)
    return rows, t_interval(difference)


def _judges(crowd: Crowd) -> tuple[Floats, Floats, float]:
    """What judges of a topic give its documents on average, its variance, and of what freedom."""
    data, judgments = crowd.data, crowd.data.judgments
    values, anchors = crowd.logs(judgments.scores), data.documents.is_anchor[judgments.items]
    if not data.study.is_graded:
        values = values - np.bincount(judgments.units, values * anchors)[judgments.units] / 2
    which, _ = crowd.judged
    of = data.documents.topics[judgments.items] * len(data.workers) + judgments.workers
    judges, which_judge = np.unique(of[which], return_inverse=True)
    means = np.bincount(which_judge, values[which]) / np.bincount(which_judge)
    topics = judges // len(data.workers)
    size = np.bincount(topics)
    freedom = float((size - 1).sum()) or np.nan
    variance = (off_means(means, topics) ** 2).sum() / freedom
    return np.bincount(topics, means) / size, variance / size, freedom


def _lengths(crowds: TwoCrowds) -> Iterator[Row]:
    """Thirds of documents by words."""
    data = crowds.model.data
    of_topics = zip(data.topics, data.lengths, strict=True)
    words = np.concatenate([of[topic.codes] for topic, of in of_topics])[crowds.model.items]
    known = words[~np.isnan(words)]
    first, last = np.quantile(known, [1 / 3, 2 / 3]) if known.size else (0, 0)
    if first < last:
        groups = {
            f"texts up to {first:,.0f} words": words <= first,
            f"texts of {first + 1:,.0f} to {last:,.0f} words": (words > first) & (words <= last),
            f"texts over {last:,.0f} words": words > last,
        }
        yield from _groups(crowds, groups)


def _labels(crowds: TwoCrowds) -> Iterator[Row]:
    labels = crowds.model.data.documents.labels[crowds.model.items]
    levels = np.unique(labels[~np.isnan(labels)])
    if 1 < len(levels) <= label_levels.HIGHEST:
        names = map(label_levels.name_of, levels)
        groups = {f"label {name}": labels == of for name, of in zip(names, levels, strict=True)}
        yield from _groups(crowds, groups)


def _groups(crowds: TwoCrowds, groups: Mapping[str, Mask]) -> Iterator[Row]:
    """Of groups of documents; each topic's mean in a group is one of its sample."""
    known = np.any([*groups.values()], axis=0)
    topics = crowds.topics[known]
    off = off_means((crowds.model.gains - crowds.people.gains)[known], topics)
    for name, group in groups.items():
        mine = group[known]
        counts = np.bincount(topics[mine])
        sums = np.bincount(topics[mine], off[mine])[counts > 0]
        yield name, *over_topics(sums / counts[counts > 0])


def _systems(crowds: TwoCrowds) -> Iterator[Row]:
    """What the model makes of systems, less what follows from what people make of them."""
    names = crowds.model.data.runs
    if len(names) < 3:
        return
    depth = scoring.cutoff(crowds.model.data.study)
    means = np.ma.masked_invalid([_first(crowd, depth) for crowd in crowds])
    people, model = means - means.mean(axis=2, keepdims=True)
    theirs, own = people.mean(axis=0).filled(0), model.mean(axis=0).filled(0)
    slope = max(float(own @ theirs), 0) / (float(theirs @ theirs) or 1)
    for name, values in zip(names, (model - slope * people).T, strict=True):
        if values.count():
            yield f"system {name}", *over_topics(values.compressed())


def _first(crowd: Crowd, depth: int) -> list[Floats]:
    """Of each topic the means of gains of systems' first documents; NaN where none is judged."""
    every, means = np.full(len(crowd.data.documents), np.nan), []
    every[crowd.items] = crowd.gains
    by_topic = zip(crowd.data.topics, np.split(every, crowd.data.offsets[1:-1]), strict=True)
    for topic, gains in by_topic:
        top = Lists.of_topic(topic.lists, topic.codes, gains).top(depth)
        n = (top.places >= 0).sum(axis=1)
        means.append(np.where(n > 0, top.gains.sum(axis=1) / np.maximum(n, 1), np.nan))
    return means


def _sentence(rows: Frame, named: Mapping[str, Sequence[str]]) -> str:
    clear = [f"{word} than people for {listed(names)}" for word, names in named.items() if names]
    if clear:
        return f"In relation to what both give elsewhere, the model gives {', and '.join(clear)}."
    if np.isnan(rows["p"]).all():
        return "There are too few topics and judgments to test where the model and people differ."
    return (
        "No topic, length, label or system can be named for which the model gives more or less "
        "than people, in relation to what both give elsewhere."
    )


def _level(crowds: TwoCrowds, level: Interval) -> Iterator[str]:
    mean, low, high = np.ravel(level).tolist()
    if np.isnan(mean):
        return
    if crowds.is_graded:
        gives = f"{abs(mean):.2f} levels {'less' if mean < 0 else 'more'} than people"
        gives = gives if abs(mean) >= 0.005 else "the same levels as people"
    else:
        mean, low, high = np.exp([mean, low, high])
        gives = f"{number(mean)} times what people give, over the anchors"
    digits = 2 if crowds.is_graded else 3
    sure = "" if np.isnan(low) else f" (95% interval {interval(low, high, digits)})"
    yield f"On average over topics the model gives {gives}{sure}."


def _figure(crowds: TwoCrowds, rows: Frame, named: Mapping[str, Sequence[str]]) -> Figure:
    """The rows that differ most are drawn."""
    what = "difference, model less people" if crowds.is_graded else "ratio, model to people"
    most = np.sort(np.argsort(-np.abs(rows["difference"]), kind="stable")[:MAX_LINES])
    if not crowds.is_graded:
        rows = rows.with_columns(
            **{name: np.exp(rows[name]) for name in ("difference", "low", "high")}
        )
    names = [*named["more"], *named["less"]]
    drawn = rows.where(most).with_columns(mean=rows["difference"][most])
    down = plots.names("where", drawn["where"].tolist())
    rule = plots.rule_at("same", x=plots.axis("same", what))
    chart = plots.intervals(ROWS, what, {"y": down}, log=not crowds.is_graded)
    return rows.with_heads(difference=what).figure(
        "where",
        f"The model beside people: {listed(names, 3) or 'nothing'} beyond chance",
        "Dots with 95% intervals; dashed: as people, in relation to all others.",
        plots.sized(plots.layer(chart, rule), height=18 * len(drawn) + 40),
        data={
            ROWS: drawn.marks("{where}: {mean} ({low} to {high})"),
            "same": [{"same": 0.0 if crowds.is_graded else 1.0}],
        },
        reading="Look for intervals far from the dashed line; p is adjusted by Holm. n: documents "
        f"of a topic, otherwise topics. Drawn are at most {MAX_LINES} rows that differ most.",
    )


def _documents(crowds: TwoCrowds) -> Table:
    data, topics = crowds.model.data, crowds.topics
    off = off_means(crowds.model.gains - crowds.people.gains, topics)
    most = np.argsort(-np.abs(off), kind="stable")[:LISTED]
    people, model = (crowds.in_one_unit(crowd.gains, topics)[most] for crowd in crowds)
    items = crowds.model.items[most].tolist()
    frame = Frame.of_rows("query_id doc_id", map(data.pair_name, items))
    return frame.with_columns(people=people, model=model).table(
        "documents",
        "The documents that differ most, in relation to their topic",
        "Magnitudes are in parts of the crowd's mean on the topic. No single document is tested.",
    )
