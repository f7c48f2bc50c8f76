"""Rankings to their end with the length of every document, as a reader goes down them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.study.applies_to import magnitude
from evaluation.study.data import Floats, Mask, StudyData
from evaluation.study.scoring import magnitudes
from evaluation.study.topics import TopicData
from evaluation.study.whole_lists import Codes
from magnitudes.measures.in_time.reader import Reader, path
from magnitudes.measures.lists import Lists

BY_RUN = ("codes", "listed", "places", "ranked")  # of WholeLists


class WholeLists(NamedTuple):
    """All systems on one topic."""

    codes: Codes  # (runs, ranks), -1 where a list is shorter
    listed: Mask  # (runs, ranks), where there is a document
    places: NDArray[np.integer[Any]]  # (runs, ranks), among the judged ones; -1: unjudged
    ranked: Floats  # (runs, ranks), gains, 0 where unjudged
    judged: Floats  # (n,), the gains of judged documents
    rel: float | None  # the least gain of a relevant one, None: any above 0

    def where_listed(self, values: Floats) -> Floats:
        """Values by run, (runs,); 0 for a run that leaves the topic out."""
        return np.where(self.listed.any(axis=1), values, 0.0)


@dataclass(frozen=True, eq=False)
class TimedLists:
    """All systems on one topic. words: (runs, ranks), 0 below the end of a list, NaN: not known."""

    lists: WholeLists
    words: Floats

    @property
    def any_length_known(self) -> bool:
        return not np.isnan(self.words[self.lists.listed]).all()

    def of_runs(self, runs: NDArray[np.bool_]) -> "TimedLists":
        some = {name: getattr(self.lists, name)[runs] for name in BY_RUN}
        return TimedLists(self.lists._replace(**some), self.words[runs])

    def arguments(self, reader: Reader) -> dict[str, Any]:
        """What functions of rankings in time take."""
        lists = self.lists
        known = {"ranked": lists.ranked, "judged": lists.judged, "rel": lists.rel}
        return known | {"words": self.words} | reader._asdict()

    def measured(self, measure: Callable[..., Floats], reader: Reader) -> Floats:
        """A measure in time, (runs,); NaN where a length that matters is not known."""
        return self.lists.where_listed(measure(**self.arguments(reader)))

    def reached(self, reader: Reader) -> Floats:
        """The share of readers who come to each document, (runs, ranks); 0 where not known."""
        lists = self.lists
        way = path(lists.ranked, lists.judged, self.words, None, reader, rel=lists.rel)
        return np.where(lists.listed, np.nan_to_num(reader.staying(way.begins)), 0.0)


def of_study(data: StudyData) -> list[TimedLists]:
    """Of each topic."""
    ratios = magnitude(data.study)
    timed = []
    for topic, codes, lengths in zip(data.topics, data.lists, data.lengths, strict=True):
        whole = _whole_lists(topic, codes, ratios)
        timed.append(TimedLists(whole, np.where(whole.listed, lengths[codes], 0.0)))
    return timed


def _whole_lists(topic: TopicData, codes: Codes, ratios: bool) -> WholeLists:
    """Every run to its end; ratios: whether gains are magnitudes, with a threshold by anchors."""
    lists = Lists.of_topic(codes, *magnitudes(topic))
    top, anchors = lists.top(), lists.numbers.get("anchors") if ratios else None
    rel = None if anchors is None else float(anchors)
    return WholeLists(codes, top.listed, top.places, top.gains, lists.gains, rel)


def judged_share(topics: Sequence[TimedLists], reader: Reader) -> Floats:
    """Of the documents that a reader comes to, the share that is judged: (runs,)."""
    runs = len(topics[0].words)
    judged, all_reached = np.zeros(runs), np.zeros(runs)
    for topic in topics:
        reached = topic.reached(reader)
        judged += np.where(topic.lists.places >= 0, reached, 0.0).sum(axis=1)
        all_reached += reached.sum(axis=1)
    share = np.full(runs, np.nan)
    return np.divide(judged, all_reached, out=share, where=all_reached > 0)
