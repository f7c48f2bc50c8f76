"""Lists of documents by the gains of their topics: the one place that measures systems.

Whoever has ranked lists says, of every rank, which judged document stands there, as its place among
those of the topic: UNJUDGED for any other document, END below the end of a list. `places_of` makes
such places of lists of codes. What measures may need beside gains is gathered by `numbers_of`.

- An unjudged document has gain 0 unless the measure's option `unjudged` says otherwise.
- A system that leaves a topic out, an empty list, has the value 0, whatever the measure, and no
  share of judged documents (NaN).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.files.codes import END as END
from magnitudes.files.codes import UNJUDGED as UNJUDGED
from magnitudes.measures.by_rank.share_judged import share_of_places
from magnitudes.measures.names import Measure, MeasureNameError
from magnitudes.measures.relevance import between
from magnitudes.measures.unjudged import fill

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]


class Values(NamedTuple):
    """A measure's values, and the shares of documents down to its cutoff that are judged."""

    values: Floats
    judged: Floats


class Top(NamedTuple):
    """Lists down to a cutoff, all (..., ranks) but `share`, (...)."""

    gains: Floats  # of unjudged documents as asked, 0 below the end of a list
    listed: NDArray[np.bool_]
    places: Ints
    share: Floats  # judged; NaN where a list is empty


def places_of(lists: Ints, documents: Ints) -> NDArray[np.int64]:
    """Of each rank the place of its document among some documents.

    Parameters:
        lists: codes of any shape, -1 below the end of a list.
        documents: (n,), their codes; -1 is a document that no list can have.

    Returns:
        Places of the shape of lists: UNJUDGED where the document is another, END below the end.

    >>> places_of(np.array([[7, 3, -1], [5, 7, 3]]), np.array([3, 7]))
    array([[ 1,  0, -2],
           [-1,  1,  0]])
    """
    place_of = np.full(max(lists.max(initial=-1), documents.max(initial=-1)) + 2, UNJUDGED)
    known = np.flatnonzero(documents >= 0)
    place_of[documents[known]] = known
    place_of[-1] = END  # which the code -1 reads
    return place_of[lists]


def numbers_of(gains: ArrayLike, h_k: int = -1, n_k: int = -1) -> dict[str, Floats]:
    """The numbers of topics that measures may need, by the names of `measures.names.KNOWN`.

    Parameters:
        gains: (..., n), of the documents of a topic, NaN where one is not judged.
        h_k, n_k: the places of the anchors among them; -1 where there is none.

    Returns:
        `n_judged`; `min`, if some document is judged; `n_k`, if that is judged; and `anchors`, the
        threshold between both anchors, if both have a gain above 0. It raises no error.

    >>> {name: float(number) for name, number in numbers_of([2.0, 50.0, np.nan], 1, 0).items()}
    {'n_judged': 2.0, 'min': 2.0, 'n_k': 2.0, 'anchors': 10.0}
    """
    known = np.asarray(gains, dtype=np.float64)
    counts = (~np.isnan(known)).sum(axis=-1)
    numbers: dict[str, Any] = {"n_judged": counts}
    if counts.all():
        numbers["min"] = np.nanmin(known, axis=-1)
    if n_k >= 0 and not np.isnan(known[..., n_k]).any():
        numbers["n_k"] = known[..., n_k]
    if min(h_k, n_k) >= 0 and ((known[..., h_k] > 0) & (known[..., n_k] > 0)).all():
        numbers["anchors"] = between(known[..., h_k], known[..., n_k])
    return numbers


def refuse_unknown(
    measure: Measure, values: Floats, query_ids: Sequence[str], runs: Sequence[str]
) -> None:
    """Refuse a table, (topics, runs), with a value that depends on a length that is not known.

    Raises:
        MeasureNameError: it names the first such topic and run.
    """
    if np.isnan(values).any():
        topic, run = np.argwhere(np.isnan(values))[0]
        raise MeasureNameError(
            str(measure),
            "the value depends on the length of a document whose text is not there: "
            f"run {runs[run]}, topic {query_ids[topic]}",
        )


