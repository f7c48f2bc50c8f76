"""Rankings to their end with the length of every document, as a reader goes down them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.study import scoring
from evaluation.study.applies_to import magnitude
from evaluation.study.data import Floats, Mask, StudyData
from magnitudes.measures.in_time.reader import Reader, path
from magnitudes.measures.lists import Lists, Top
from magnitudes.scaling.groups import ratio


@dataclass(frozen=True, eq=False)
class TimedLists:
    """All systems on one topic.

    top: lists to their end; an unjudged document has gain 0. judged: (n,), the gains of judged
    documents. rel: the least gain of a relevant one, None: any above 0. words: (runs, ranks), 0
    below the end of a list, NaN: not known.
    """

    top: Top
    judged: Floats
    rel: float | None
    words: Floats

    @property
    def any_length_known(self) -> bool:
        return not np.isnan(self.words[self.top.listed]).all()

    def of_runs(self, runs: Mask) -> "TimedLists":
        some = {name: of_runs[runs] for name, of_runs in self.top._asdict().items()}
        return replace(self, top=Top(**some), words=self.words[runs])

    def arguments(self, reader: Reader) -> dict[str, Any]:
        """What functions of rankings in time take."""
        known = {"ranked": self.top.gains, "judged": self.judged, "rel": self.rel}
        return known | {"words": self.words} | reader._asdict()

    def measured(self, measure: Callable[..., Floats], reader: Reader) -> Floats:
        """A measure in time, (runs,); NaN where a length that matters is not known.

        It is 0 for a run that leaves the topic out.
        """
        return np.where(self.top.listed.any(axis=1), measure(**self.arguments(reader)), 0.0)

    def reached(self, reader: Reader) -> Floats:
        """The share of readers who come to each document, (runs, ranks); 0 where not known."""
        way = path(self.top.gains, self.judged, self.words, None, reader, rel=self.rel)
        return np.where(self.top.listed, np.nan_to_num(reader.staying(way.begins)), 0.0)


def of_study(data: StudyData) -> list[TimedLists]:
    """Of each topic; magnitudes have a threshold by anchors."""
    timed = []
    for topic, codes, lengths in zip(data.topics, data.lists, data.lengths, strict=True):
        lists = Lists.of_topic(codes, *scoring.magnitudes(topic))
        top, anchors = lists.top(), lists.numbers.get("anchors") if magnitude(data.study) else None
        rel, words = None if anchors is None else float(anchors), lengths[codes]
        timed.append(TimedLists(top, lists.gains, rel, np.where(top.listed, words, 0.0)))
    return timed


def judged_share(topics: Sequence[TimedLists], reader: Reader) -> Floats:
    """Of the documents that a reader comes to, the share that is judged: (runs,)."""
    runs = len(topics[0].words)
    judged, all_reached = np.zeros(runs), np.zeros(runs)
    for topic in topics:
        reached = topic.reached(reader)
        judged += np.where(topic.top.places >= 0, reached, 0.0).sum(axis=1)
        all_reached += reached.sum(axis=1)
    return ratio(judged, all_reached)
