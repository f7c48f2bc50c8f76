"""The columns of an archive's files: how they are written and read.

A line is a row of a table, as a JSON object. A row names others by their natural keys, and an
assignment, which has none, by its line.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Field, Model
from numpy.typing import NDArray

from judging.collections import vocabulary
from judging.collections.bulk import to_hex
from judging.collections.incoming import CannotImport, check_ids
from judging.flow.ending import new_code
from magnitudes.files.errors import shown
from magnitudes.files.parsing.fields import is_identifier
from workspace.archive import field_values
from workspace.archive.field_values import Invalid

Row = dict[str, Any]
Names = Mapping[str, Mapping[Any, Any]]  # natural keys by table and primary key
Keys = Mapping[str, Mapping[Any, Any]]  # primary keys by table and natural key


@dataclass(frozen=True)
class Column:
    name: str
    is_new = False

    @property
    def sources(self) -> Mapping[str, str]:
        """The names in the file, with their paths in the database."""
        return {self.name: self.name}

    def written(self, value: Any, names: Names) -> Any:
        return field_values.written(value)

    def read(self, row: Row, keys: Keys) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class Stored(Column):
    """A field that is written as it is, with numbers within bounds.

    is_new: older archives lack it; then it has the field's default, or the value of `before`.
    """

    model: type[Model]
    minimum: float = -np.inf
    maximum: float = np.inf
    is_new: bool = False
    before: Any = None

    def read(self, row: Row, keys: Keys) -> Any:
        field = self.model._meta.get_field(self.name)
        assert isinstance(field, Field)  # noqa: S101 - no relation is kept as it is
        if self.is_new and self.name not in row:
            return field.get_default() if self.before is None else self.before
        value = field_values.read(field, row[self.name])
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, int | float) and not self.minimum <= number <= self.maximum:
                raise Invalid(f"{number:g}", f"a number from {self.minimum:g} to {self.maximum:g}")
        return value


@dataclass(frozen=True)
class WithoutPeople(Stored):
    """Details of the trail, in which users are replaced by `somebody`."""

    def written(self, value: Any, names: Names) -> Any:
        if isinstance(value, dict):
            return {name: self.written(part, names) for name, part in value.items()}
        if isinstance(value, list):
            return [self.written(part, names) for part in value]
        return names["people"].get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Computed(Column):
    """A field that is not written, but computed where an archive is read."""

    make: Callable[[Row], Any]
    why: str

    @property
    def sources(self) -> Mapping[str, str]:
        return {}

    def read(self, row: Row, keys: Keys) -> Any:
        return self.make(row)


@dataclass(frozen=True)
class Link(Column):
    """A foreign key, by the natural key of its row. parts: names in the file, with their paths."""

    table: str
    parts: Mapping[str, str]
    optional: bool = False

    @property
    def sources(self) -> Mapping[str, str]:
        return self.parts

    def read(self, row: Row, keys: Keys) -> Any:
        parts = [row[name] for name in self.parts]
        if self.optional and None in parts:
            return None
        return key_of(keys, self.table, parts[0] if len(parts) == 1 else tuple(parts))


def key_of(keys: Keys, table: str, key: Any) -> Any:
    try:
        return keys[table][key]
    except (KeyError, TypeError) as fault:
        raise Invalid(
            f"there is no {shown(str(key))} in {table}.jsonl", "one of its rows"
        ) from fault


@dataclass(frozen=True)
class OfAssignment(Column):
    """By its line."""

    @property
    def sources(self) -> Mapping[str, str]:
        return {self.name: f"{self.name}_id"}

    def written(self, value: Any, names: Names) -> Any:
        return names["assignments"][value]

    def read(self, row: Row, keys: Keys) -> Any:
        return key_of(keys, "assignments", row[self.name])


@dataclass(frozen=True)
class Code(Column):
    """Whether an assignment has earned a completion code, which itself is a secret."""

    @property
    def sources(self) -> Mapping[str, str]:
        return {"paid": self.name}

    def written(self, value: Any, names: Names) -> Any:
        return value is not None

    def read(self, row: Row, keys: Keys) -> Any:
        if not isinstance(row["paid"], bool):
            raise Invalid(f"paid {shown(str(row['paid']))}", "true or false")
        return new_code() if row["paid"] else None


@dataclass(frozen=True)
class Order(Column):
    """The documents of a unit in the order of their pages, by id."""

    def written(self, value: Any, names: Names) -> Any:
        return [names["pool"][key] for key in value]

    def read(self, row: Row, keys: Keys) -> Any:
        ids = row[self.name]
        if not isinstance(ids, list):
            raise Invalid("no list of documents", "the ids of the unit's documents")
        order = [key_of(keys, "pool", (row["topic"], doc_id)) for doc_id in ids]
        unit = key_of(keys, "units", (row["topic"], row["unit"]))
        if sorted(order) != keys["unit_documents"].get(unit):
            raise Invalid(f"{len(order)} documents", "each document of the unit once")
        return order


@dataclass(frozen=True)
class JudgedDocument(Column):
    """The document on the page of a judgment, by id."""

    @property
    def sources(self) -> Mapping[str, str]:
        return {"doc_id": f"{self.name}__doc_id"}

    def read(self, row: Row, keys: Keys) -> Any:
        page, pages = row["position"], key_of(keys, "orders", row["assignment"])
        key, doc_id = pages.get(page if isinstance(page, int) else None, (None, None))
        if doc_id is None or doc_id != row["doc_id"]:
            problem = f"document {shown(str(row['doc_id']))} on page {shown(str(page))}"
            raise Invalid(problem, "the document that stood there")
        return key


@dataclass(frozen=True)
class DocumentIds(Column):
    """The ids of a vocabulary, in the order of their codes."""

    def written(self, value: Any, names: Names) -> Any:
        return vocabulary.unpack(value)

    def read(self, row: Row, keys: Keys) -> Any:
        ids = row[self.name]
        if not isinstance(ids, list) or not all(isinstance(doc_id, str) for doc_id in ids):
            raise Invalid("no list of ids", "the ids of documents as texts")
        try:
            check_ids("document id", ids)
        except (CannotImport, ValueError) as fault:
            raise Invalid(str(fault), "ids of documents") from fault
        if len(set(ids)) < len(ids) or not all(map(is_identifier, ids)):
            raise Invalid("an id that stands twice, is empty or holds a blank", "each id once")
        return to_hex(vocabulary.pack(ids))


@dataclass(frozen=True)
class Packed(Column):
    kind: str

    def written(self, value: Any, names: Names) -> Any:
        return np.frombuffer(value, self.kind).tolist()

    def read(self, row: Row, keys: Keys) -> Any:
        return to_hex(self.numbers(row).astype(self.kind).tobytes())

    def numbers(self, row: Row) -> NDArray[Any]:
        """The numbers of a row: codes and ranks whole and in their bounds, scores finite."""
        value = row[self.name]
        whole = np.dtype(self.kind).kind == "i"
        # numpy would make each number as long as the longest text that stands among them.
        if not isinstance(value, list) or not all(type(each) in (int, float) for each in value):
            raise Invalid(f"{self.name} that are no list of numbers", "a list of numbers")
        numbers = np.array(value)
        if numbers.shape == (0,):
            return numbers.astype(self.kind)
        if numbers.ndim != 1 or numbers.dtype.kind not in ("i" if whole else "if"):
            raise Invalid(f"{self.name} of another type", f"{'whole ' if whole else ''}numbers")
        low, high = (0, np.iinfo(self.kind).max) if whole else (-np.inf, np.inf)
        if not (np.isfinite(numbers).all() and (numbers >= low).all() and (numbers <= high).all()):
            raise Invalid(f"{self.name} out of bounds", f"finite numbers from {low:g} to {high:g}")
        return numbers
