"""How overlaps of judges are shown: a part of `consistency`."""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import StudyData
from evaluation.analyses.in_levels import Two
from evaluation.analyses.overlaps import Overlaps
from evaluation.analyses.parts import Figure, Row, Table, number, percent
from trec.words import count

ANY, PAIR = "any two judges", "first and second"
PAPER = "The paper has .36 for the top level of its Web results; Voorhees (2000) .42 to .49."


def says(of: Overlaps, names: Sequence[str]) -> Iterator[str]:
    shares = [
        f"{number(share, 2)} at {name}{'' if level == len(names) - 1 else ' or better'}"
        for level, (name, share) in enumerate(zip(names, of.any_two.tolist(), strict=True))
        if level and not np.isnan(share)
    ]
    if shares:
        yield (
            "Overlap, the share of documents to which both of two judges gave a level among those "
            f"to which one did: {'; '.join(shares)}; of any two judges of "
            f"{count(of.documents, 'document')}. {PAPER}"
        )
    else:
        yield f"Nobody gave any of {count(of.documents, 'document')} more than {names[0]}."
    shared = [n for *_, n in of.two.judges]
    if shared:
        top = of.found.pooled[-1]
        overlap = "" if np.isnan(top) else f"; their overlap at {names[-1]} is {number(top, 2)}"
        yield (
            "First and second judge of a topic are the two who share most documents: "
            f"{number(float(np.mean(shared)))} in the mean of {count(len(shared), 'topic')}"
            f"{overlap}."
        )


def figure(of: Overlaps, names: Sequence[str]) -> Iterator[Figure]:
    columns = {ANY: of.any_two, PAIR: of.found.pooled}
    rows: list[Row] = [
        (f"{'≥ ' if level < len(names) - 1 else ''}{name}", kind, float(shares[level]))
        for level, name in enumerate(names)
        for kind, shares in columns.items()
        if level and not np.isnan(shares[level])
    ]
    if not rows:
        return
    order = list(dict.fromkeys(row[0] for row in reversed(rows)))
    kinds = {ANY: ("circle", plots.MARK), PAIR: ("diamond", plots.OTHER)}
    across = plots.x("overlap", "overlap", domain=(0, 1))
    dots = plots.shaped("overlaps", across, plots.down("level", order), "judges", kinds)
    level, _, share = next(row for row in reversed(rows) if row[1] == ANY)
    yield Figure(
        "overlap",
        f"Of what one of two judges calls {level}, both do so for {percent(share)}",
        "Overlap: of the documents to which one of two judges gave the level, the share to which "
        "both did. If it falls from one level to the next, judges agree less on what is best than "
        "on what is relevant. It bounds what precision or recall by one judge can say of another.",
        plots.sized(
            dots.encode(yOffset=plots.alt.YOffset("judges:N", sort=list(kinds))),
            max(44 * len(order), 70),
            plots.WIDTH - 180,
        ),
        {
            "overlaps": [
                {
                    "level": at,
                    "judges": kind,
                    "overlap": of_two,
                    "name": f"{at}, {kind}: {of_two:.3f}",
                }
                for at, kind, of_two in rows
            ]
        },
        ("level", "judges", "overlap"),
        rows,
        in_levels.source("section 3.3.1"),
    )


def judges(data: StudyData, of: Overlaps, repeated: Two | None) -> Table:
    twice = {topic: n for topic, _, _, n in repeated.judges} if repeated else {}
    rows: list[Row] = [
        (
            data.topics[topic].query_id,
            *(_worker(data, judge) for judge in (first, second)),
            n,
            twice.get(topic, 0),
            *of.found.by_topic[topic, 1:].tolist(),
        )
        for topic, first, second, n in of.two.judges
    ]
    names = in_levels.names(data)
    return Table(
        "judges",
        "First and second judge of each topic, and their overlap",
        (
            *("query_id", "first", "second", "documents_of_both", "twice_by_two"),
            *(f"overlap_{name}".replace(" ", "_") for name in names[1:]),
        ),
        rows,
        (
            "first, second: the two judges who share most documents of the topic. twice by two: "
            "documents that two judges, not always these, each labelled twice or more. overlap: of "
            "documents that one of the two gave the level or a higher one, the share that both "
            "did; a dash where neither gave it.",
        ),
        in_levels.source("section 3.3.1"),
    )


def _worker(data: StudyData, judge: int) -> str:
    return data.workers[judge] if judge < len(data.workers) else f"judge {judge}"
