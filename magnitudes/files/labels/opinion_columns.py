"""Which columns of a file of opinions are taken for which fields."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile
from magnitudes.files.labels.opinions import FIELDS
from magnitudes.files.parsing.tables import column_name, header_names


@dataclass
class ColumnChoice:
    """The columns that were taken as the files came, to be told afterwards.

    columns: those that are named for a field; gold: the column of gold labels; fields: those that
    are read, and what else files may call them.
    """

    columns: Mapping[str, str]
    gold: str = ""
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=FIELDS.copy)
    sentences: list[str] = field(default_factory=list)  # one for each way that files name columns

    def watch(self, members: Iterable[Member]) -> Iterator[Member]:
        """Pass the files on, noting the columns of each.

        Raises:
            BadFile: of two columns either may be the field, and neither is called as it.
        """
        for member in members:
            sentence = self._sentence(member)
            if sentence and sentence not in self.sentences:
                self.sentences.append(sentence)
            yield member

    def _sentence(self, member: Member) -> str:
        there = header(member.head())
        parts = []
        for name in self.fields:
            candidates = self.candidates(name, there)
            if not candidates:
                continue
            taken, *others = candidates
            if others and name not in (taken, *self.columns):
                raise BadFile(
                    member.name,
                    f"{len(candidates)} columns may be the {name}: {', '.join(candidates)}",
                    f"one of them named by --columns {name}=COLUMN",
                )
            unused = f" (not {', '.join(others)})" if others else ""
            parts.append(f"{name} is {taken}{unused}")
        return ", ".join(parts)

    def candidates(self, name: str, there: list[str]) -> list[str]:
        """The columns that may be a field, the one that is taken first."""
        named = column_name(self.columns.get(name, name))
        elsewhere = {column_name(column) for column in (*self.columns.values(), self.gold)}
        others = [alias for alias in (name, *self.fields[name]) if alias not in {named, *elsewhere}]
        return [column for column in (named, *others) if column in there]


def header(data: bytes) -> list[str]:
    """The columns of a table, from its first bytes; of JSONL the keys of the first object."""
    first = data.decode(errors="replace").lstrip("\ufeff \t\r\n").split("\n", 1)[0]
    if not first.startswith("{"):
        return header_names(first)
    try:
        return [column_name(key) for key in json.loads(first)]
    except (ValueError, RecursionError):  # reading the file says what is wrong
        return []
