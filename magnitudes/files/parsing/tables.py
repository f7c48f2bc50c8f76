"""JSONL, CSV and TSV files as rows of named cells."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from magnitudes.files.errors import Place, shown
from magnitudes.files.limits import LONGEST_RECORD
from magnitudes.files.words import count

# The csv module stops at cells of 128 kB by default; a document's text may be longer. How long a
# whole record may be is checked below.
csv.field_size_limit(2**31 - 1)

_LONGEST_HEADER = 1 << 12

# How a line of JSONL begins; an id may begin with a brace, too.
_OBJECT = re.compile(r'\{\s*+("[^"]*"\s*:|\}?\s*$)')

Row = tuple[int, dict[str, str]]


@dataclass(frozen=True)
class Column:
    """A column: its name, other names it may go by, the first present counting; is it required?"""

    name: str
    aliases: tuple[str, ...] = ()
    required: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


def is_table(data: bytes, columns: Sequence[Column]) -> bool:
    """Whether a file is JSONL, or begins with a header that has all `columns`."""
    return bool(_OBJECT.match(_first_line(data))) or has_header(data, columns)


def has_header(data: bytes, columns: Sequence[Column]) -> bool:
    """Whether a file begins with a header that has all `columns`."""
    cells = set(header_names(_first_line(data)))
    return all(cells.intersection(column.names) for column in columns)


def header_names(line: str) -> list[str]:
    """The names of columns in a header, as they are compared."""
    return [column_name(cell.strip('" \r')) for cell in line.split(_delimiter(line))]


def _delimiter(header: str) -> str:
    """What parts cells: tabs, else commas or, where decimals have commas, semicolons."""
    return "\t" if "\t" in header else max(",;", key=header.count)


def _first_line(data: bytes) -> str:
    text = data[:_LONGEST_HEADER].decode(errors="replace").lstrip("\ufeff \t\r\n")
    return text.split("\n", 1)[0]


def read_rows(
    file: str,
    lines: Iterable[str],
    columns: Sequence[Column],
    headerless: tuple[str, ...] = (),
    *,
    is_closed: bool = False,
) -> Iterator[Row]:
    """Yield (line, {column: cell}) for each row; optional columns not there are empty.

    JSONL holds one object a line; its numbers keep the spelling they have. CSV, with commas or
    semicolons, and TSV begin with a header row; names compare without case, and other columns are
    ignored, or refused where the columns are closed. Cells may be quoted, with quotes doubled
    inside. Where `headerless` names columns, a tab-separated file without a header and with so many
    cells in each row is taken as well, its quotes as they are.

    `line` is where the row begins. Raises BadFile for a row that cannot be read, a missing
    column, or another number of cells than the header has.
    """
    rows = iter(lines)
    skipped = 0
    for line in rows:
        if line.strip():
            break
        skipped += 1
    else:
        return
    everything = _chain(line, rows)
    first = Place(file, skipped + 1)
    if line.lstrip().startswith("{"):
        yield from _json_rows(first, everything, columns, is_closed)
    elif headerless and _lacks_header(line, columns, len(headerless)):
        yield from _bare_rows(first, everything, headerless)
    else:
        yield from _csv_rows(first, everything, columns, _delimiter(line), is_closed)


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def column_name(cell: str) -> str:
    """The name of a column as it is compared."""
    return cell.strip().lower().replace("-", "_")


def _json_rows(
    first: Place, lines: Iterable[str], columns: Sequence[Column], is_closed: bool
) -> Iterator[Row]:
    for number, line in enumerate(lines, first.line):
        if line.strip():
            place = Place(first.file, number)
            record = _json_object(line, place)
            present = {column_name(key): key for key in record}
            keys = _located(present, columns, place, is_closed)
            yield number, {name: _cell(record, key, place) for name, key in keys.items()}


def _json_object(line: str, place: Place) -> dict[str, Any]:
    # Numbers stay text: they are read later, and once, by the same rules as in other formats.
    try:
        record = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
    except json.JSONDecodeError as fault:
        problem = f"not JSON ({fault.msg}, column {fault.pos + 1})"
        raise place.bad(problem, "one JSON object on the line") from fault
    except RecursionError as fault:
        raise place.bad("JSON nested too deep", "one JSON object on the line") from fault
    if not isinstance(record, dict):
        raise place.bad(f"JSON, but a {type(record).__name__}", "one JSON object on the line")
    return record


def _cell(record: dict[str, Any], key: str | None, place: Place) -> str:
    value = "" if key is None or record[key] is None else record[key]
    if not isinstance(value, str):
        raise place.bad(f"{key!r} is a {type(value).__name__}", "text or a number")
    if not _is_text(value):
        raise place.bad(f"{key!r} has a character that is not text", "UTF-8 text")
    return value


def _is_text(value: str) -> bool:
    """Whether no escape in the JSON made a zero byte or half a surrogate pair."""
    try:
        return b"\0" not in value.encode()
    except UnicodeEncodeError:
        return False


def _located(
    present: dict[str, Any], columns: Sequence[Column], place: Place, is_closed: bool
) -> dict[str, Any]:
    """The key or position of each column; None where it is absent."""
    known = {name for column in columns for name in column.names}
    if is_closed and (unknown := [name for name in present if name not in known]):
        raise place.bad(f"a column {shown(unknown[0])}", _described(columns))
    keys = {}
    for column in columns:
        keys[column.name] = next((present[n] for n in column.names if n in present), None)
        if keys[column.name] is None and column.required:
            there = shown(", ".join(present))
            raise place.bad(f"no column {column.name} in {there}", _described(columns))
    return keys


def _described(columns: Sequence[Column]) -> str:
    required = ", ".join(column.name for column in columns if column.required)
    optional = ", ".join(column.name for column in columns if not column.required)
    return f"the columns {required}" + (f" (and perhaps {optional})" if optional else "")


def _lacks_header(line: str, columns: Sequence[Column], cells: int) -> bool:
    values = line.split("\t")
    known = {name for column in columns for name in column.names}
    return len(values) == cells and column_name(values[0]) not in known


def _bare_rows(first: Place, lines: Iterable[str], names: tuple[str, ...]) -> Iterator[Row]:
    for number, line in enumerate(lines, first.line):
        if not line.strip():
            continue
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) != len(names):
            expected = f"{len(names)}, as in the first line: {', '.join(names)}"
            raise Place(first.file, number).bad(count(len(cells), "cell"), expected)
        yield number, dict(zip(names, cells, strict=True))


def _csv_rows(
    first: Place,
    lines: Iterable[str],
    columns: Sequence[Column],
    delimiter: str,
    is_closed: bool,
) -> Iterator[Row]:
    records = _csv_records(first, lines, delimiter)
    _, header = next(records)
    positions = {column_name(cell): position for position, cell in enumerate(header)}
    if len(positions) != len(header):
        raise first.bad("a column name twice in the header", "each column once")
    keys = _located(positions, columns, first, is_closed)
    for number, cells in records:
        if len(cells) != len(header):
            expected = f"{len(header)}, as in the header: {shown(delimiter.join(header))}"
            raise Place(first.file, number).bad(count(len(cells), "cell"), expected)
        yield number, {n: "" if at is None else cells[at] for n, at in keys.items()}


def _csv_records(
    first: Place, lines: Iterable[str], delimiter: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of each record that is not blank."""
    record = _RecordLines(first, lines)
    reader = csv.reader(record, delimiter=delimiter, strict=True)
    while True:
        record.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            expected = "quotes closed, and doubled within a quoted cell"
            raise record.place.bad(f"a cell not as in CSV ({fault})", expected) from fault
        if cells:
            yield record.place.line, cells


class _RecordLines:
    """The lines of a CSV file, counted by records: quotes may hold the ends of lines."""

    def __init__(self, first: Place, lines: Iterable[str]) -> None:
        self.place = first  # where the present record begins
        self._next_line = first.line
        self._lines = iter(lines)
        self._length = 0

    def begin(self) -> None:
        self.place = Place(self.place.file, self._next_line)
        self._length = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._next_line += 1
        self._length += len(line)
        if self._length > LONGEST_RECORD:
            problem = f"a row of more than {LONGEST_RECORD:,} characters"
            raise self.place.bad(problem, "shorter rows, and quotes closed")
        return line
