"""Which share of what one of two judges found good both did, level by level.

Demeester and others (WSDM 2014), section 3.3.1. A part of the analysis `consistency`.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, number, percent
from evaluation.study import levels
from evaluation.study.data import Floats, StudyData
from evaluation.study.levels import Two
from magnitudes.agreement.opinions import Opinions
from magnitudes.agreement.overlap import LevelOverlap, level_overlap
from magnitudes.files.words import count

ANY, PAIR = "any two judges", "first and second"
KINDS = {ANY: ("circle", plots.MARK), PAIR: ("diamond", plots.OTHER)}
PAPER = published.quote(
    "The paper has {overlap} for the top level of its Web results; Voorhees (2000) "
    "{overlap_voorhees.low} to {overlap_voorhees.high}."
)
SOURCE = levels.source("section 3.3.1")


def analyse(data: StudyData, opinions: Opinions, twice: Two) -> Result:
    """Of the two judges of each topic, and of any two of a document; the table is the last part.

    twice: those who both labelled documents twice.
    """
    two, names = levels.best_two(opinions), levels.names(data)
    of_two, (of_any, documents) = level_overlap(two.opinions, 0, 1), _any_two(opinions)
    overlaps = Frame.of_rows(
        "level judges overlap",
        [
            (f"{'≥ ' if level < len(names) - 1 else ''}{name}", judges, shares[level])
            for level, name in enumerate(names)
            for judges, shares in ((ANY, of_any), (PAIR, of_two.pooled))
            if level and not np.isnan(shares[level])  # above the lowest one
        ],
    )
    return Result(
        [_of_any(names, of_any, documents), *_of_two(names, two, of_two)],
        [*_figures(overlaps), _table(data, two, of_two, twice)],
        {f"overlap_{level}": share for level, share in enumerate(of_any)},
    )


def _any_two(opinions: Opinions) -> tuple[Floats, int]:
    """The chance that both of two judges give the level or more, over that one of them does.

    Of several labels by one judge of a document the first counts. Also: documents with two judges.
    """
    given = opinions.given
    keys = given.items * (given.judges.max(initial=0) + 1) + given.judges
    counts = given.where(np.unique(keys, return_index=True)[1]).counts
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


def _of_any(names: list[str], of_any: Floats, n_documents: int) -> str:
    documents = count(n_documents, "document")
    shares = [
        f"{number(share, 2)} at {name}{'' if name == names[-1] else ' or better'}"
        for name, share in list(zip(names, of_any.tolist(), strict=True))[1:]
        if not np.isnan(share)
    ]
    if not shares:
        return f"Nobody gave any of {documents} more than {names[0]}."
    return (
        f"Overlap of any two judges of {documents}: {', '.join(shares)}. It is the share of "
        "documents to which both gave a level, or a better one, among those to which one did. "
        f"{PAPER}"
    )


def _of_two(names: list[str], two: Two, of_two: LevelOverlap) -> Iterator[str]:
    if two.judges:
        top = of_two.pooled[-1]
        overlap = "" if np.isnan(top) else f"; their overlap at {names[-1]} is {number(top, 2)}"
        shared = float(np.mean([documents for *_, documents in two.judges]))
        yield (
            "First and second judge of a topic are the two who share most documents: "
            f"{number(shared)} averaged over {count(len(two.judges), 'topic')}{overlap}."
        )


def _figures(overlaps: Frame) -> Iterator[Figure]:
    if not len(overlaps):
        return
    order = list(dict.fromkeys(overlaps["level"][::-1]))
    across, down = plots.axis("overlap", "overlap", domain=(0, 1)), plots.names("level", order)
    dots = plots.shaped(ROWS, across, down, "judges", KINDS, apart=True)
    highest = list(overlaps.where(overlaps["judges"] == ANY))[-1]
    yield overlaps.figure(
        "overlap",
        f"Where at least one of two judges assigns {highest.level}, both do in "
        f"{percent(highest.overlap)} of cases",
        "Of documents to which one of two judges gave the level, the share to which both did.",
        plots.sized(dots, max(44 * len(order), 70), plots.WIDTH - 180),
        label="{level}, {judges}: {overlap:.3f}",
        source=SOURCE,
        reading="If it falls from one level to the next, judges agree less on what is best than on "
        "what is relevant. It bounds what precision or recall by one judge can say of another.",
    )


def _table(data: StudyData, two: Two, of_two: LevelOverlap, twice: Two) -> Table:
    def worker(judge: int) -> str:
        return data.workers[judge] if judge < len(data.workers) else f"judge {judge}"

    labelled_twice = {topic: n for topic, _, _, n in twice.judges}
    rows = [
        (
            data.topics[topic].query_id,
            *map(worker, judges),
            documents,
            labelled_twice.get(topic, 0),
            *of_two.by_topic[topic, 1:],
        )
        for topic, *judges, documents in two.judges
    ]
    of_levels = [f"overlap_{name}".replace(" ", "_") for name in levels.names(data)[1:]]
    names = ["query_id", "first", "second", "documents_of_both", "twice_by_two", *of_levels]
    judges = Frame.of_rows(names, rows).with_heads(twice_by_two="labelled twice by two")
    return judges.table(
        "judges",
        "First and second judge of each topic, and their overlap",
        "First, second: the two judges who share most documents of the topic. Labelled twice "
        "by two: documents that two judges, not always these, each labelled twice. Overlap: of "
        "documents that one of the two gave the level or a higher one, the share that both "
        "did; a dash where neither gave it.",
        source=SOURCE,
    )
