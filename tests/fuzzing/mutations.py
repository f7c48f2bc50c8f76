"""Bytes made from good ones: by byte, by line, and by words where they do not belong."""

import random
from collections.abc import Callable, Sequence

LONGEST = 1 << 16  # bytes
MOST_AT_ONCE = 5  # changes of one input
MOST_TIMES = 4000  # that a word, a line or a part is said
ODD = (
    *(b"\0", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xc2\x85"),
    *(b"\r", b"\n", b"\r\n", b"\t", b" ", b"\x1c", b"-1", b"0", b"1e999", b"nan", b"9" * 30),
    *(b"9" * 5000, b"[" * 2000, b'{"a":' * 1500, b"%s", b"{0}", "٣".encode(), "ſ".encode()),
)


class Mutations:
    """Inputs from seeds, the same ones each time for the same random numbers."""

    def __init__(self, seeds: Sequence[bytes], words: Sequence[bytes], draw: random.Random) -> None:
        self._seeds, self._draw = seeds, draw
        self._words = (*ODD, *words, *words)
        self._ways: tuple[Callable[[bytes], bytes], ...] = (
            *(self._change_bits, self._insert, self._insert, self._replace, self._cut),
            *(self._repeat, self._cross, self._lines, self._end),
        )

    def next(self) -> bytes:
        return self.changed(self._draw.choice(self._seeds))

    def changed(self, data: bytes) -> bytes:
        for _ in range(self._draw.randint(1, MOST_AT_ONCE)):
            data = self._draw.choice(self._ways)(data)[:LONGEST]
        return data

    def _part(self, data: bytes) -> tuple[int, int]:
        start, length = self._place(data), int(self._draw.expovariate(1 / 8)) + 1
        return start, min(len(data), start + length)

    def _place(self, data: bytes) -> int:
        return self._draw.randint(0, len(data))

    def _said(self, part: bytes) -> bytes:
        """Mostly once, now and then thousands of times, but not much longer than an input is."""
        times = int(MOST_TIMES ** self._draw.random()) if self._draw.random() < 0.2 else 1
        return part * min(times, LONGEST // max(1, len(part)) + 1)

    def _change_bits(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self._draw.randint(1, 4) if data else 0):
            changed[self._draw.randrange(len(data))] ^= 1 << self._draw.randrange(8)
        return bytes(changed)

    def _insert(self, data: bytes) -> bytes:
        place = self._place(data)
        return data[:place] + self._said(self._draw.choice(self._words)) + data[place:]

    def _replace(self, data: bytes) -> bytes:
        start, end = self._part(data)
        return data[:start] + self._said(self._draw.choice(self._words)) + data[end:]

    def _cut(self, data: bytes) -> bytes:
        start, end = self._part(data)
        return data[:start] + data[end:]

    def _repeat(self, data: bytes) -> bytes:
        start, end = self._part(data)
        return data[:end] + self._said(data[start:end]) + data[end:]

    def _cross(self, data: bytes) -> bytes:
        other = self._draw.choice(self._seeds)
        return data[: self._place(data)] + other[self._place(other) :]

    def _lines(self, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        if not lines:
            return data
        place, other = self._draw.randrange(len(lines)), self._draw.randrange(len(lines))
        match self._draw.randrange(3):
            case 0:
                lines[place], lines[other] = lines[other], lines[place]
            case 1:
                del lines[place]
            case 2:
                lines.insert(place, self._said(lines[other]))
        return b"".join(lines)

    def _end(self, data: bytes) -> bytes:
        return data[: self._place(data)]
