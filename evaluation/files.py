"""From files of labels and runs to values, without a database: where files meet the mathematics."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluation.gains import GainError
from evaluation.gains.levels import Gains, exponential, linear
from evaluation.measures.names import Measure, MeasureNameError
from trec.archives import Member
from trec.judged_runs import END, Codes, Cut, JudgedDocuments, JudgedRun, read_judged_runs
from trec.qrels import Qrels

Floats = NDArray[np.float64]
GAINS: Mapping[str, Callable[[Floats], Gains]] = {"linear": linear, "exponential": exponential}
BY_RANK = ("places",)  # what rankings tell a measure beside gains
_AT_ONCE = 1 << 22  # gains of so many ranks are in memory


@dataclass(frozen=True, eq=False)
class Judged:
    """The labels of a qrels file as gains, by topic in the order of the file.

    `documents`: what reads runs; `gains`: (topics, n), padded with 0; `per_topic`: the numbers of
    each topic that measures may need; `negative`: how many labels were, and count as 0.
    """

    documents: JudgedDocuments
    gains: Floats
    per_topic: Mapping[str, NDArray[Any]]
    negative: int

    @property
    def query_ids(self) -> list[str]:
        return list(self.documents.places)


class Evaluated(NamedTuple):
    """One run: values and shares judged at the cutoff (NaN: no list), both (measures, topics).

    `missing`: topics of the qrels that the run leaves out; `unlabelled`: topics of the run that
    the qrels leave out.
    """

    run: str
    values: Floats
    judged: Floats
    missing: int
    unlabelled: int


def keep_little_memory() -> None:
    """Have Arrow, in this process, give back the memory of files that are done with.

    What it takes by default keeps several times as much; with the system's own it is slower.
    """
    known = pa.supported_memory_backends()
    lean = pa.jemalloc_memory_pool if "jemalloc" in known else pa.system_memory_pool
    pa.set_memory_pool(lean())


def judged(qrels: Qrels, gains: str = "linear") -> Judged:
    """The gains of labels, under one of GAINS.

    Raises:
        GainError: a label that has no gain.
    """
    topics = qrels.by_topic()
    found = [GAINS[gains](labels.labels) for labels in topics.values()]
    padded = np.zeros((len(found), max(len(gain.values) for gain in found)))
    for row, gain in zip(padded, found, strict=True):
        row[: len(gain.values)] = gain.values
    return Judged(
        JudgedDocuments({query_id: labels.doc_ids for query_id, labels in topics.items()}),
        padded,
        {
            "min": np.array([gain.values.min() for gain in found]),
            "n_judged": np.array([len(gain.values) for gain in found]),
        },
        sum(gain.negative for gain in found),
    )


def evaluate(
    judged: Judged, members: Iterable[Member], measures: Sequence[Measure]
) -> Iterator[Evaluated]:
    """Measure runs on every topic of the qrels, in the order of their files.

    A topic that a run leaves out scores 0.

    Raises:
        MeasureNameError: a measure needs what no file tells, such as which documents are anchors,
            or an option that does not go with the gains.
        BadFile: a run that cannot be read.
    """
    for measure in measures:
        measure.ask_for({*judged.per_topic, *BY_RANK})
    cuts = _cuts(measures)
    runs = read_judged_runs(members, judged.documents, list(cuts.values()))
    for some in _batches(runs, len(judged.gains)):
        yield from _evaluated(judged, some, measures, list(cuts))


def _cuts(measures: Sequence[Measure]) -> dict[bool, Cut]:
    """How deep runs must be read in each order (by rank or not) that measures ask for."""
    cuts = {}
    for by_rank in sorted({measure.by_rank for measure in measures}):
        cutoffs = [measure.cutoff for measure in measures if measure.by_rank == by_rank]
        depths = [cutoff for cutoff in cutoffs if cutoff is not None]
        cuts[by_rank] = Cut(max(depths) if len(depths) == len(cutoffs) else None, by_rank)
    return cuts


def _batches(runs: Iterator[JudgedRun], topics: int) -> Iterator[list[JudgedRun]]:
    some: list[JudgedRun] = []
    ranks = 0
    for run in runs:
        some.append(run)
        ranks += max(codes.size for codes in run.codes)
        if ranks >= _AT_ONCE:
            yield some
            some, ranks = [], 0
    if some:
        yield some


def _evaluated(
    judged: Judged, runs: list[JudgedRun], measures: Sequence[Measure], orders: list[bool]
) -> Iterator[Evaluated]:
    codes = {
        by_rank: _together([run.codes[place] for run in runs])
        for place, by_rank in enumerate(orders)
    }
    values, shares = measured(judged, codes, measures)
    for place, run in enumerate(runs):
        share = shares[:, place]
        missing = int(np.isnan(share[0]).sum())
        yield Evaluated(run.tag, values[:, place], share, missing, run.unlabelled)


def _together(lists: list[Codes]) -> Codes:
    """The lists of several runs as (runs, topics, depth of the longest)."""
    depth = max(codes.shape[1] for codes in lists)
    codes = np.full((len(lists), len(lists[0]), depth), END, np.int32)
    for row, one in zip(codes, lists, strict=True):
        row[:, : one.shape[1]] = one
    return codes


def measured(
    judged: Judged, codes: Mapping[bool, Codes], measures: Sequence[Measure]
) -> tuple[Floats, Floats]:
    """Measures' values, and the shares judged at their cutoffs: both (measures, runs, topics).

    `codes`: by order (by rank or not), (runs, topics, depth), as `trec.judged_runs` counts.
    """
    tops: dict[tuple[Any, ...], _Top] = {}
    values, shares = [], []
    for measure in measures:
        kind = (measure.by_rank, measure.cutoff, measure.options.get("unjudged"))
        if kind not in tops:
            tops[kind] = _top(judged, codes[measure.by_rank][..., : measure.cutoff], measure)
        top = tops[kind]
        try:
            values.append(
                measure.evaluate(top.gains, judged.gains, **judged.per_topic, places=top.places)
            )
        except GainError as fault:
            raise MeasureNameError(str(measure), str(fault)) from fault
        shares.append(top.share)
    return np.stack(values), np.stack(shares)


class _Top(NamedTuple):
    """Lists down to a cutoff: gains and places among the judged, both (runs, topics, ranks)."""

    gains: Floats
    places: Codes
    share: Floats  # judged of each list


def _top(judged: Judged, codes: Codes, measure: Measure) -> _Top:
    topics, depth = len(judged.gains), codes.shape[-1]
    # Behind the judged documents of a topic, what END and UNJUDGED read, counted from the end.
    gains = np.hstack([judged.gains, np.zeros((topics, 1)), np.full((topics, 1), np.nan)])
    found = gains[np.arange(topics)[:, np.newaxis], codes]
    listed = codes != END
    lengths = listed @ np.ones(depth)
    share = np.full(lengths.shape, np.nan)
    np.divide((codes >= 0) @ np.ones(depth), lengths, out=share, where=lengths > 0)
    return _Top(measure.filled(found, listed, **judged.per_topic), codes, share)
