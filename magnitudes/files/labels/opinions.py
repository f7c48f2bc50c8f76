"""Opinions: labels that several people gave the same documents, as rows of a table."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place, shown
from magnitudes.files.labels.scales import MISSING, Magnitudes, Scale
from magnitudes.files.parsing.fields import LONGEST_ID, UNPRINTABLE, identifier, refuse_long
from magnitudes.files.parsing.tables import Column, column_name, read_rows
from magnitudes.files.parsing.text import read_lines

GOLD = "gold"  # who gave the labels of a gold column
LONGEST_ASPECT = 40
# The fields of an opinion, and what else a file may call them.
FIELDS = {
    "worker": ("worker_id", "workerid", "assessor", "assessor_id", "annotator", "annotator_id"),
    "query_id": ("queryid", "topic", "topic_id", "topicid", "query", "qid", "num", "number"),
    "doc_id": ("docid", "docno", "document", "document_id", "documentid"),
    "label": ("relevance", "rel", "level", "grade", "score"),
    "aspect": (),
    "occasion": (),
}
GROUP = {"group": ("unit",)}  # where scores of different groups are on different scales
OPTIONAL = ("aspect", "occasion", *GROUP)
Codes = npt.NDArray[np.int64]
_UNPRINTABLE = re.compile(UNPRINTABLE)


@dataclass(frozen=True, eq=False)
class Opinions:
    """Who gave which level to which document, in the order of the files, a gold column last.

    workers, pairs (topic, document), aspects, occasions and groups are listed by first appearance;
    of each opinion `worker_of`, `pair_of` and so on, of shape (n,), are places there. levels: (n,),
    from 0, the lowest; -1 for none. missing: the labels that are no level, as written, and how many
    there are of each. golds: how many opinions are from a gold column.

    Of magnitudes, scores: (n,), NaN for none; levels then only tell them apart. Scores that a
    worker gave in one group on one topic are on one scale.
    """

    workers: list[str]
    pairs: list[tuple[str, str]]
    aspects: list[str]
    occasions: list[str]
    groups: list[str]
    worker_of: Codes
    pair_of: Codes
    levels: Codes
    aspect_of: Codes
    occasion_of: Codes
    group_of: Codes
    missing: Counter[str] = field(default_factory=Counter)
    golds: int = 0
    scores: npt.NDArray[np.float64] | None = None  # None: levels were given

    def __len__(self) -> int:
        return len(self.levels)

    def of_aspect(self, aspect: str) -> "Opinions":
        """Those on one aspect alone, of all workers, pairs and occasions."""
        is_on_it = self.aspect_of == self.aspects.index(aspect)
        columns = ("worker_of", "pair_of", "levels", "aspect_of", "occasion_of", "group_of")
        chosen = {name: getattr(self, name)[is_on_it] for name in columns}
        scores = None if self.scores is None else self.scores[is_on_it]
        return replace(self, **chosen, scores=scores)

    def rows(self) -> Iterator[tuple[str, str, str, float, str, str]]:
        """(query_id, doc_id, worker, level or score, aspect, occasion), opinion by opinion.

        -1 stands for no level, and for no score.
        """
        values = self.levels if self.scores is None else np.nan_to_num(self.scores, nan=MISSING)
        columns = (self.pair_of, self.worker_of, values, self.aspect_of, self.occasion_of)
        for pair, worker, value, aspect, occasion in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            yield (
                *self.pairs[pair],
                self.workers[worker],
                value,
                self.aspects[aspect],
                self.occasions[occasion],
            )


def read_opinions(
    members: Iterable[Member],
    scale: Scale,
    columns: Mapping[str, str] | None = None,
    gold: str = "",
) -> Opinions:
    """Read the opinions of all `members` together: JSONL, or CSV or TSV with a header.

    columns: what the files call a field, where it is none of the names in `FIELDS`. gold: a column
    with an expert's label of the row's document, often repeated. It counts as one more opinion of
    the document, by the worker `gold`; a label that is no level is none.

    Raises:
        BadFile: a row that cannot be read, an odd id, a label that should not be there, two gold
            labels for one document, no opinion at all.
    """
    reader = _Reader(scale, columns or {}, gold)
    names = []
    for member in members:
        names.append(member.name)
        for line, row in read_rows(member.name, read_lines(member), reader.columns):
            reader.add(row, Place(member.name, line))
    if not reader.levels:
        raise BadFile(", ".join(names) or "opinions", "no opinions", "at least one")
    return reader.opinions()


def fields_of(scale: Scale) -> dict[str, tuple[str, ...]]:
    """The fields that are read, and what else files may call them."""
    return FIELDS | GROUP if scale.has_groups else FIELDS


class _Listed(dict[str, int]):
    """Texts and their places, by first appearance; a new one is checked."""

    def __init__(self, what: str, longest: int = LONGEST_ID) -> None:
        super().__init__()
        self._what, self._longest = what, longest

    def place_of(self, text: str, place: Place) -> int:
        if (known := self.get(text)) is not None:
            return known
        refuse_long(text, self._what, place, self._longest)
        if _UNPRINTABLE.search(text):
            raise place.bad(f"a control character in the {self._what} {shown(text)}", "none")
        return self.setdefault(text, len(self))


class _Reader:
    """Rows, gathered as columns of codes."""

    def __init__(self, scale: Scale, names: Mapping[str, str], gold: str) -> None:
        self._scale, self._gold = scale, column_name(gold)
        fields = fields_of(scale)
        self._name = {what: column_name(names.get(what, what)) for what in fields}
        also = {"label": scale.columns}
        self.columns = [
            Column(
                self._name[what],
                () if what in names else (*also.get(what, ()), *aliases),
                required=what in names or what not in OPTIONAL,
            )
            for what, aliases in fields.items()
        ]
        if gold:
            self.columns.append(Column(self._gold))
        self._workers = _Listed("worker")
        self._topics, self._documents = _Listed("query_id"), _Listed("doc_id")
        self._aspects = _Listed("aspect", LONGEST_ASPECT)
        self._occasions = _Listed("occasion", LONGEST_ASPECT)
        self._groups = _Listed("group")
        self._pairs: dict[tuple[str, str], int] = {}
        self._golds: dict[tuple[int, int], tuple[int, Place]] = {}
        self._missing: Counter[str] = Counter()
        self._of = [array("q") for _ in range(5)]  # workers, pairs, aspects, occasions, groups
        self.levels = array("q")

    def add(self, row: dict[str, str], place: Place) -> None:
        """One row of a file."""
        cell = {what: row[name].strip() for what, name in self._name.items()}
        if not cell["worker"]:
            raise place.bad("the worker is empty", "an id")
        if self._gold and cell["worker"] == GOLD:
            raise place.bad(f"a worker {GOLD}, as labels of a gold column go", "another name")
        pair = self._pair(cell["query_id"], cell["doc_id"], place)
        aspect = self._aspects.place_of(cell["aspect"], place)
        level = self._scale.level_of(cell["label"], place)
        if level == MISSING:
            self._missing[cell["label"]] += 1
        worker = self._workers.place_of(cell["worker"], place)
        occasion = self._occasions.place_of(cell["occasion"], place)
        group = self._groups.place_of(cell.get("group", ""), place)
        self._append(level, worker, pair, aspect, occasion, group)
        if self._gold:
            self._note_gold(row[self._gold], pair, aspect, place)

    def _pair(self, query_id: str, doc_id: str, place: Place) -> int:
        if (known := self._pairs.get((query_id, doc_id))) is not None:
            return known
        self._topics.place_of(identifier(query_id, "query_id", place), place)
        self._documents.place_of(identifier(doc_id, "doc_id", place), place)
        return self._pairs.setdefault((query_id, doc_id), len(self._pairs))

    def _append(self, level: int, *places: int) -> None:
        for codes, place in zip(self._of, places, strict=True):
            codes.append(place)
        self.levels.append(level)

    def _note_gold(self, text: str, pair: int, aspect: int, place: Place) -> None:
        level = self._scale.level_of(text, place, strict=False)
        if level == MISSING:
            return
        known, where = self._golds.setdefault((pair, aspect), (level, place))
        if known != level:
            at = f"line {where.line}"
            at = at if where.file == place.file else f"{where.file}, {at}"
            raise place.bad(
                f"the gold label {shown(text)} is another than in {at}", "one a document"
            )

    def opinions(self) -> Opinions:
        """All that was read."""
        if self._golds:
            place = next(iter(self._golds.values()))[1]
            gold, never = self._workers.place_of(GOLD, place), self._occasions.place_of("", place)
            alone = self._groups.place_of("", place)
            for (pair, aspect), (level, _) in self._golds.items():
                self._append(level, gold, pair, aspect, never, alone)
        workers, pairs, aspects, occasions, groups = (np.array(codes) for codes in self._of)
        levels = np.array(self.levels)
        return Opinions(
            list(self._workers),
            list(self._pairs),
            list(self._aspects),
            list(self._occasions),
            list(self._groups),
            workers,
            pairs,
            levels,
            aspects,
            occasions,
            groups,
            self._missing,
            len(self._golds),
            self._scale.numbers_of(levels) if isinstance(self._scale, Magnitudes) else None,
        )
