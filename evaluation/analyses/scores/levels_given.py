"""Which levels of a graded scale workers gave: how often, on which topics, at which labels.

**Shows**, for a study with levels, how often each level is assigned: overall, to anchors and
others, by topic, and by the documents' labels.

**Computed**: shares of judgments.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.scores.extremes import roles
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, percent
from evaluation.study.applies_to import graded
from evaluation.study.data import Ints, StudyData
from evaluation.study.label_levels import TOO_MANY, U, name_of
from magnitudes.files.words import count

GROUPS = {  # by column: the title, and what the shares show besides
    "role": (
        "Levels of anchors and of others",
        "Every completed unit gave the relevant anchor a higher level than the irrelevant one: a "
        "check sees to that.",
    ),
    "topic": ("Levels by topic", ""),
    "label": (
        "Levels by label",
        "Look for rows whose largest share is far from the label, and for two rows alike.",
    ),
}
Groups = Mapping[str, NDArray[np.bool_]]  # by name: which judgments are of it, (n,)


@analysis("Which levels do workers give?", applies_to=graded, titled=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Shares of the levels of all judgments, by role, by topic, and by the documents' labels."""
    judgments, names = data.judgments, data.study.levels
    if not judgments.scores.size:
        return Result(["No unit is completed yet: no level is given."])
    given = judgments.scores.astype(np.int64)
    counts = np.bincount(given, minlength=len(names))
    levels = Frame.of(
        level=names,
        judgments=counts,
        share=counts / counts.sum(),
        workers=[len(np.unique(judgments.workers[given == n])) for n in range(len(names))],
    )
    tables = [_table(by, given, groups, names) for by, groups in _groups(data).items() if groups]
    return Result([*_sentences(levels)], [_figure(levels), *tables])


def _groups(data: StudyData) -> dict[str, Groups]:
    """The groups of judgments that a table has a row for, by what they are divided by."""
    items, documents = data.judgments.items, data.documents
    role, topic, labels = np.array(roles(data)), documents.topics[items], documents.labels[items]
    by_label = {name_of(level): labels == level for level in data.levels}
    if by_label:
        by_label[U] = np.isnan(labels)
    return {
        "role": {r: role[items] == r for r in ("H_k", "N_k", "other") if data.has_anchors},
        "topic": {each.query_id: topic == place for place, each in enumerate(data.topics)},
        "label": by_label if len(by_label) <= TOO_MANY + 1 else {},
    }


def _table(by: str, given: Ints, groups: Groups, names: list[str]) -> Table:
    """Shares of the levels among the judgments of each group that has one."""
    title, note = GROUPS[by]
    some = {name: np.bincount(given[which], minlength=len(names)) for name, which in groups.items()}
    rows = [(name, n.sum(), *(n / n.sum())) for name, n in some.items() if n.any()]
    frame = Frame.of_rows([by, "judgments", *names], rows)
    return frame.table(f"by-{by}", title, f"Shares of the judgments of a row. {note}".strip())


def _sentences(levels: Frame) -> Iterator[str]:
    shares = ", ".join(f"{row.level} {percent(row.share)}" for row in levels)
    judgments = count(int(levels["judgments"].sum()), "judgment")
    yield f"{judgments} by level, from the lowest: {shares}."
    if unused := levels["level"][levels["judgments"] == 0].tolist():
        yield f"Nobody has given {' or '.join(unused)}."


def _figure(levels: Frame) -> Figure:
    most = int(np.argmax(levels["share"]))
    name, share = levels["level"][most], levels["share"][most]
    across = plots.axis("share", "share of all judgments", domain=(0, share), percent=True)
    down = plots.names("level", levels["level"].tolist())
    return levels.figure(
        "levels",
        f"The level given most is {name}: {percent(share)} of all judgments",
        "Levels from the lowest to the highest, by their share of all judgments.",
        plots.sized(
            plots.mark("rect", ROWS, x=across, y=down, size=20), 28 * len(levels), plots.WIDTH - 60
        ),
        reading="Look for one that hardly anybody gives, and for one that nearly all documents "
        "share: it distinguishes none of them.",
    )
