"""What people hand to the public functions, as checked columns: the same from files and memory.

Columns go by the names that files of tables may have (`query_id`, `qid`, `topic`, ...). A table is
a dict of columns, a structured array, or a frame; `{query: {document: number}}` is one, too. Every
error names the table, the row (counted from 0), the column, and what was expected.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from magnitudes.files.containers.archives import open_members
from magnitudes.files.errors import Place, shown
from magnitudes.files.ids import Ids, codes, encoded, has_repeated_pair
from magnitudes.files.parsing.fields import LARGEST_RANK, LONGEST_ID, real
from magnitudes.files.parsing.tables import Column, column_name, read_rows
from magnitudes.files.parsing.text import read_lines
from magnitudes.frames import Columns, columns_of, is_path

Floats = NDArray[np.float64]
Check = tuple[Callable[[Floats], NDArray[np.bool_]], str]  # which numbers are good, in words

FINITE: Check = (np.isfinite, "a finite number")
GAIN: Check = (
    lambda numbers: (numbers == 0) | ((numbers >= 1e-9) & (numbers <= 1e12)),
    "0, or a number from 1e-9 to 1e12 (as a gain, a label below 0 is 0)",
)
RANK: Check = (
    lambda numbers: (numbers >= 0) & (numbers <= LARGEST_RANK) & (numbers == np.floor(numbers)),
    f"a whole number from 0 to {LARGEST_RANK}",
)
MAGNITUDE: Check = (
    lambda numbers: (numbers >= 1e-9) & (numbers <= 1e12),
    "a number from 1e-9 to 1e12",
)


class TableError(ValueError):
    """A table that is not what it should be: where, what is wrong, and what was expected.

    `row` counts from 0; None where the fault concerns the table as a whole.
    """

    def __init__(self, where: str, problem: str, expected: str, row: int | None = None) -> None:
        super().__init__(where, problem, expected, row)
        self.where = where
        self.problem = problem
        self.expected = expected
        self.row = row

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}; expected {self.expected}"


class Table:
    """A table by the names of the columns that are wanted.

    `keys` and `value` are the columns of a nested dict, from the outside to the inside; they also
    say of a row which one it is.
    """

    def __init__(
        self,
        source: Any,
        name: str,
        columns: Sequence[Column],
        keys: Sequence[str],
        value: str,
        numbers: Sequence[str] = (),
    ) -> None:
        self.name = name
        self._keys = keys
        if is_path(source):
            self.given = _from_file(source, columns, numbers=(value, *numbers))
        elif isinstance(source, Mapping) and any(isinstance(v, Mapping) for v in source.values()):
            self.given = _flattened(source, name, (*keys, value))
        else:
            self.given = columns_of(source, name)
        if not self.given or not len(next(iter(self.given.values()))):
            raise TableError(name, "no rows", "at least one")
        present: dict[str, str] = {}
        for name_given in self.given:
            present.setdefault(column_name(str(name_given)), name_given)
        self._columns: Columns = {}
        for column in columns:
            at = next((present[each] for each in column.names if each in present), None)
            if at is not None:
                self._columns[column.name] = self.given[at]
            elif column.required:
                raise self.missing(column)
        self._texts: dict[str, Ids] = {}

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __contains__(self, column: str) -> bool:
        return column in self._columns

    def missing(self, column: Column) -> TableError:
        found = ", ".join(map(str, self.given))
        wanted = f"one called {' or '.join(column.names)}"
        return TableError(self.name, f"no column {column.name}; there are {found}", wanted)

    def bad(self, row: int, column: str, problem: str, expected: str) -> TableError:
        known = [key for key in self._keys if key != column and key in self._texts]
        named = ", ".join(f"{key} {self._texts[key][row].decode()}" for key in known)
        where = f"{self.name}, row {row}{f' ({named})' if named else ''}, column {column}"
        return TableError(where, problem, expected, row)

    def ids(self, column: str) -> Ids:
        """A column of ids: texts, or whole numbers as they are written."""
        if column not in self._texts:
            self._texts[column] = self._encoded(column)
        return self._texts[column]

    def _encoded(self, column: str) -> Ids:
        array = self._columns[column]
        if array.dtype.kind == "O":
            is_id = {kind: _is_id(kind) for kind in set(map(type, array.tolist()))}
            if not all(is_id.values()):
                row = next(n for n, each in enumerate(array.tolist()) if not is_id[type(each)])
                raise self.bad(row, column, shown(str(array[row])), "a text or a whole number")
        elif array.dtype.kind not in "USTiu":
            raise self.bad(0, column, f"{array[0]!s}, {array.dtype}", "a text or a whole number")
        try:
            ids = np.asarray(array.astype(object), dtype=np.bytes_)
        except UnicodeEncodeError:
            ids = encoded(map(str, array.tolist()))
        if ids.itemsize > LONGEST_ID:
            for row in np.flatnonzero(np.strings.str_len(ids) > LONGEST_ID).tolist():
                text = ids[row].decode()
                if len(text) > LONGEST_ID:
                    problem = f"{shown(text)} has {len(text):,} characters"
                    raise self.bad(row, column, problem, f"at most {LONGEST_ID}")
        if not np.strings.str_len(ids).all():
            row = int(np.flatnonzero(np.strings.str_len(ids) == 0)[0])
            raise self.bad(row, column, "nothing", "a text or a whole number")
        return ids

    def numbers(self, column: str, check: Check = FINITE) -> Floats:
        """A column of numbers, all of which are good."""
        array, (is_good, expected) = self._columns[column], check
        if array.dtype.kind == "O":
            for row, each in enumerate(array.tolist()):
                if not isinstance(each, Real | Decimal):
                    raise self.bad(row, column, shown(str(each)), expected)
        elif array.dtype.kind not in "biuf":
            raise self.bad(0, column, shown(str(array[0])), expected)
        numbers = array.astype(np.float64)
        bad = np.flatnonzero(~is_good(numbers))
        if bad.size:
            row = int(bad[0])
            raise self.bad(row, column, str(numbers[row]), expected)
        return numbers

    def refuse_repeated(self, *columns: str) -> None:
        """TableError where two rows are the same by some columns."""
        if not self._repeats(*columns):
            return
        seen: dict[tuple[bytes, ...], int] = {}
        for row, key in enumerate(
            zip(*(self.ids(column).tolist() for column in columns), strict=True)
        ):
            if (first := seen.setdefault(key, row)) != row:
                problem = f"{shown(key[-1].decode())} again, as in row {first}"
                raise self.bad(row, columns[-1], problem, f"each {' and '.join(columns)} once")

    def _repeats(self, *columns: str) -> bool:
        *outer, last = columns
        left = np.zeros(len(self), np.int64)
        for column in outer:
            each, names = codes(self.ids(column))
            left = left * len(names) + each
        left = np.unique(left, return_inverse=True)[1]
        return has_repeated_pair(left.astype(np.int32), self.ids(last))


def _is_id(kind: type) -> bool:
    return issubclass(kind, str | int | np.integer) and kind is not bool


def _flattened(nested: Mapping[Any, Any], name: str, names: Sequence[str]) -> Columns:
    """{a: {b: number}} as columns; `names` are those of a, b and the number."""
    if len(names) == 2:
        return dict(zip(names, map(_objects, (nested.keys(), nested.values())), strict=True))
    parts = []
    for key, inner in nested.items():
        if not isinstance(inner, Mapping):
            *outer, last, number = names[1:]
            expected = "".join(f"{{{each}: " for each in (*outer, last)) + number
            expected += "}" * (len(names) - 2)
            raise TableError(f"{name}, {names[0]} {key}", shown(str(inner)), expected)
        parts.append(_flattened(inner, f"{name}, {names[0]} {key}", names[1:]))
    sizes = [len(part[names[-1]]) for part in parts]
    columns = {names[0]: np.repeat(_objects(nested), sizes)}
    return columns | {each: np.concatenate([part[each] for part in parts]) for each in names[1:]}


def _objects(values: Any) -> NDArray[Any]:
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array


def _from_file(source: Any, columns: Sequence[Column], numbers: Sequence[str]) -> Columns:
    """The wanted columns of a CSV, TSV or JSONL file, some as numbers, NaN where empty."""
    rows: list[dict[str, Any]] = []
    for member in open_members([source]):
        for line, row in read_rows(member.name, read_lines(member), columns):
            place = Place(member.name, line)
            of_row: dict[str, Any] = {name: cell.strip() for name, cell in row.items()}
            for name in numbers:
                if text := of_row.get(name):
                    of_row[name] = real(text, name, place)
            rows.append(of_row)
    names = [name for name in (rows[0] if rows else ()) if any(row[name] != "" for row in rows)]
    return {
        name: np.array(
            [np.nan if row[name] == "" and name in numbers else row[name] for row in rows]
        )
        for name in names
    }
