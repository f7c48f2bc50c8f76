"""Which share of what one of two judges found good both did, level by level.

Demeester and others (WSDM 2014), section 3.3.1. A part of the analysis `consistency`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.parts import Figure, Row, Table, drawn, number, percent
from evaluation.study.data import Floats
from evaluation.study.levels import Two, best_two, source
from magnitudes.agreement.opinions import Opinions
from magnitudes.agreement.overlap import LevelOverlap, level_overlap
from magnitudes.files.words import count

ANY, PAIR = "any two judges", "first and second"
KINDS = {ANY: ("circle", plots.MARK), PAIR: ("diamond", plots.OTHER)}
PAPER = published.quote(
    "The paper has {overlap} for the top level of its Web results; Voorhees (2000) "
    "{overlap_voorhees.low} to {overlap_voorhees.high}."
)


class Overlap(NamedTuple):
    """The overlap of judges at a level or better."""

    level: str
    judges: str
    overlap: float


@dataclass(frozen=True)
class Found:
    """Overlap at each level, of the two judges of each topic and of any two of a document."""

    names: Sequence[str]  # of the levels
    two: Two
    of_two: LevelOverlap
    any_two: Floats  # (levels,)
    documents: int  # with two judges
    query_ids: Sequence[str]
    workers: Sequence[str]

    @property
    def overlaps(self) -> list[Overlap]:
        """Above the lowest level, where there is one."""
        top = len(self.names) - 1
        return [
            Overlap(f"{'≥ ' if level < top else ''}{name}", judges, float(shares[level]))
            for level, name in enumerate(self.names)
            for judges, shares in ((ANY, self.any_two), (PAIR, self.of_two.pooled))
            if level and not np.isnan(shares[level])
        ]


def compute(
    opinions: Opinions, names: Sequence[str], query_ids: Sequence[str], workers: Sequence[str]
) -> Found:
    two = best_two(opinions)
    of_two = level_overlap(two.opinions, 0, 1)
    return Found(names, two, of_two, *_any_two(opinions), query_ids, workers)


def _any_two(opinions: Opinions) -> tuple[Floats, int]:
    """The chance that both of two judges give the level or more, over that one of them does.

    Of several labels by one judge of a document the first counts. Also: documents with two judges.
    """
    levels = opinions.given
    keys = levels.items * (levels.judges.max(initial=0) + 1) + levels.judges
    _, first = np.unique(keys, return_index=True)
    counts = levels.where(np.isin(np.arange(len(keys)), first)).counts
    size = counts.sum(axis=1)
    counts, size = counts[size > 1], size[size > 1, np.newaxis]
    reached = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    pairs = size * (size - 1)
    both = reached * (reached - 1) / pairs
    neither = (size - reached) * (size - reached - 1) / pairs
    either = (1 - neither).sum(axis=0)
    shares = np.full(either.shape, np.nan)
    np.divide(both.sum(axis=0), either, out=shares, where=either > 1e-12)
    return shares, len(counts)


def says(found: Found) -> Iterator[str]:
    names, documents = found.names, count(found.documents, "document")
    shares = [
        f"{number(share, 2)} at {name}{'' if level == len(names) - 1 else ' or better'}"
        for level, (name, share) in enumerate(zip(names, found.any_two.tolist(), strict=True))
        if level and not np.isnan(share)
    ]
    if shares:
        yield (
            f"Overlap of any two judges of {documents}: {', '.join(shares)}. It is the share of "
            "documents to which both gave a level, or a better one, among those to which one did. "
            f"{PAPER}"
        )
    else:
        yield f"Nobody gave any of {documents} more than {names[0]}."
    if pairs := found.two.judges:
        top = found.of_two.pooled[-1]
        overlap = "" if np.isnan(top) else f"; their overlap at {names[-1]} is {number(top, 2)}"
        shared = float(np.mean([documents_of_both for *_, documents_of_both in pairs]))
        yield (
            "First and second judge of a topic are the two who share most documents: "
            f"{number(shared)} in the mean of {count(len(pairs), 'topic')}{overlap}."
        )


def figures(found: Found) -> Iterator[Figure]:
    rows = found.overlaps
    if not rows:
        return
    order = list(dict.fromkeys(row.level for row in reversed(rows)))
    across = plots.axis("overlap", "overlap", domain=(0, 1))
    down = plots.names("level", order)
    dots = plots.shaped("overlaps", across, down, "judges", KINDS, apart=True)
    highest = next(row for row in reversed(rows) if row.judges == ANY)
    yield Figure(
        "overlap",
        f"Of documents that one of two judges calls {highest.level}, both do so for "
        f"{percent(highest.overlap)}",
        "Of documents to which one of two judges gave the level, the share to which both did.",
        plots.sized(
            dots,
            max(44 * len(order), 70),
            plots.WIDTH - 180,
        ),
        {"overlaps": drawn(rows, "level judges overlap", _tooltip)},
        Overlap,
        rows,
        source("section 3.3.1"),
        reading="If it falls from one level to the next, judges agree less on what is best than on "
        "what is relevant. It bounds what precision or recall by one judge can say of another.",
    )


def _tooltip(row: Overlap) -> str:
    return f"{row.level}, {row.judges}: {row.overlap:.3f}"


def table(found: Found, twice: Two | None) -> Table:
    """The judges of each topic; `twice`: the two of whom both labelled documents twice, if any."""
    labelled_twice = {topic: n for topic, _, _, n in twice.judges} if twice else {}
    rows: list[Row] = [
        (
            found.query_ids[topic],
            *(_worker(found.workers, judge) for judge in (first, second)),
            of_both,
            labelled_twice.get(topic, 0),
            *found.of_two.by_topic[topic, 1:].tolist(),
        )
        for topic, first, second, of_both in found.two.judges
    ]
    return Table(
        "judges",
        "First and second judge of each topic, and their overlap",
        (
            *("query_id", "first", "second", "documents_of_both", "twice_by_two"),
            *(f"overlap_{name}".replace(" ", "_") for name in found.names[1:]),
        ),
        rows,
        (
            "First, second: the two judges who share most documents of the topic. Labelled twice "
            "by two: documents that two judges, not always these, each labelled twice. Overlap: of "
            "documents that one of the two gave the level or a higher one, the share that both "
            "did; a dash where neither gave it.",
        ),
        source("section 3.3.1"),
    )


def _worker(workers: Sequence[str], judge: int) -> str:
    return workers[judge] if judge < len(workers) else f"judge {judge}"
