import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import DatabaseError, connection

BATCH = 4 << 20  # characters of rows that are copied at a time
_CHUNK = 1 << 16
_CELL = 8  # characters, about: a number, or a time


class _Stream(io.TextIOBase):
    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self._rows = iter(rows)
        self._ready = ""
        self.fault: Exception | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> str:
        wanted = _CHUNK if size is None or size < 0 else size
        if not self._ready:
            try:
                self._ready = self._next(wanted)
            except Exception as fault:
                self.fault = fault
                raise
        text, self._ready = self._ready[:wanted], self._ready[wanted:]
        return text

    def _next(self, wanted: int) -> str:
        out = io.StringIO()
        for row in self._rows:
            cells = ("\\N" if cell is None else _escaped(str(cell)) for cell in row)
            out.write("\t".join(cells) + "\n")
            if out.tell() >= wanted:
                break
        return out.getvalue()


def array_of(values: Iterable[Any]) -> str:
    """As text of PostgreSQL; no value may be None."""
    quoted = (str(value).replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"


def _escaped(text: str) -> str:
    for plain, written in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, written)
    return text


def in_batches(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    batch, size = [], 0
    for row in rows:
        batch.append(row)
        size += sum(len(cell) if isinstance(cell, str) else _CELL for cell in row)
        if size > BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def copy_rows(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Append `rows` to `table`, a few in memory at a time; returns their number. None is NULL.

    What `rows` raises is raised as it is, not as the driver's report of it. The connection is taken
    meanwhile: rows whose making queries the database are copied `in_batches`.
    """
    stream = _Stream(rows)
    names = ", ".join(map(connection.ops.quote_name, columns))
    copy = f"COPY {table} ({names}) FROM STDIN"
    with connection.cursor() as cursor:
        try:
            with connection.wrap_database_errors:
                cursor.copy_expert(copy, stream, _CHUNK)
        except DatabaseError:
            if stream.fault:
                raise stream.fault from None
            raise
        return int(cursor.rowcount)


def to_hex(packed: bytes) -> str:
    return "\\x" + packed.hex()
