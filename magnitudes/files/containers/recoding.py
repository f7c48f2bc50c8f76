"""Files in another encoding than UTF-8, read as UTF-8."""

import codecs
import io
from typing import Any

from magnitudes.files.errors import BadFile

_BLOCK = 1 << 16  # bytes
# Python's own, which are no encodings of files, or which it does not read in one pass.
_NOT_FOR_FILES = frozenset(
    "charmap idna mbcs oem punycode raw-unicode-escape undefined unicode-escape utf-7".split()
)


class UnknownEncoding(ValueError):
    """There is no encoding of this name."""


class NotUTF8(BadFile):
    """A file whose bytes are not UTF-8: to be read, it needs the name of its encoding."""


def known_encoding(name: str) -> str:
    """Python's name of an encoding of text, as 'iso8859-1' for 'latin-1'.

    Raises UnknownEncoding where there is none.
    """
    try:
        "".encode(name)  # a LookupError too for codecs that are not of text
        known = codecs.lookup(name).name
    except (LookupError, ValueError) as fault:
        raise _unknown(name) from fault
    if known.replace("_", "-") in _NOT_FOR_FILES:
        raise _unknown(name)
    return known


def _unknown(name: str) -> UnknownEncoding:
    return UnknownEncoding(
        f"{name!r} is no encoding of text; expected a name as latin-1, windows-1252 or utf-16"
    )


def recoded(name: str, stream: io.BufferedReader, encoding: str) -> io.BufferedReader:
    """What a stream in some `encoding` holds, as UTF-8.

    Reading raises BadFile, with the `name` of the file and the line, for bytes that the encoding
    does not have. Raises UnknownEncoding where there is none of this name.
    """
    return io.BufferedReader(_Recoded(name, stream, known_encoding(encoding)), _BLOCK)


class _Recoded(io.RawIOBase):
    def __init__(self, name: str, source: io.BufferedReader, encoding: str) -> None:
        self._name, self._source, self._encoding = name, source, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._line = 1
        self._at_end = False
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        while not (self._ready or self._at_end):
            self._ready = self._next()
        part = self._ready[: len(view)]
        view[: len(part)] = part
        self._ready = self._ready[len(part) :]
        return len(part)

    def _next(self) -> bytes:
        block = self._source.read(_BLOCK)
        self._at_end = not block
        before = self._decoder.getstate()
        try:
            text = self._decoder.decode(block, self._at_end)
        except UnicodeDecodeError as fault:
            raise self._bad(before, block, fault) from fault
        except UnicodeError as fault:
            raise self._no_byte_order() from fault
        self._line += text.count("\n")
        return text.encode()

    def _bad(self, before: Any, block: bytes, fault: UnicodeDecodeError) -> BadFile:
        again = codecs.getincrementaldecoder(self._encoding)("replace")
        again.setstate(before)
        try:
            good, _, _ = again.decode(block, self._at_end).partition("\ufffd")
        except UnicodeError:
            return self._no_byte_order()
        problem = f"the byte 0x{fault.object[fault.start]:02x} is not {self._encoding}"
        line = self._line + good.count("\n")
        return BadFile(self._name, problem, f"{self._encoding} text", line)

    def _no_byte_order(self) -> BadFile:
        """UTF-16 and UTF-32 come in two orders of bytes, which a mark tells, or the name."""
        expected = f"one, or {self._encoding}-le or {self._encoding}-be as the encoding"
        return BadFile(self._name, "no byte order mark", expected)
