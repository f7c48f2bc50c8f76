"""What systems give readers for their time: time-biased gain beside the study's first measure.

Smucker and Clarke (SIGIR 2012), sections 3 to 5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.time import orders, progress, readers, timed_lists
from evaluation.analyses.time.readers import PAPER, THE_PAPER, Kind
from evaluation.analyses.time.timed_lists import TimedLists
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, listed, percent, span
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import in_levels
from magnitudes.comparison.compared import compare
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.files.words import count
from magnitudes.measures.in_time.reader import Reader
from magnitudes.measures.in_time.time_biased import tbg
from magnitudes.measures.in_time.time_curves import expected_saved
from magnitudes.measures.names import MeasureNameError

# Of the table, by the key of a kind of readers.
COLUMNS = {"paper": "tbg", "own": "tbg_of_study", "each_topic": "tbg_of_topics"}


@dataclass(frozen=True, eq=False)
class Found:
    """Systems whose TBG is known with all readers, and the names of others.

    expected: (runs,), documents a topic that the main reader is expected to save; judged: (runs,),
    the share of the documents that this reader comes to; by_anchors: whether relevance is told
    from the anchors' gains. tau_with_ap: of the order by the main reader and that by AP, whose mean
    the paper has, as numbers.
    """

    readers: readers.Found
    orders: orders.Found
    expected: Floats
    judged: Floats
    progress: progress.Found
    by_anchors: bool
    left_out: list[str]
    tau_with_ap: dict[str, float | str]


def analyse(data: StudyData, tell: Tell, asked: Question = USUAL) -> Analysed:
    """TBG beside the study's first measure, gain and ranks in time, documents saved."""
    if not data.runs or not data.topics:
        what = "no run" if not data.runs else "no completed unit"
        return Analysed([f"There is {what}: there is no system to measure."])
    lists = timed_lists.of_study(data)
    if not any(of_topic.any_length_known for of_topic in lists):
        return Analysed(
            [
                "No ranking has a document with a text here, so that nobody knows how long one "
                "takes to read: systems cannot be measured in time."
            ]
        )
    tell(0.3)
    found = compute(data, lists, readers.compute(data, asked.reader))
    if found is None:
        return Analysed(
            ["Every system has a document of unknown length above a relevant one: none has a TBG."]
        )
    tell(0.9)
    return Analysed(
        [*says(found)],
        [*figures(found), orders.table(found.orders), table(found)],
        {**found.orders.numbers(), **found.tau_with_ap},
    )


def compute(data: StudyData, lists: list[TimedLists], by: readers.Found) -> Found | None:
    """lists: of each topic. None where no system's TBG is known."""
    values = [_tbg(lists, kind) for kind in by.kinds]
    known = np.asarray(~np.isnan(np.concatenate(values)).any(axis=0))
    if not known.any():
        return None
    runs = [run for run, is_known in zip(data.runs, known, strict=True) if is_known]
    lists = [of_topic.of_runs(known) for of_topic in lists]
    usual = _usual(data)[:, known]
    reader = by.main.readers[0]
    return Found(
        by,
        orders.compute(
            runs,
            comparing.first(data.study),
            usual,
            [by_kind[:, known] for by_kind in values],
            by.kinds,
        ),
        np.mean([of_topic.measured(expected_saved, reader) for of_topic in lists], axis=0),
        timed_lists.judged_share(lists, reader),
        progress.compute(lists, runs, by.main),
        lists[0].lists.rel is not None,
        [run for run in data.runs if run not in runs],
        _tau_with_ap(data, values[0], known),
    )


def _tau_with_ap(data: StudyData, by_tbg: Floats, known: NDArray[np.bool_]) -> dict[str, Any]:
    """by_tbg: (topics, runs). Empty where AP is not known."""
    ap = comparing.to_cutoff("AP", data.study)
    try:
        by_ap = comparing.measured(data, ap).values
    except MeasureNameError:
        return {}
    tau = compare(by_ap[:, known], by_tbg[:, known]).tau.tau
    return {"tau_with_ap": tau, "ap": ap.brief}


def _tbg(lists: Sequence[TimedLists], kind: Kind) -> Floats:
    """(topics, runs)"""
    by_topic = zip(lists, kind.readers, strict=True)
    return np.stack([of_topic.measured(tbg, reader) for of_topic, reader in by_topic])


def _usual(data: StudyData) -> Floats:
    """The study's first measure, (topics, runs)."""
    sources = [comparing.magnitudes(topic) for topic in data.topics]
    return comparing.measure(data.topics, sources, comparing.first(data.study)).values


