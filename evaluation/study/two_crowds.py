"""People and a model who judged the same documents, as analyses of a model's run read both."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from evaluation.study.data import Floats, Ints, Mask, StudyData
from magnitudes.comparison.interval import t_interval
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.top_set import LEAST_TOPICS

PEOPLE, MODEL = "people", "the model"
NOT_SEEN = "The study of people is not seen by everybody who sees this one: nothing is compared."
OTHER_SCALE = "People and the model did not judge on the same scale: nothing is compared."
NOTHING_SHARED = "People and the model have not judged the same documents yet."


@dataclass(frozen=True, eq=False)
class Crowd:
    """One of both. data: topics with documents that both judged, which alone have gains."""

    name: str
    data: StudyData

    def logs(self, values: ArrayLike) -> Floats:
        """Of magnitudes; levels are taken as they are."""
        return np.asarray(values, float) if self.data.study.is_graded else np.log(values)

    @cached_property
    def items(self) -> Ints:
        """The documents, in an order that both have."""
        of = self.data.documents
        codes = np.concatenate([topic.codes for topic in self.data.topics])
        order = np.lexsort((codes, of.topics))
        return order[~np.isnan(of.gains[order])]

    @cached_property
    def gains(self) -> Floats:
        return self.logs(self.data.documents.gains[self.items])

    @cached_property
    def judged(self) -> tuple[Mask, Ints]:
        """Which judgments are of these documents, and the place of the document of each."""
        place = np.full(len(self.data.documents), -1)
        place[self.items] = np.arange(len(self.items))
        of = place[self.data.judgments.items]
        return of >= 0, of[of >= 0]


@dataclass(frozen=True, eq=False)
class TwoCrowds:
    """Both, with the documents that both judged, anchors left out."""

    people: Crowd
    model: Crowd

    def __iter__(self) -> Iterator[Crowd]:
        return iter((self.people, self.model))

    @property
    def is_graded(self) -> bool:
        return self.model.data.study.is_graded

    @cached_property
    def topics(self) -> Ints:
        """Of each document."""
        return self.model.data.documents.topics[self.model.items]

    def in_one_unit(self, logs: Floats, topics: Ints) -> Floats:
        """Magnitudes over their geometric mean on the topic, as crowds have units of their own."""
        return logs if self.is_graded else np.exp(off_means(logs, topics))


def off_means(values: Floats, groups: Ints) -> Floats:
    """Values less the mean of their group."""
    means = np.bincount(groups, values) / np.maximum(np.bincount(groups), 1)
    return np.asarray(values - means[groups])


def over_topics(values: Floats) -> tuple[float, float, float, float, int]:
    """The mean, the ends of its interval and p, NaN on too few topics, and how many these are."""
    mean, low, high = map(float, t_interval(values))
    p = paired_t(np.stack([values, 0 * values], axis=1)).p[0, 1]
    ends = (low, high, p) if len(values) >= LEAST_TOPICS else (np.nan,) * 3
    return mean, *ends, len(values)


def read(model: StudyData) -> TwoCrowds | str:
    """Both crowds of a model's run, or why they cannot be compared."""
    if (people := model.about) is None:
        return NOT_SEEN
    if len({(each.study.scale, *each.study.levels) for each in (people, model)}) > 1:
        return OTHER_SCALE
    theirs, own = (
        {t.query_id: t.codes[~np.isnan(t.gains) & ~t.is_anchor] for t in each.topics}
        for each in (people, model)
    )
    both = {name: np.intersect1d(theirs[name], own[name]) for name in theirs.keys() & own.keys()}
    shared = {name: codes for name, codes in both.items() if codes.size}
    if not shared:
        return NOTHING_SHARED
    return TwoCrowds(Crowd(PEOPLE, _of(people, shared)), Crowd(MODEL, _of(model, shared)))


def _of(data: StudyData, shared: dict[str, Ints]) -> StudyData:
    """A study of some topics, where some documents alone have gains."""
    topics = [
        replace(t, gains=np.where(np.isin(t.codes, shared[t.query_id]), t.gains, np.nan))
        for t in data.topics
        if t.query_id in shared
    ]
    return replace(data, topics=topics)
