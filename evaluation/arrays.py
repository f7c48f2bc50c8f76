"""A row with long arrays into PostgreSQL, in binary: as words, numbers take most of the time.

The forms are those of COPY, and of an array within it.
"""

import io
import struct
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from django.db import connection
from numpy.typing import NDArray

Value: TypeAlias = int | float | NDArray[Any] | None

SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = struct.pack(">h", -1)
NULL = struct.pack(">i", -1)
TYPES = {"i4": 23, "i8": 20, "f8": 701}  # what NumPy and PostgreSQL call a number


def insert(table: str, row: Mapping[str, Value]) -> None:
    """Append a row to a table: int is bigint, float is double precision, None is NULL."""
    fields = b"".join(map(_field, row.values()))
    stream = io.BytesIO(SIGNATURE + struct.pack(">h", len(row)) + fields + END)
    copy = f"COPY {table} ({', '.join(row)}) FROM STDIN (FORMAT binary)"
    with connection.cursor() as cursor, connection.wrap_database_errors:
        cursor.copy_expert(copy, stream)


def _field(value: Value) -> bytes:
    if value is None:
        return NULL
    packed = _array(value) if isinstance(value, np.ndarray) else _number(value)
    return struct.pack(">i", len(packed)) + packed


def _number(value: float) -> bytes:
    return struct.pack(">q" if isinstance(value, int) else ">d", value)


def _array(values: NDArray[Any]) -> bytes:
    """One dimension, counted from 1, without NULL."""
    kind = values.dtype.str[1:]
    cells = np.empty(len(values), [("size", ">i4"), ("value", f">{kind}")])
    cells["size"], cells["value"] = values.itemsize, values
    return struct.pack(">5i", 1, 0, TYPES[kind], len(values), 1) + cells.tobytes()