@dataclass(frozen=True, eq=False)
class Lists:
    """Ranked lists, and the gains of the judged documents of their topics.

    Leading axes broadcast as those of `magnitudes.measures` do: places (runs, ranks) with gains
    (n,), places (runs, topics, ranks) with gains (topics, n).

    places: (..., ranks), as `places_of` has them.
    gains: (..., n); NaN is a document that is not judged.
    numbers: what measures may need of topics, as `numbers_of` has it.
    ranked: what they may need of the document at each rank, (..., ranks), as its length in words.
    """

    places: Ints
    gains: Floats
    numbers: Mapping[str, Any] = field(default_factory=dict)
    ranked: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    _tops: dict[tuple[int | None, str], Top] = field(default_factory=dict)

    @classmethod
    def of_topic(
        cls,
        codes: Ints,
        documents: Ints,
        gains: Floats,
        h_k: int = -1,
        n_k: int = -1,
        words: Floats | None = None,
    ) -> "Lists":
        """The lists of one topic by the codes of its documents, and all that measures may need.

        Parameters:
            codes: (runs, ranks), -1 below the end of a list.
            documents, gains: (n,), codes of documents and what they are worth; NaN: not judged.
            h_k, n_k: the places of the anchors among `documents`; -1 where there is none.
            words: by code and NaN at the end, the lengths of documents, if a measure needs them.

        >>> lists = Lists.of_topic(np.array([[5, 7], [7, -1]]), np.array([7]), np.array([2.0]))
        >>> lists.measure(Measure("P", cutoff=2)).values
        array([0.5, 0.5])
        """
        judged = ~np.isnan(gains)
        numbers, ranked = numbers_of(gains, h_k, n_k), {}
        if words is not None:
            ranked["words"], numbers["judged_words"] = words[codes], words[documents[judged]]
        return cls(places_of(codes, documents[judged]), gains[judged], numbers, ranked)

    def measure(self, measure: Measure) -> Values:
        """What each list is worth: values and shares of the leading axes.

        Raises:
            MeasureNameError: the measure needs what is not known.
            GainError: gains that the measure cannot be computed from.
        """
        measure.ask_for({"places", *self.numbers, *self.ranked})
        top = self.top(measure.cutoff, str(measure.options.get("unjudged", "")))
        ranked = {name: array[..., : measure.cutoff] for name, array in self.ranked.items()}
        values = measure.evaluate(
            top.gains, self._judged, places=top.places, **ranked, **self.numbers
        )
        return Values(np.where(np.isnan(top.share), 0.0, values), top.share)

    def top(self, cutoff: int | None = None, unjudged: str = "") -> Top:
        """The lists down to a cutoff; kept, as many measures have the same.

        unjudged: the one of `numbers` that is the gain of an unjudged document; otherwise 0.
        """
        if (cutoff, unjudged) not in self._tops:
            worth = self.numbers[unjudged] if unjudged else 0.0
            self._tops[cutoff, unjudged] = self._top(self.places[..., :cutoff], worth)
        return self._tops[cutoff, unjudged]

    def _top(self, places: Ints, unjudged: ArrayLike) -> Top:
        # Behind the gains, what END and UNJUDGED read, counted from the end.
        sentinels = np.broadcast_to([0.0, np.nan], (*self.gains.shape[:-1], 2))
        gains = np.concatenate([self.gains, sentinels], axis=-1)
        gains = gains[(np.newaxis,) * (places.ndim - gains.ndim)]
        ranked = np.take_along_axis(gains, places, axis=-1)
        if np.isnan(self.gains).any():
            places = np.where(np.isnan(ranked), UNJUDGED, places)
        listed = places != END
        return Top(fill(ranked, listed, unjudged), listed, places, share_of_places(places))

    @cached_property
    def _judged(self) -> Floats:
        return np.where(np.isnan(self.gains), 0.0, self.gains)
