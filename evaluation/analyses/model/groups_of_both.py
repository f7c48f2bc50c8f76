"""Differences between a model and people by topic, length and system: of `model_differences`."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.presentation.frame import Frame
from evaluation.study import scoring
from evaluation.study.data import Floats
from evaluation.study.two_crowds import Crowd, TwoCrowds
from magnitudes.comparison.interval import CONFIDENCE, Interval, t_interval
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.lazy import scipy


class Group(NamedTuple):
    """Rows of a column `thing`; said: what the model gives more or less of. in_logs: of ratios."""

    name: str
    thing: str
    title: str
    said: str
    in_logs: bool
    frame: Frame


def compute(crowds: TwoCrowds, topics: Frame) -> Iterator[Group]:
    """Those that the studies have, p not adjusted; topics: as `of_topics` has them."""
    in_logs, data = not crowds.is_graded, crowds.model.data
    if len(topics):
        yield Group("topics", "query_id", "By topic", "on topic{s} {names}", in_logs, topics)
    if len(lengths := _lengths(crowds)):
        yield Group("lengths", "words", "By length", "to texts of {names}", in_logs, lengths)
    if len(data.runs) > 2:
        by = scoring.first(data.study)
        depth = scoring.cutoff(data.study)
        found = _systems(data.runs, *(_found_first(crowds, crowd, depth) for crowd in crowds))
        title = f"By system: gains of its first {depth} documents"
        yield Group("found", "system", title, "to the first documents of {names}", in_logs, found)
        values, title = _systems(data.runs, *crowds.values(by)), f"By system: {by.short}"
        yield Group("values", "system", title, f"{by.short} to {{names}}", False, values)


def of_topics(crowds: TwoCrowds) -> tuple[Frame, Interval]:
    """Of each topic how far the model's judges are from people's, and the mean over topics.

    Judges of magnitudes without anchors say nothing of topics: their numbers have no unit.
    """
    none = Interval(*np.full((3, 1), np.nan))
    if not crowds.is_graded and not all(crowd.data.has_anchors for crowd in crowds):
        return Frame.of_rows("query_id documents difference low high p", ()), none
    n = len(crowds.model.data.topics)
    judges = [[_of_judges(crowd, place) for crowd in crowds] for place in range(n)]
    mean, size = (np.array([[f(of) for of in both] for both in judges]) for f in (np.mean, len))
    squares = np.array([[of.var() * len(of) for of in both] for both in judges])
    freedom = np.where(size > 1, size - 1, np.nan)
    variance = squares / freedom / size
    difference, errors = mean[:, 1] - mean[:, 0], variance.sum(axis=1)
    off = difference - difference.mean()
    # Each topic is among those whose mean is taken off.
    error = np.sqrt(np.maximum(errors * (1 - 2 / n) + np.nansum(errors) / n**2, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = errors**2 / (variance**2 / freedom).sum(axis=1)
        p = 2 * scipy.special.stdtr(degrees, -np.abs(off) / error)
    half = scipy.special.stdtrit(degrees, (1 + CONFIDENCE) / 2) * error
    rows = Frame.of(
        query_id=[topic.query_id for topic in crowds.model.data.topics],
        documents=np.bincount(crowds.topics),
        difference=off,
        low=off - half,
        high=off + half,
        p=p,
    )
    return rows, t_interval(difference)


def _of_judges(crowd: Crowd, place: int) -> Floats:
    """What each judge of a topic gives documents that both judged: over anchors, or levels."""
    topic = crowd.data.topics[place]
    values = crowd.scaled(topic.scores)
    shared = ~np.isnan(topic.gains)[topic.places]
    if not crowd.data.study.is_graded:
        anchors = topic.is_anchor[topic.places]
        values = values - (values * anchors).sum(axis=1, keepdims=True) / 2
    judges = np.broadcast_to(topic.workers[:, np.newaxis], shared.shape)[shared]
    counts = np.bincount(judges)
    return np.asarray(np.bincount(judges, values[shared])[counts > 0] / counts[counts > 0])


def _lengths(crowds: TwoCrowds) -> Frame:
    """Thirds of documents by words; each topic's mean in a third is a row of its sample."""
    data = crowds.model.data
    of_topics = zip(data.topics, data.lengths, strict=True)
    words = np.concatenate([of[topic.codes] for topic, of in of_topics])[crowds.model.items]
    known = np.flatnonzero(~np.isnan(words))
    first, last = np.quantile(words[known], [1 / 3, 2 / 3]) if known.size else (0, 0)
    if first == last:
        return Frame.of_rows("words", ())
    third = np.searchsorted([first, last], words[known], side="left")
    off = (crowds.model.gains - crowds.people.gains)[known]
    off, topics = crowds.off_topic_means(off, known), crowds.topics[known]
    means = np.full((len(data.topics), 3), np.nan)
    for place in np.ndindex(means.shape):
        if (mine := (topics == place[0]) & (third == place[1])).any():
            means[place] = off[mine].mean()
    names = (
        f"up to {first:,.0f} words",
        f"{first + 1:,.0f} to {last:,.0f} words",
        f"more than {last:,.0f} words",
    )
    return _tested(Frame.of(words=names, documents=np.bincount(third, minlength=3)), means)


def _found_first(crowds: TwoCrowds, crowd: Crowd, depth: int) -> Floats:
    """Means of gains that both gave to the first documents of systems, (topics, systems)."""
    every, data, rows = np.full(len(crowd.data.documents), np.nan), crowd.data, []
    every[crowd.items] = crowds.off_topic_means(crowd.gains)
    of_topics = np.split(every, data.offsets[1:-1])
    for topic, gains in zip(data.topics, of_topics, strict=True):
        lists = topic.lists[:, :depth]
        by_code = np.full(max(lists.max(initial=-1), topic.codes.max()) + 2, np.nan)
        by_code[topic.codes] = gains  # the last, of code -1, stays NaN
        means, known = _means(by_code[lists]), ~np.isnan(by_code[lists])
        rows.append(np.where(known.any(axis=1), means, np.nan))
    return np.stack(rows)


def _means(table: Floats) -> Floats:
    """Of rows, of what is known."""
    return np.asarray(np.nansum(table, axis=1) / np.maximum((~np.isnan(table)).sum(axis=1), 1))


def _systems(names: list[str], people: Floats, model: Floats) -> Frame:
    """What the model makes of systems, less what follows from what people make of them."""
    people, model = (table - _means(table)[:, np.newaxis] for table in (people, model))
    theirs, own = _means(people.T), _means(model.T)
    squares = float(theirs @ theirs)
    slope = max(float(own @ theirs) / squares, 0) if squares else 0.0
    return _tested(Frame.of(system=names), model - slope * people)


def _tested(frame: Frame, values: Floats) -> Frame:
    """Columns' means with Student's intervals and p; values: (topics, rows), NaN: not known."""
    rows = []
    for column in values.T:
        known = column[~np.isnan(column)]
        enough = len(known) >= LEAST_TOPICS
        p = paired_t(np.column_stack([known, 0 * known])).p[0, 1] if enough else np.nan
        found = t_interval(known)
        rows.append((float(found.mean), *(map(float, found[1:]) if enough else (np.nan,) * 2), p))
    columns = Frame.of_rows("difference low high p", rows).columns
    return frame.with_columns(topics=(~np.isnan(values)).sum(axis=0)).with_columns(**columns)