def says(found: Found) -> Iterator[str]:
    yield orders.says(found.orders)
    yield _says_systems(found)
    yield readers.says_main(found.readers)
    yield from readers.says_unused(found.readers)
    yield from _says_bound(found)
    yield _says_relevant(found)
    if found.left_out:
        yield (
            f"Left out: {count(len(found.left_out), 'system')} with a document of unknown length "
            f"above a relevant one ({listed(found.left_out)})."
        )
    yield from comparing.too_few(len(found.orders.usual))


def _says_systems(found: Found) -> str:
    topics, runs = found.orders.usual.shape
    main = found.orders.main
    name = main.kind.name
    source = f" ({PAPER})" if name == THE_PAPER else ""
    return (
        f"{count(runs, 'system')} on {count(topics, 'topic')}. TBG is how "
        "many relevant documents a reader saves before they stop, at the least. "
        f"{name[0].upper()}{name[1:]}{source} saves "
        f"{span(float(main.means.min()), float(main.means.max()))} of them a topic, by system. "
        f"{orders.says_others(found.orders)}"
    ).rstrip()


def _says_bound(found: Found) -> Iterator[str]:
    """By how much readers are expected to save more than TBG, of systems that have any."""
    means = found.orders.main.means
    if (means > 0).any():
        ratios = found.expected[means > 0] / means[means > 0]
        yield (
            "TBG is a lower bound: by equation (10) readers are expected to save from "
            f"{percent(ratios.min() - 1, 1)} to {percent(ratios.max() - 1, 1)} more, by system."
        )


def _says_relevant(found: Found) -> str:
    known = found.judged[~np.isnan(found.judged)]
    shares = f"{percent(known.min())} to {percent(known.max())}" if known.size else "none"
    return (
        "A document is relevant if its gain is "
        + (
            "midway between those of the topic's H_k and N_k, by ratio, or above. "
            if found.by_anchors
            else "above 0. "
        )
        + "Documents that nobody judged cost time and gain nothing: of those that this reader "
        f"comes to, {shares} are judged, by system. Near duplicates count like any."
    )


def figures(found: Found) -> list[Figure]:
    chosen = _chosen(found.orders)
    return [*orders.figures(found.orders), *progress.figures(found.progress, chosen)]


def _chosen(found: orders.Found) -> dict[str, str]:
    """Some systems, each once, with what they stand for."""
    order = np.argsort(-found.main.means.round(12), kind="stable")
    standing_for = (
        ("most by TBG", order[0]),
        (f"most by {found.measure.name}", found.usual.mean(axis=0).round(12).argmax()),
        ("median by TBG", order[len(order) // 2]),
        ("least by TBG", order[-1]),
    )
    chosen: dict[str, list[str]] = {}
    for what, run in standing_for:
        chosen.setdefault(found.runs[run], []).append(what)
    return {run: f"{run} ({', '.join(what)})" for run, what in chosen.items()}


def table(found: Found) -> Table:
    columns = _columns(found)
    return Table(
        "systems",
        "All systems by what they give for a reader's time",
        ("system", *columns),
        [
            (found.orders.runs[run], *(column[run].item() for column in columns.values()))
            for run in np.argsort(columns["rank_by_tbg"], kind="stable").tolist()
        ],
        (
            f"TBG: of {found.readers.main.name}; with the study's or each topic's T_D: that of "
            "this study's first views, of all or of each topic. Expected saved: relevant documents "
            "that the same reader is expected to save, equation (10), of which TBG is a lower "
            "bound. Judged: of the documents that this reader comes to, the share that is judged.",
        ),
    )


def _columns(found: Found) -> dict[str, NDArray[Any]]:
    """The columns of the table of systems, (runs,)."""
    means = {found.orders.measure.name.lower(): found.orders.usual.mean(axis=0)}
    means |= {COLUMNS[order.kind.key]: order.means for order in found.orders.orders}
    columns: dict[str, NDArray[Any]] = {}
    for name, values in means.items():
        columns |= {name: values, f"rank_by_{name}": competition_ranks(values)}
    return columns | {"expected_saved": found.expected, "judged": found.judged}


def methods(data: StudyData, numbers: Numbers) -> str:
    reader = Reader()
    own = "tau_own" in numbers or "tau_each_topic" in numbers
    return (
        f"The reader of time-biased gain is that of {PAPER}: {reader.summary:g} "
        f"seconds for a summary, {reader.slope:g} l + {reader.intercept:g} for a document of l "
        f"words; of the relevant documents {reader.click:g} are opened and {reader.save:g} of "
        f"these saved, of others {reader.click_nonrel:g} are opened; half of all readers have "
        f"stopped after {reader.half_life:g} seconds."
        + (
            " Beside this one stand readers who take as long for a document as the study's workers."
            if own
            else ""
        )
    )


ANALYSIS = Analysis(
    "reader",
    "What do readers save before they stop?",
    analyse,
    methods=methods,
    fits=in_levels,
    takes=("reader",),
    of_systems=True,
)
