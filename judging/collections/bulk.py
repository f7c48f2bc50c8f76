import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import connection

BATCH = 4 << 20  # characters of rows that are copied at a time
_CELL = 8  # characters, about: a number, or a time
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def array_of(values: Iterable[Any]) -> str:
    """As text of PostgreSQL; no value may be None."""
    quoted = (str(value).replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"


def in_batches(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
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
    """Append `rows` to `table`, a batch in memory at a time; returns their number. None is NULL."""
    names, copied = ", ".join(map(connection.ops.quote_name, columns)), 0
    with connection.cursor() as cursor:
        for batch in in_batches(rows):
            text = "".join("\t".join(map(_as_text, row)) + "\n" for row in batch)
            with connection.wrap_database_errors:
                cursor.copy_expert(f"COPY {table} ({names}) FROM STDIN", io.StringIO(text))
            copied += len(batch)
    return copied


def _as_text(cell: Any) -> str:
    return "\\N" if cell is None else str(cell).translate(_ESCAPES)


def to_hex(packed: bytes) -> str:
    return "\\x" + packed.hex()
