"""What systems give for a reader's time: a row each, and what is said of them.

A part of the analysis `reader`.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses.time import readers, timed_lists
from evaluation.analyses.time.readers import PAPER, THE_PAPER, Kind
from evaluation.analyses.time.timed_lists import TimedLists
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Table, percent, span
from evaluation.study.data import Floats
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.files.words import count
from magnitudes.measures.in_time.time_curves import expected_saved
from magnitudes.measures.names import Measure

# Of the table, by the key of a kind of readers, and what people read above them.
COLUMNS = {"paper": "tbg", "own": "tbg_of_study", "each_topic": "tbg_of_topics"}
HEADS = {"tbg_of_study": "TBG, the study's T_D", "tbg_of_topics": "TBG, each topic's T_D"}


def of_lists(
    runs: Sequence[str],
    lists: Sequence[TimedLists],
    by: readers.Kinds,
    measure: Measure,
    means: Floats,
) -> Frame:
    """means: by the measure, then by TBG with each kind of readers, (1 + kinds, runs).

    expected_saved: documents a topic that the main reader is expected to save; judged: the share of
    the documents that this reader comes to.
    """
    names = [measure.name.lower(), *(COLUMNS[kind.key] for kind in by.kinds)]
    columns: dict[str, Column] = {}
    for name, values in zip(names, means, strict=True):
        head, ranks = HEADS.get(name, ""), competition_ranks(values)
        of_ranks = Column(ranks, f"rank by {head}" if head else "")
        columns |= {name: Column(values, head), f"rank_by_{name}": of_ranks}
    reader = by.main.readers[0]
    return Frame.of(
        system=runs,
        **columns,
        expected_saved=np.mean([each.measured(expected_saved, reader) for each in lists], axis=0),
        judged=timed_lists.judged_share(lists, reader),
    )


def summary(systems: Frame, n_topics: int, main: Kind) -> str:
    name, saved = main.name, systems["tbg"]
    source = f" ({PAPER})" if name == THE_PAPER else ""
    return (
        f"{count(len(systems), 'system')} on {count(n_topics, 'topic')}. TBG is how "
        "many relevant documents a reader saves before they stop, at the least. "
        f"{name[0].upper()}{name[1:]}{source} saves "
        f"{span(float(saved.min()), float(saved.max()))} of them a topic, by system."
    )


def bound(systems: Frame) -> Iterator[str]:
    """By how much readers are expected to save more than TBG, of systems that have any."""
    some = systems.where(systems["tbg"] > 0)
    if len(some):
        more = some["expected_saved"] / some["tbg"] - 1
        shares = span(more.min(), more.max(), lambda share: percent(share, 1))
        yield (
            "TBG is a lower bound: by equation (10) readers are expected to save "
            f"{shares} more, by system."
        )


def relevant(judged: Floats, by_anchors: bool) -> str:
    """judged: (runs,), the share of the documents that the reader comes to."""
    known = judged[~np.isnan(judged)]
    shares = f"{percent(known.min())} to {percent(known.max())}" if known.size else "none"
    return (
        "A document is relevant if its gain is "
        + (
            "midway between those of the topic's anchors, by ratio, or above. "
            if by_anchors
            else "above 0. "
        )
        + "Documents that nobody judged cost time and gain nothing: of those that this reader "
        f"comes to, {shares} are judged, by system. Near duplicates count like any."
    )


def chosen(systems: Frame, measure: Measure) -> dict[str, str]:
    """Some systems, each once, with what they stand for."""
    order, usual = np.argsort(-systems["tbg"].round(12), kind="stable"), systems[systems.names[1]]
    standing_for = (
        ("most by TBG", order[0]),
        (f"most by {measure.name}", usual.round(12).argmax()),
        ("median by TBG", order[len(order) // 2]),
        ("least by TBG", order[-1]),
    )
    names: dict[str, list[str]] = {}
    for what, run in standing_for:
        names.setdefault(systems["system"][run], []).append(what)
    return {run: f"{run} ({', '.join(what)})" for run, what in names.items()}


def table(systems: Frame, main: Kind) -> Table:
    return systems.sorted_by("rank_by_tbg").table(
        "systems",
        "All systems by what they give for a reader's time",
        f"TBG: of {main.name}; with the study's or each topic's T_D: that of "
        "this study's first views, of all or of each topic. Expected saved: relevant documents "
        "that the same reader is expected to save, equation (10), of which TBG is a lower "
        "bound. Judged: of the documents that this reader comes to, the share that is judged.",
    )
