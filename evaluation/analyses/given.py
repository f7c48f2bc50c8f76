"""Which levels of a graded scale workers gave: how often, on which topics, at which labels."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses import plots
from evaluation.analyses.data import Ints, StudyData
from evaluation.analyses.extremes import roles
from evaluation.analyses.level_groups import TOO_MANY, name_of
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, percent
from trec.words import count

Groups = Mapping[str, NDArray[np.bool_]]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Shares of the levels of all judgments, by role, by topic, and by the documents' labels."""
    if not data.raw.size:
        return Analysed(["No unit is completed yet: no level is given."])
    names, given = data.study.levels, data.raw.astype(np.int64)
    everything = np.ones(len(given), dtype=bool)
    shares = _shares(given, everything, len(names))
    parts: list[Figure | Table] = [
        _figure(data, given, shares),
        *([_by_role(data, given)] if data.has_anchors else []),
        _by_topic(data, given),
    ]
    if 0 < len(data.levels) <= TOO_MANY:
        parts.append(_by_label(data, given))
    return Analysed([_says(names, shares, given), *_unused(names, shares)], parts)


def _shares(given: Ints, which: NDArray[np.bool_], levels: int) -> NDArray[np.float64]:
    """The share of each level among some judgments."""
    counts = np.bincount(given[which], minlength=levels)
    return counts / max(counts.sum(), 1)


def _says(names: list[str], shares: NDArray[np.float64], given: Ints) -> str:
    said = ", ".join(f"{name} {percent(share)}" for name, share in zip(names, shares, strict=True))
    return f"The levels of {count(len(given), 'judgment')}, from the lowest: {said}."


def _unused(names: list[str], shares: NDArray[np.float64]) -> Iterator[str]:
    if unused := [name for name, share in zip(names, shares, strict=True) if not share]:
        yield f"Nobody has given {' or '.join(unused)}."


def _figure(data: StudyData, given: Ints, shares: NDArray[np.float64]) -> Figure:
    names = data.study.levels
    workers = [len(np.unique(data.worker_of[given == level])) for level in range(len(names))]
    counts = np.bincount(given, minlength=len(names)).tolist()
    rows: list[Row] = [*zip(names, counts, shares.tolist(), workers, strict=True)]
    most = int(shares.argmax())
    bars = plots.on("levels").mark_bar(color=plots.MARK, aria=False)
    across = plots.x("share", "share of all judgments", domain=(0, shares[most]), format="%")
    return Figure(
        "levels",
        f"The level given most is {names[most]}: {percent(shares[most])} of all judgments",
        "Levels from the lowest to the highest. Look for one that hardly anybody gives, and for "
        "one that nearly all documents share: it tells none of them apart.",
        plots.sized(
            bars.encode(x=across, y=plots.down("level", names)), 28 * len(names), plots.WIDTH - 60
        ),
        {"levels": [{"level": row[0], "share": row[2]} for row in rows]},
        ("level", "judgments", "share", "workers"),
        rows,
    )


def _table(data: StudyData, given: Ints, by: str, groups: Groups, says: str, note: str) -> Table:
    """The shares of the levels among the judgments of each group that has any."""
    levels = data.study.levels
    rows = [
        (name, int(which.sum()), *_shares(given, which, len(levels)).tolist())
        for name, which in groups.items()
        if which.any()
    ]
    notes = (f"Shares of the judgments of a row. {note}".strip(),)
    return Table(f"by-{by}", says, (by, "judgments", *levels), rows, notes)


def _by_role(data: StudyData, given: Ints) -> Table:
    role = np.array(roles(data))[data.items]
    groups = {name: role == name for name in ("H_k", "N_k", "other")}
    note = "Every completed unit gave H_k a higher level than N_k, by check (c)."
    return _table(data, given, "role", groups, "Levels of anchors and of others", note)


def _by_topic(data: StudyData, given: Ints) -> Table:
    topic = data.topic_of_item[data.items]
    groups = {one.query_id: topic == place for place, one in enumerate(data.topics)}
    return _table(data, given, "topic", groups, "Levels by topic", "")


def _by_label(data: StudyData, given: Ints) -> Table:
    labels = data.item_labels[data.items]
    groups = {name_of(level): labels == level for level in data.levels}
    groups["none"] = np.isnan(labels)
    note = "Look for rows whose largest share is far from the label, and for two rows alike."
    return _table(data, given, "label", groups, "Levels by label", note)
