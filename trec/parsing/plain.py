"""Files in columns apart by single tabs or single blanks, read at the speed of pyarrow."""

from __future__ import annotations  # which would load pyarrow

from typing import Any

import numpy as np
import numpy.typing as npt

from trec.lazy import csv, pa, pc
from trec.parsing.fields import LONGEST_ID

# Odd numbers without a pattern, by which one part of a key is kept from cancelling another.
_MIXERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93], np.uint64)
_BLOCK = 1 << 18
_LARGEST_BLOCK = 1 << 30


def read_plain(data: bytes, columns: dict[str, str], *, threads: bool = True) -> pa.Table | None:
    """The columns of a file without surprises, each one chunk long; None for any other file.

    Without `threads` one processor reads it at one go, the others being free for other files.

    Plain is: one tab everywhere, or one blank everywhere, between columns; as many columns as
    named; no cell empty or too long for an id; numbers that parse; UTF-8. None does not mean that a
    file is wrong: reading it line by line tells whether, and where.
    """
    tabs = b"\t" in data
    if any(byte in data for byte in (b"\r", b"\v", b"\f")) or (tabs and b" " in data):
        return None
    # pyarrow reads 0x1f as a whole number; no one else does.
    # A single byte is searched for ten times faster than two.
    if (b"x" in data and b"0x" in data) or (b"X" in data and b"0X" in data):
        return None
    block = _BLOCK if threads else min(max(len(data), 1), _LARGEST_BLOCK)
    try:
        table = csv.read_csv(
            pa.py_buffer(data),
            csv.ReadOptions(column_names=list(columns), block_size=block, use_threads=threads),
            csv.ParseOptions(delimiter="\t" if tabs else " ", quote_char=False),
            csv.ConvertOptions(column_types=columns, null_values=[], check_utf8=not data.isascii()),
        ).combine_chunks()
    except pa.ArrowInvalid:
        return None
    return table if table.num_rows and all(map(_is_plain, table.columns)) else None


def _is_plain(column: pa.ChunkedArray) -> bool:
    """Whether a column is one chunk, and none of its texts is empty or too long for an id."""
    if column.num_chunks != 1:
        return False
    if column.type != pa.string():
        return True
    bytes_each = pc.min_max(pc.binary_length(column)).as_py()
    return bytes_each["min"] > 0 and bytes_each["max"] <= LONGEST_ID


def codes(values: pa.Array) -> tuple[npt.NDArray[np.int32], pa.Array]:
    """Each value as a number, and what the numbers stand for, by first appearance."""
    encoded = values.dictionary_encode()
    return encoded.indices.to_numpy(), encoded.dictionary


def has_repeated_pair(left: npt.NDArray[np.int32], right: pa.Array) -> bool:
    """Whether any (left, right) comes twice."""
    # Telling all ids apart takes long. If no two have the same end and `left`, no pair is repeated.
    if not _has_repeated(_ends(right) + left.astype(np.uint64) * _MIXERS[2]):
        return False
    numbers, distinct = codes(right)
    return _has_repeated(left.astype(np.int64) * len(distinct) + numbers)


def _has_repeated(numbers: npt.NDArray[Any]) -> bool:
    numbers.sort()
    return bool((numbers[1:] == numbers[:-1]).any())


def _ends(values: pa.Array) -> npt.NDArray[np.uint64]:
    """A number for each string, from its last sixteen bytes; equal strings have equal numbers."""
    _, offsets, data = values.buffers()
    bounds = np.frombuffer(offsets, np.int32)[values.offset :][: len(values) + 1]
    # Sixteen bytes before the first: wherever a string ends, there is something to read.
    text = np.concatenate([np.zeros(16, np.uint8), np.frombuffer(data or b"", np.uint8)])
    words = np.ndarray(len(text) - 7, "<u8", text, strides=(1,))
    lengths, ends = np.diff(bounds), bounds[1:]
    shortest = lengths.min(initial=16)
    numbers = np.zeros(len(values), np.uint64)
    for back, mixer in zip((8, 16), _MIXERS, strict=False):
        part = words[ends + (16 - back)]
        if shortest < back:  # then some of these bytes belong to what stands before
            part >>= (8 * np.clip(back - lengths, 0, 8)).astype(np.uint64)
        part *= mixer
        numbers += part
    return numbers
