"""Opinions: labels that several people gave the same documents, as rows of a table."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from trec.archives import Member
from trec.errors import BadFile, Place, shown
from trec.fields import LONGEST_ID, UNPRINTABLE, identifier, is_number
from trec.tables import Column, column_name, read_rows
from trec.text import read_lines
from trec.words import count

MISSING = -1
GOLD = "gold"  # who gave the labels of a gold column
LONGEST_ASPECT = 40
HIGHEST = 100  # level of a scale without names
# The fields of an opinion, and what else a file may call them.
FIELDS = {
    "worker": ("worker_id", "workerid", "assessor", "assessor_id", "annotator", "annotator_id"),
    "query_id": ("queryid", "topic", "topic_id", "topicid", "query", "qid", "num", "number"),
    "doc_id": ("docid", "docno", "document", "document_id", "documentid"),
    "label": ("relevance", "rel", "level", "grade", "score"),
    "aspect": (),
    "occasion": (),
}
OPTIONAL = ("aspect", "occasion")
Codes = npt.NDArray[np.int64]
_UNPRINTABLE = re.compile(UNPRINTABLE)


class BadScale(ValueError):
    """Names and values of levels that do not go together."""


class Scale:
    """How files write the levels of a scale: by name or by value.

    levels: their names, lowest first, different ones. values: how else files write them; the names
    where all are numbers, else 0, 1, 2 and so on, if none are given. missing: the labels that stand
    for no level, every other label being a fault; None: whatever is no level is missing.

    Names compare without case, numbers by what they are worth: 1.0 is 1.

    columns: what a label's column may be called beside the names in `FIELDS`, and before these.

    Raises:
        BadScale: as many values as levels are wanted, each for one level, and none missing; names
            that are all numbers ascend.
    """

    columns: tuple[str, ...] = ()

    def __init__(
        self,
        levels: Sequence[str],
        values: Sequence[str] = (),
        missing: Iterable[str] | None = None,
    ) -> None:
        if not values:
            numbers = all(is_number(name.strip()) for name in levels)
            values = levels if numbers else [str(place) for place in range(len(levels))]
        if len(values) != len(levels):
            raise BadScale(
                f"{count(len(values), 'value')}; expected {len(levels)}, one for each level"
            )
        self._level_of: dict[str, int] = {}
        for texts in (levels, values):
            for level, text in enumerate(texts):
                if self._level_of.setdefault(_canonical(text), level) != level:
                    raise BadScale(
                        f"{shown(text)} stands for two levels; expected different names and values"
                    )
        if fault := out_of_order(levels):
            raise BadScale(fault)
        written = {_canonical(text): text.strip() for text in missing or ()}
        self._missing = None if missing is None else written.keys()
        if both := written.keys() & self._level_of.keys():
            raise BadScale(f"{shown(min(both))} is a level; expected other labels as missing")
        self._wanted = f"one of {', '.join(dict.fromkeys([*levels, *values]))}"
        if self._missing is not None:
            self._wanted += f"; or, for none, {', '.join(sorted(written.values()))}"
        self.size = len(levels)

    def level_of(self, text: str, place: Place, *, strict: bool = True) -> int:
        """The level of a label; -1 for none. BadFile for what should be neither, if `strict`."""
        label = _canonical(text)
        level = self._level_of.get(label, MISSING)
        if strict and level == MISSING and self._missing is not None and label not in self._missing:
            raise place.bad(f"the label {shown(text)}", self._wanted)
        return level


class PositiveNumbers(Scale):
    """Labels that are positive numbers, still to be cut into levels.

    What stands for a level is a place in `values`, the numbers by first appearance. An empty label
    is missing. They are read from a column `normalised`, as exported magnitudes have it, before one
    that is known by another name than `label`.
    """

    columns = ("normalised",)

    def __init__(self) -> None:
        super().__init__(())
        self._places: dict[float, int] = {}

    @property
    def values(self) -> list[float]:
        return list(self._places)

    def level_of(self, text: str, place: Place, *, strict: bool = True) -> int:
        text = text.strip()
        if is_number(text) and (value := float(text)) > 0:
            return self._places.setdefault(value, len(self._places))
        if strict and text:
            raise place.bad(f"the label {shown(text)}", "a positive number, or nothing")
        return MISSING


class WholeNumbers(Scale):
    """Levels written as 0, 1, 2 and so on; `size` goes up to the highest that was read.

    An empty label is missing.
    """

    def __init__(self) -> None:
        super().__init__([str(level) for level in range(HIGHEST + 1)], missing=[""])
        self._wanted = f"a whole number from 0 to {HIGHEST}, or nothing"
        self.size = 0

    def level_of(self, text: str, place: Place, *, strict: bool = True) -> int:
        level = super().level_of(text, place, strict=strict)
        self.size = max(self.size, level + 1)
        return level


def out_of_order(levels: Sequence[str]) -> str:
    """What is wrong with names of levels that are all numbers, but do not ascend; "" if nothing is.

    >>> out_of_order(["2", "1", "0"])
    'level 2 stands before level 1; expected the lowest first, as all are numbers'
    >>> out_of_order(["none", "1", "0"])
    ''
    """
    names = [name.strip() for name in levels]
    if all(map(is_number, names)):
        for name, after in pairwise(names):
            if float(name) > float(after):
                return (
                    f"level {name} stands before level {after}; expected the lowest first, as all "
                    "are numbers"
                )
    return ""


def _canonical(text: str) -> str:
    text = text.strip()
    return repr(float(text) + 0.0) if is_number(text) else text.casefold()


@dataclass(frozen=True, eq=False)
class Opinions:
    """Who gave which level to what, in the order of the files, those of a gold column last.

    workers, pairs (topic, document), aspects and occasions are listed by first appearance; of each
    opinion `worker_of`, `pair_of`, `aspect_of` and `occasion_of`, of shape (n,), are places there.
    levels: (n,), from 0, the lowest; -1 for none. missing: the labels that are no level, as
    written, and how many there are of each. golds: how many opinions are from a gold column.
    """

    workers: list[str]
    pairs: list[tuple[str, str]]
    aspects: list[str]
    occasions: list[str]
    worker_of: Codes
    pair_of: Codes
    levels: Codes
    aspect_of: Codes
    occasion_of: Codes
    missing: Counter[str] = field(default_factory=Counter)
    golds: int = 0

    def __len__(self) -> int:
        return len(self.levels)

    def of_aspect(self, aspect: str) -> "Opinions":
        """Those on one aspect alone, of all workers, pairs and occasions."""
        kept = self.aspect_of == self.aspects.index(aspect)
        of = ("worker_of", "pair_of", "levels", "aspect_of", "occasion_of")
        return replace(self, **{name: getattr(self, name)[kept] for name in of})

    def rows(self) -> Iterator[tuple[str, str, str, int, str, str]]:
        """(query_id, doc_id, worker, level, aspect, occasion), opinion by opinion."""
        of = (self.pair_of, self.worker_of, self.levels, self.aspect_of, self.occasion_of)
        for pair, worker, level, aspect, occasion in zip(*(a.tolist() for a in of), strict=True):
            yield (
                *self.pairs[pair],
                self.workers[worker],
                level,
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
    found = _Reader(scale, columns or {}, gold)
    names = []
    for member in members:
        names.append(member.name)
        for line, row in read_rows(member.name, read_lines(member), found.columns):
            found.add(row, Place(member.name, line))
    if not found.levels:
        raise BadFile(", ".join(names) or "opinions", "no opinions", "at least one")
    return found.opinions()


class _Listed(dict[str, int]):
    """Texts and their places, by first appearance; a new one is checked."""

    def __init__(self, what: str, longest: int = LONGEST_ID) -> None:
        super().__init__()
        self._what, self._longest = what, longest

    def place_of(self, text: str, place: Place) -> int:
        if (found := self.get(text)) is not None:
            return found
        if len(text) > self._longest:
            problem = f"the {self._what} {shown(text)} has {len(text)} characters"
            raise place.bad(problem, f"at most {self._longest}")
        if _UNPRINTABLE.search(text):
            raise place.bad(f"a control character in the {self._what} {shown(text)}", "none")
        return self.setdefault(text, len(self))


class _Reader:
    """Rows, gathered as columns of codes."""

    def __init__(self, scale: Scale, names: Mapping[str, str], gold: str) -> None:
        self._scale, self._gold = scale, column_name(gold)
        self._name = {what: column_name(names.get(what, what)) for what in FIELDS}
        also = {"label": scale.columns}
        self.columns = [
            Column(
                self._name[what],
                () if what in names else (*also.get(what, ()), *aliases),
                required=what in names or what not in OPTIONAL,
            )
            for what, aliases in FIELDS.items()
        ]
        if gold:
            self.columns.append(Column(self._gold))
        self._workers = _Listed("worker")
        self._topics, self._documents = _Listed("query_id"), _Listed("doc_id")
        self._aspects = _Listed("aspect", LONGEST_ASPECT)
        self._occasions = _Listed("occasion", LONGEST_ASPECT)
        self._pairs: dict[tuple[str, str], int] = {}
        self._golds: dict[tuple[int, int], tuple[int, Place]] = {}
        self._missing: Counter[str] = Counter()
        self._of = [array("q") for _ in range(4)]  # workers, pairs, aspects, occasions
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
        self._append(worker, pair, aspect, occasion, level)
        if self._gold:
            self._note_gold(row[self._gold], pair, aspect, place)

    def _pair(self, query_id: str, doc_id: str, place: Place) -> int:
        if (found := self._pairs.get((query_id, doc_id))) is not None:
            return found
        self._topics.place_of(identifier(query_id, "query_id", place), place)
        self._documents.place_of(identifier(doc_id, "doc_id", place), place)
        return self._pairs.setdefault((query_id, doc_id), len(self._pairs))

    def _append(self, worker: int, pair: int, aspect: int, occasion: int, level: int) -> None:
        for codes, code in zip(self._of, (worker, pair, aspect, occasion), strict=True):
            codes.append(code)
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
            for (pair, aspect), (level, _) in self._golds.items():
                self._append(gold, pair, aspect, never, level)
        workers, pairs, aspects, occasions = (np.array(codes) for codes in self._of)
        return Opinions(
            list(self._workers),
            list(self._pairs),
            list(self._aspects),
            list(self._occasions),
            workers,
            pairs,
            np.array(self.levels),
            aspects,
            occasions,
            self._missing,
            len(self._golds),
        )
