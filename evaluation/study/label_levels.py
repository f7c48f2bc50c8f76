"""Many label sets contain relevant documents only, and in others some pooled documents have no
label. Judged documents without a label form a separate group, **U (unlabelled)**, in every chart
by level, whatever they count as.

The setting `unlabelled_as_zero` of a study (*Unlabelled documents count as 0*, in the step
*Settings*) is off by default, and can be changed at any time. With it these documents count as 0,
as in tools that read qrels, in three respects:

- *pairs* of documents that are compared with the labels: `labels`, `label_sets`, `schemes`,
  `topics`, and the pages of topics. In `labels` U is listed with the levels, just below 0;
- *orders of systems* by labels: `rankings`, `subruns`, `resampling`, `widths`, `users`;
- *gains of labels*: `mappings`.

Anchors without a label never count as 0. Where the setting affects pairs, all pairs with an anchor
are left out, because check (c) forces their order. On a topic without any label no document counts.
The number of documents that count as 0 is given in the text of each analysis and beside its figures
and tables, on the overview, on the page *Replication* and in the methods of the report. For nDCG
and ERR a document of level 0 is worth as much as one without a label; what changes there are the
shares of labelled documents, which lists are fully labelled, and which units agree best.

The setting affects nothing else: not `differences`, which shows documents that fit another level,
not anchors and checks, and not artificial workers.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from evaluation.study.data import Floats, Ints, Mask, StudyData
from judging.models import Study
from magnitudes.files.words import count
from magnitudes.scaling.groups import as_table

TOO_MANY = 20  # levels to be compared in pairs
HIGHEST = 10  # the top level of a scale that is shown
U = "U (unlabelled)"  # the group of judged documents without a label, whatever they count as
U_BELOW, U_SHORT = "U|(unlabelled)", "U"  # below its box, and where there is less room
OF_U = " U: unlabelled, documents without a label."
_NAME = str(Study._meta.get_field("unlabelled_as_zero").verbose_name)
SETTING = f"{_NAME[0].upper()}{_NAME[1:]}"  # as forms call it


class Judged(NamedTuple):
    """The judged pairs: gain, place of the level among the levels (U: the last), topic."""

    items: Ints
    gains: Floats
    level: Ints
    topic: Ints


class Pair(NamedTuple):
    """Two levels, by place: how many topics have both, and where their medians are out of order."""

    lower: int
    higher: int
    topics: int
    out: Ints

    @property
    def adjacent(self) -> bool:
        return self.higher == self.lower + 1


class LabelledUnits(NamedTuple):
    """Scores and labels (NaN: none) of all units, (u, s), and on which page each has its N_k.

    Of units of different sizes s is the largest: the rest of a row is scores of 1 without a label.
    """

    scores: Floats
    labels: Floats
    n_k: Ints  # (u,), pages from 0
    is_anchor: Mask
    is_unlabelled: Mask  # of a document in U


def too_many(data: StudyData) -> str:
    return f"The labels have {len(data.levels):,} levels, too many to compare one with another."


def why_no_pair(data: StudyData, otherwise: str) -> str:
    """Why no two documents have different labels; otherwise: where labels have several levels."""
    levels = data.with_zeros.levels
    if len(levels) != 1:
        return otherwise
    one = (
        f"The labels “{data.label_set}” of judged documents have one level, {name_of(levels[0])}: "
        "no two documents differ in it."
    )
    return " ".join([one, *may_count(data)])


def may_count(data: StudyData) -> Iterator[str]:
    """Where judged documents without a label are left out, which setting takes them in."""
    if data.unlabelled and not data.study.unlabelled_as_zero:
        documents = count(data.unlabelled, "judged document has", "judged documents have")
        yield f"{documents} no label; the study’s setting “{SETTING}” would take them in."


def name_of(level: float) -> str:
    return f"{level:.12g}"


def names(data: StudyData) -> list[str]:
    """The levels, and U."""
    return [*map(name_of, data.levels), U]


def called(rows: Iterable[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    """Rows of boxes by level, as a chart is drawn on them, with another name for U."""
    return [{**row, "level": name if row["level"] == U else row["level"]} for row in rows]


def judged(data: StudyData) -> Judged:
    documents = data.documents
    items = np.flatnonzero(~np.isnan(documents.gains))
    # NaN, which is no label, comes after all levels.
    level = np.searchsorted([*data.levels, np.nan], documents.labels[items])
    return Judged(items, documents.gains[items], level, documents.topics[items])


def used(data: StudyData, documents: Judged) -> list[str]:
    """The names of those levels that some document has."""
    return [name for place, name in enumerate(names(data)) if (documents.level == place).any()]


def pairs(medians: Floats) -> Iterator[Pair]:
    """Every pair of levels that some topic has both of; medians: (topics, levels)."""
    for higher in range(1, medians.shape[1]):
        for lower in range(higher):
            both = ~np.isnan(medians[:, lower] + medians[:, higher])
            out = medians[:, higher] < medians[:, lower]
            if both.any():
                yield Pair(lower, higher, int(both.sum()), np.flatnonzero(out))


def top(data: StudyData) -> int:
    """The top level of the scale, used or not; 0 where no topic has a label."""
    return int(_all_levels(data).max(initial=0))


def why_no_scale(data: StudyData) -> str:
    """Why the labels are no scale that gains can be looked at on; empty where they are."""
    if not len(data.units):
        return "No unit is completed yet."
    if not data.levels:
        return "No judged document has a label: there is no level to look at."
    levels = _all_levels(data)
    if (levels % 1 != 0).any():
        return "Labels are not whole numbers: they are no scale of levels from 0."
    if levels.max() > HIGHEST:
        return f"Labels go up to {levels.max():,.0f}; scales up to {HIGHEST} are shown."
    return ""


def _all_levels(data: StudyData) -> Floats:
    """Of every label of the topics, of documents outside the pools too."""
    return np.concatenate([np.empty(0), *(topic.labelled.levels for topic in data.topics)])


def units(data: StudyData) -> LabelledUnits:
    """Every unit of the study; scores as given, since ratios within a unit are the same."""
    items, of_unit = data.judgments.items, data.judgments.units
    return LabelledUnits(
        as_table(data.judgments.scores, of_unit, empty=1),
        as_table(data.documents.labels[items], of_unit, empty=np.nan),
        np.concatenate([(topic.places == topic.n_k).argmax(axis=1) for topic in data.topics]),
        as_table(data.documents.is_anchor[items].astype(float), of_unit, empty=0) > 0,
        as_table(np.isnan(data.documents.labels[items]).astype(float), of_unit, empty=0) > 0,
    )
