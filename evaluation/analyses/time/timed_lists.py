"""Rankings to their end with the length of every document, as a reader goes down them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.whole_lists import Lists, whole_lists
from evaluation.measures.reader import Reader, path

BY_RUN = ("codes", "listed", "places", "ranked")  # of Lists


@dataclass(frozen=True, eq=False)
class TimedLists:
    """All systems on one topic. words: (runs, ranks), 0 below the end of a list, NaN: not known."""

    lists: Lists
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
    return [
        TimedLists(lists, np.where(lists.listed, lengths[lists.codes], 0.0))
        for lists, lengths in zip(whole_lists(data), data.lengths, strict=True)
    ]


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
