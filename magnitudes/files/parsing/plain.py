"""Files in columns apart by single tabs or single blanks, read at the speed of memory."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from magnitudes.files.ids import Ids
from magnitudes.files.parsing.fields import LONGEST_ID

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]  # of eight bytes, one from each byte of a text on
Parser = Callable[[Words, Integers, Integers], npt.NDArray[Any]] | None

_BLOCK = 1 << 19  # bytes read at once, and some more, up to the end of a line
_MARGIN = bytes(LONGEST_ID + 8)  # around a block, so that a word can be read near each cell
_END, _BLANKS, _MINUS = ord("\n"), b" \t", ord("-")
_POINTS, _LOW_BITS, _HIGH_BITS = (int(byte * 8, 16) for byte in ("2E", "01", "80"))
# The first so many bytes of a word of eight: all if there are more, none below zero.
_FIRST = np.array(
    [(1 << 8 * min(n, 8)) - 1 for n in range(LONGEST_ID + 1)] + [0] * LONGEST_ID, np.uint64
)
_TENS = 10 ** np.arange(9)
_EXACT = 1 << 53  # to here a double holds every whole number
_IN_NUMBERS = np.isin(np.arange(256), list(b"\0+-.0123456789Ee"))


def read_plain(data: bytes, columns: Mapping[str, Parser]) -> dict[str, npt.NDArray[Any]] | None:
    """The columns of a file without surprises; None for any other file.

    `columns`: by what the cells of each are parsed (`texts`, `whole_numbers`, `decimals`); None
    for one that is not wanted.

    Plain is: one tab everywhere, or one blank everywhere, between columns; as many columns as
    named; no cell empty or too long for an id; numbers that parse; UTF-8. None does not mean that a
    file is wrong: reading it line by line tells whether, and where.
    """
    blocks = []
    try:
        for block in _blocks(data):
            words, starts, ends = _cells(block, len(columns))
            of_columns = zip(columns.values(), starts, ends, strict=True)
            blocks.append([parse(words, *cells) for parse, *cells in of_columns if parse])
    except ValueError:  # also of bytes that are not UTF-8, and of what NumPy takes for no number
        return None
    names = [name for name, parse in columns.items() if parse]
    parts = zip(*blocks, strict=True)
    return dict(zip(names, map(np.concatenate, parts), strict=True)) if blocks else None


def _blocks(data: bytes) -> Iterator[bytes]:
    """Some lines at a time: so few that the processor has them at hand."""
    end = -1
    while end < len(data):
        start = end + 1
        end = data.find(b"\n", start + _BLOCK)
        end = len(data) if end < 0 else end
        if block := data[start:end].strip(b"\n"):
            yield block


def _cells(block: bytes, n_columns: int) -> tuple[Words, Integers, Integers]:
    """The words of the text, and where cells start and end in it: (columns, lines)."""
    if not block.isascii():
        block.decode()
    padded = b"".join((_MARGIN, block, b"\n", _MARGIN))
    text = np.frombuffer(padded, np.uint8)
    inner = text[len(_MARGIN) : -len(_MARGIN)]
    ends: Integers = np.flatnonzero(inner <= ord(" ")) + len(_MARGIN)
    n_lines, rest = divmod(len(ends), n_columns)
    blank = text[ends[0]]
    if (
        rest
        or blank not in _BLANKS
        or np.count_nonzero(inner == blank) != n_lines * (n_columns - 1)
        or np.count_nonzero(inner == _END) != n_lines
        or (text[ends[n_columns - 1 :: n_columns]] != _END).any()
    ):
        raise ValueError("not the same single blanks in all lines")
    ends = ends.reshape(n_lines, n_columns).T.copy()
    starts = np.empty_like(ends)
    starts[0, 0], starts[0, 1:], starts[1:] = len(_MARGIN), ends[-1, :-1] + 1, ends[:-1] + 1
    lengths = ends - starts
    if lengths.min() < 1 or lengths.max() > LONGEST_ID:
        raise ValueError("a cell that is empty or long")
    words: Words = np.ndarray(len(padded) - 7, "<u8", padded, strides=(1,))
    return words, starts, ends


def texts(words: Words, starts: Integers, ends: Integers) -> Ids:
    lengths = ends - starts
    n_words = -(-int(lengths.max()) // 8)
    found = np.empty((len(starts), n_words), "<u8")
    for place, column in enumerate(found.T):
        np.bitwise_and(words[starts + 8 * place], _FIRST[lengths - 8 * place], out=column)
    return found.view(f"S{8 * n_words}").ravel()


def one_text(words: Words, starts: Integers, ends: Integers) -> Ids:
    """What all cells hold, once."""
    found = texts(words, starts, ends)
    by_cell = found.view(np.uint64).reshape(len(found), -1)
    if (by_cell != by_cell[0]).any():
        raise ValueError("cells that differ")
    return found[:1]


def whole_numbers(words: Words, starts: Integers, ends: Integers) -> npt.NDArray[np.int32]:
    """Digits alone, not more than eight."""
    numbers = _digits(words, starts, ends)
    if numbers.min() < 0:
        raise ValueError("no number, or a large one")
    return numbers.astype(np.int32)


def decimals(words: Words, starts: Integers, ends: Integers) -> npt.NDArray[np.float64]:
    """What `float` makes of decimals, to the last bit."""
    firsts = words[starts] & _FIRST[ends - starts]
    negative = firsts & 0xFF == _MINUS
    # The lowest bit that is set is the highest of the first byte that is a point.
    others = firsts ^ _POINTS
    marks = others - _LOW_BITS & ~others & _HIGH_BITS
    points = np.where(marks, starts + (np.bitwise_count(marks - 1 & ~marks) >> 3), ends)
    wholes = _digits(words, starts + negative, points)
    after = np.minimum(points + 1, ends)
    places = np.minimum(ends - after, 8)
    fractions = np.where(places, _digits(words, after, ends), 0)
    scaled = wholes * _TENS[places] + fractions
    # A whole number and a power of ten that doubles hold: their quotient is the nearest double.
    numbers: npt.NDArray[np.float64] = scaled / _TENS[places]
    np.negative(numbers, out=numbers, where=negative)
    others = np.flatnonzero((wholes < 0) | (fractions < 0) | (scaled > _EXACT))
    if others.size:
        rest = texts(words, starts[others], ends[others])
        if not _IN_NUMBERS[rest.view(np.uint8)].all():  # NumPy takes 1_0 and nan as well
            raise ValueError("no decimal")
        numbers[others] = rest.astype(np.float64)
    return numbers


def _digits(words: Words, starts: Integers, ends: Integers) -> Integers:
    """Cells of one to eight digits as numbers; -1 for any other."""
    lengths = ends - starts
    digits = (words[ends - 8] ^ 0x3030303030303030) & ~_FIRST[8 - lengths]
    others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080 != 0  # one above 9
    others |= (lengths - 1).view(np.uint64) > 7  # no digit, or more than eight
    # The digits, one a byte, the first one lowest: made pairs, then fours, then all eight.
    digits = digits * (1 + (10 << 8)) >> 8 & 0x00FF00FF00FF00FF
    digits = digits * (1 + (100 << 16)) >> 16 & 0x0000FFFF0000FFFF
    digits = digits * (1 + (10_000 << 32)) >> 32
    numbers: Integers = digits.view(np.int64)
    numbers[others] = -1
    return numbers
