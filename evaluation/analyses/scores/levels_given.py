"""Which levels of a graded scale workers gave: how often, on which topics, at which labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.scores.extremes import roles
from evaluation.presentation import plots
from evaluation.presentation.parts import Analysed, Figure, Row, Table, Tell, drawn, percent
from evaluation.study.data import Ints, StudyData
from evaluation.study.fits import graded
from evaluation.study.label_levels import TOO_MANY, U, name_of
from magnitudes.files.words import count

OF_ROLES = (
    "Levels of anchors and of others",
    "Every completed unit gave H_k a higher level than N_k, by check (c).",
)
OF_LABELS = (
    "Levels by label",
    "Look for rows whose largest share is far from the label, and for two rows alike.",
)


class Level(NamedTuple):
    """How often a level was given, as a share of all judgments, and by how many workers."""

    level: str
    judgments: int
    share: float
    workers: int


class Group(NamedTuple):
    """The shares of the levels among some judgments."""

    name: str
    judgments: int
    shares: list[float]  # (levels,)


@dataclass(frozen=True)
class Found:
    """The levels, lowest first, and their shares by role, topic and label; empty: not asked."""

    levels: list[Level]
    by_role: list[Group]
    by_topic: list[Group]
    by_label: list[Group]

    @property
    def names(self) -> list[str]:
        return [level.level for level in self.levels]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Shares of the levels of all judgments, by role, by topic, and by the documents' labels."""
    if not data.judgments.scores.size:
        return Analysed(["No unit is completed yet: no level is given."])
    found = compute(data)
    return Analysed([*says(found)], [figure(found), *tables(found)])


def compute(data: StudyData) -> Found:
    names, judgments, documents = data.study.levels, data.judgments, data.documents
    given, items = judgments.scores.astype(np.int64), judgments.items
    counts = np.bincount(given, minlength=len(names))
    shares = counts / counts.sum()
    workers = [len(np.unique(judgments.workers[given == level])) for level in range(len(names))]
    columns = (names, counts.tolist(), shares.tolist(), workers)
    role, topic = np.array(roles(data))[items], documents.topics[items]
    labels = documents.labels[items]
    of_roles = {name: role == name for name in ("H_k", "N_k", "other")} if data.has_anchors else {}
    of_topics = {each.query_id: topic == place for place, each in enumerate(data.topics)}
    of_labels = {name_of(level): labels == level for level in data.levels}
    if not 0 < len(of_labels) <= TOO_MANY:
        of_labels = {}
    else:
        of_labels[U] = np.isnan(labels)
    return Found(
        [Level(*row) for row in zip(*columns, strict=True)],
        *(_groups(given, groups, len(names)) for groups in (of_roles, of_topics, of_labels)),
    )


def _groups(given: Ints, groups: Mapping[str, NDArray[np.bool_]], levels: int) -> list[Group]:
    """The groups that have a judgment."""
    return [
        Group(name, int(which.sum()), (counts / counts.sum()).tolist())
        for name, which in groups.items()
        if which.any()
        for counts in [np.bincount(given[which], minlength=levels)]
    ]


def says(found: Found) -> Iterator[str]:
    shares = ", ".join(f"{level.level} {percent(level.share)}" for level in found.levels)
    judgments = sum(level.judgments for level in found.levels)
    yield f"{count(judgments, 'judgment')} by level, from the lowest: {shares}."
    if unused := [level.level for level in found.levels if not level.judgments]:
        yield f"Nobody has given {' or '.join(unused)}."


def figure(found: Found) -> Figure:
    rows = found.levels
    most = max(rows, key=lambda level: level.share)
    across = plots.axis("share", "share of all judgments", domain=(0, most.share), percent=True)
    chart = plots.mark("rect", "levels", x=across, y=plots.names("level", found.names), size=20)
    return Figure(
        "levels",
        f"The level given most is {most.level}: {percent(most.share)} of all judgments",
        "Levels from the lowest to the highest, by their share of all judgments.",
        plots.sized(chart, 28 * len(rows), plots.WIDTH - 60),
        {"levels": drawn(rows, "level share")},
        Level,
        rows,
        reading="Look for one that hardly anybody gives, and for one that nearly all documents "
        "share: it tells none of them apart.",
    )


def tables(found: Found) -> Iterator[Table]:
    if found.by_role:
        yield _table(found, "role", found.by_role, *OF_ROLES)
    yield _table(found, "topic", found.by_topic, "Levels by topic")
    if found.by_label:
        yield _table(found, "label", found.by_label, *OF_LABELS)


def _table(found: Found, by: str, groups: Sequence[Group], says: str, note: str = "") -> Table:
    rows: list[Row] = [(group.name, group.judgments, *group.shares) for group in groups]
    notes = (f"Shares of the judgments of a row. {note}".strip(),)
    return Table(f"by-{by}", says, (by, "judgments", *found.names), rows, notes)


ANALYSIS = Analysis(
    "levels_given", "Which levels do workers give?", analyse, fits=graded, titled=True
)
