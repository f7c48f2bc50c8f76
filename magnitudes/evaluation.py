"""From files of labels and runs to values, without a database: where files meet the mathematics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.agreement.opinions import Names, Opinions
from magnitudes.files.codes import END
from magnitudes.files.containers.archives import Member
from magnitudes.files.ids import Ids, encoded
from magnitudes.files.judged_runs import Codes, Cut, JudgedDocuments, JudgedRun, read_judged_runs
from magnitudes.files.labels import opinions
from magnitudes.files.labels.qrels import Qrels
from magnitudes.files.labels.scales import MISSING
from magnitudes.files.runs import Rows
from magnitudes.gains import BadLabel, GainError
from magnitudes.gains.named import parse
from magnitudes.measures.lists import Lists, numbers_of
from magnitudes.measures.names import Measure, MeasureNameError
from magnitudes.reading_time.lengths import Lengths
from magnitudes.scaling.cutting import cut

Floats = NDArray[np.float64]
BY_RANK = ("places",)  # what rankings tell a measure beside gains
CHUNK_SIZE = 1 << 22  # gains of so many ranks are in memory


@dataclass(frozen=True, eq=False)
class Judged:
    """The labels of qrels, or opinions, as gains, by topic in the order of the files.

    `documents`: what reads runs; `gains`: (topics, n), padded with 0; `per_topic`: the numbers of
    each topic that measures may need; `negative`: how many labels were, and count as 0;
    `lengths`: those of documents, if they are known; `name`: that of the gains; `remark`: what
    there is to say of what they are computed from.
    """

    documents: JudgedDocuments
    gains: Floats
    per_topic: Mapping[str, NDArray[Any]]
    negative: int
    name: str
    lengths: Lengths | None = None
    remark: str = ""

    def with_lengths(self, lengths: Lengths) -> "Judged":
        """The same, for measures that ask for lengths, and for near duplicates if they are known.

        `lengths` are of the topics of this, in their order.
        """
        known = lengths.of_judged(self.documents.doc_ids, self.gains.shape[1])
        return replace(self, per_topic={**self.per_topic, **known}, lengths=lengths)

    @property
    def known(self) -> set[str]:
        """What measures may ask for, by name."""
        by_rank = {*BY_RANK, *self.per_topic}
        if self.lengths is None:
            return by_rank
        return by_rank | {"words"} | ({"repeats"} if self.lengths.classes is not None else set())

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


def judged(qrels: Qrels, gains: str = "linear") -> Judged:
    """The gains of labels, by name.

    Raises:
        GainError: no such gain, one that needs opinions, or a label that has none.
    """
    gain = parse(gains)
    if gain.of == "opinions":
        raise GainError(
            f"{gain.name} needs opinions of several judges, not one label for each pair"
        )
    gained, negative = {}, []
    for query_id, labels in qrels.by_topic().items():
        negative.append(labels.labels < 0)
        try:
            gained[query_id] = labels.doc_ids, gain.gains(labels.labels)
        except BadLabel as fault:
            where = f"topic {query_id}, document {labels.doc_ids[fault.place].decode()}"
            raise GainError(f"{where}: {fault}") from fault
    known = _judged(gained, int((qrels.labels < 0).sum()), gain.name)
    padded = _padded(negative, fill=False)
    return replace(known, per_topic={**known.per_topic, "negative": padded})


def in_levels(
    read: opinions.Opinions, values: Sequence[float], cuts: Sequence[float]
) -> opinions.Opinions:
    """Opinions that are places among `values`, as the levels that these are cut into."""
    levels = np.append(cut(values, cuts), MISSING)
    return replace(read, levels=levels[read.levels])  # what is missing is -1, the last place


def judged_by_several(
    read: opinions.Opinions,
    n_levels: int,
    gains: str = "linear",
    ratings: int | None = None,
    levels: Sequence[str] = (),
) -> Judged:
    """The gains, by name, of what several judges said; a pair without any level is not judged.

    `levels`: their names, if they have any, for messages.

    Raises:
        GainError: no such gain, or none of such opinions.
    """
    query_ids = [query_id for query_id, _ in read.pairs]
    places = {query_id: place for place, query_id in enumerate(dict.fromkeys(query_ids))}
    topics = np.array([places[query_id] for query_id in query_ids])
    names = Names(levels, read.workers.__getitem__)
    every = Opinions(read.pair_of, read.levels, read.worker_of, n_levels, topics, names)
    gain = parse(gains, ratings)
    values = gain.gains(every)
    doc_ids = np.array([doc_id for _, doc_id in read.pairs], dtype=object)
    gained = {}
    for query_id, place in places.items():
        known = (topics == place) & ~np.isnan(values)
        if known.any():
            gained[query_id] = (encoded(doc_ids[known]), values[known])
    if not gained:
        raise GainError("no opinion has a level")
    return replace(_judged(gained, 0, gain.name), remark=gain.remark(every))


def _judged(gained: Mapping[str, tuple[Ids, Floats]], negative: int, name: str) -> Judged:
    padded = _padded([values for _, values in gained.values()], fill=np.nan)
    return Judged(
        JudgedDocuments({query_id: doc_ids for query_id, (doc_ids, _) in gained.items()}),
        np.where(np.isnan(padded), 0.0, padded),
        numbers_of(padded),
        negative,
        name,
    )


def _padded(rows: Sequence[NDArray[Any]], fill: float | bool) -> NDArray[Any]:
    """Rows of different lengths as one array."""
    padded = np.full((len(rows), max(map(len, rows))), fill)
    for row, values in zip(padded, rows, strict=True):
        row[: len(values)] = values
    return padded


def evaluate(
    judged: Judged, members: Iterable[Member | Rows], measures: Sequence[Measure]
) -> Iterator[Evaluated]:
    """Measure runs, of files or rows, on every topic of the qrels, in their order.

    A topic that a run leaves out scores 0.

    Raises:
        MeasureNameError: a measure needs what no file tells, such as which documents are anchors,
            or an option that does not go with the gains, or does not go with them itself.
        BadFile: a run that cannot be read.
    """
    for measure in measures:
        measure.ask_for(judged.known)
        measure.goes_with(parse(judged.name))
    cuts = _cuts(measures)
    asked = judged.lengths and any("words" in measure.needs for measure in measures)
    numbers = judged.lengths.numbers if judged.lengths and asked else None
    runs = read_judged_runs(members, judged.documents, list(cuts.values()), numbers)
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
        if ranks >= CHUNK_SIZE:
            yield some
            some, ranks = [], 0
    if some:
        yield some


def _evaluated(
    judged: Judged, runs: list[JudgedRun], measures: Sequence[Measure], orders: list[bool]
) -> Iterator[Evaluated]:
    codes, numbers = {}, {}
    for place, by_rank in enumerate(orders):
        codes[by_rank] = _together([run.codes[place] for run in runs], END)
        if runs[0].numbers:
            numbers[by_rank] = _together([run.numbers[place] for run in runs], -1)
    values, shares = measured(judged, codes, measures, numbers)
    _refuse_unknown(judged, runs, measures, values)
    for place, run in enumerate(runs):
        share = shares[:, place]
        missing = int(np.isnan(share[0]).sum())
        yield Evaluated(run.tag, values[:, place], share, missing, run.unlabelled)


def _refuse_unknown(
    judged: Judged, runs: list[JudgedRun], measures: Sequence[Measure], values: Floats
) -> None:
    """No table has a value that is not known: a run without some of its lengths is refused."""
    if np.isnan(values).any():
        measure, run, topic = np.argwhere(np.isnan(values))[0]
        raise MeasureNameError(
            str(measures[measure]),
            f"a length that the value depends on is not known: run {runs[run].tag}, "
            f"topic {judged.query_ids[topic]}",
        )


def _together(lists: list[Codes], empty: int) -> Codes:
    """The lists of several runs as (runs, topics, depth of the longest)."""
    depth = max(codes.shape[1] for codes in lists)
    codes = np.full((len(lists), len(lists[0]), depth), empty, np.int32)
    for row, of_run in zip(codes, lists, strict=True):
        row[:, : of_run.shape[1]] = of_run
    return codes


def measured(
    judged: Judged,
    codes: Mapping[bool, Codes],
    measures: Sequence[Measure],
    numbers: Mapping[bool, Codes] | None = None,
) -> tuple[Floats, Floats]:
    """Measures' values, and the shares judged at their cutoffs: both (measures, runs, topics).

    `codes`: by order (by rank or not), (runs, topics, depth), as `files.judged_runs` counts;
    `numbers`: in the same way those of `judged.lengths`, if a measure asks for lengths. Values
    that depend on a length that is not known are NaN.
    """
    lists = {
        by_rank: Lists(
            places,
            judged.gains,
            judged.per_topic,
            judged.lengths.of_ranked(numbers[by_rank]) if numbers and judged.lengths else {},
        )
        for by_rank, places in codes.items()
    }
    values, shares = [], []
    for measure in measures:
        try:
            measured_lists = lists[measure.by_rank].measure(measure)
        except GainError as fault:
            raise MeasureNameError(str(measure), str(fault)) from fault
        values.append(measured_lists.values)
        shares.append(measured_lists.judged)
    return np.stack(values), np.stack(shares)
