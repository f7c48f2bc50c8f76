"""The bytes of a file as UTF-8 text, or a clear refusal."""

import codecs
import io
import re
from collections.abc import Iterator
from functools import partial

from magnitudes.files.containers.archives import Member
from magnitudes.files.containers.recoding import NotUTF8
from magnitudes.files.errors import BadFile
from magnitudes.files.limits import LARGEST_WHOLE, LONGEST_LINE
from magnitudes.files.words import count

_UTF8 = "UTF-8 text"
_FILLED_LINE = re.compile(rb"\S[^\n]*")
_COMMENT = re.compile(rb"[ \t]*#[^\n]*")
_LATER_COMMENT = re.compile(rb"\n[ \t]*#[^\n]*")


def read_bytes(member: Member) -> bytes:
    """The whole file, without a byte order mark, its lines ended by a line feed alone.

    That the bytes are valid UTF-8 is not checked here. Raises BadFile when the file is empty,
    UTF-16, not text, or larger than `magnitudes.files.limits` allows, as a whole or in one line.
    """
    data = b"".join(_read_blocks(member))
    _refuse_empty_and_utf16(member.name, data[:4])
    if b"\0" in data:
        raise _zero_byte(member.name, line_of(data, data.index(b"\0")))
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    return data.removeprefix(codecs.BOM_UTF8)


def _read_blocks(member: Member) -> list[bytes]:
    """The file, refused while it is being read if it, or one line of it, is too long."""
    blocks: list[bytes] = []
    total = since = 0  # `since`: bytes since the last end of a line
    while block := member.stream.read(LONGEST_LINE):
        total += len(block)
        if total > LARGEST_WHOLE:
            problem = f"more than {LARGEST_WHOLE:,} bytes"
            raise BadFile(member.name, problem, "a smaller file, or several")
        end = block.find(b"\n")
        if since + (len(block) if end < 0 else end) > LONGEST_LINE:
            line = 1 + sum(before.count(b"\n") for before in blocks)
            raise _long_line(member.name, line)
        since = since + len(block) if end < 0 else len(block) - block.rfind(b"\n") - 1
        blocks.append(block)
    return blocks


def read_lines(member: Member) -> Iterator[str]:
    """The lines of a file one by one, line ends included, without a byte order mark.

    Raises BadFile when the file is empty, UTF-16, not UTF-8, or has a line longer than
    `magnitudes.files.limits` allows; the latter two name the line.
    """
    _refuse_empty_and_utf16(member.name, member.head())
    lines = iter(partial(member.stream.readline, LONGEST_LINE + 1), b"")
    for number, raw in enumerate(lines, 1):
        if len(raw) > LONGEST_LINE and not raw.endswith(b"\n"):
            raise _long_line(member.name, number)
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        line = _decoded(member.name, number, raw)
        if "\0" in line:
            raise _zero_byte(member.name, number)
        yield line


def decoded_lines(file: str, data: bytes) -> Iterator[str]:
    """`data` as lines of text, line ends included; BadFile names a line that is not UTF-8."""
    for number, raw in enumerate(io.BytesIO(data), 1):
        yield _decoded(file, number, raw)


def split_lines(
    file: str, data: bytes, columns: tuple[str, ...]
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of each line that is not blank, split at any stretch of blanks and tabs.

    Raises BadFile for a line with more or fewer cells than there are `columns`.
    """
    for number, line in enumerate(data.split(b"\n"), 1):
        # Split before decoding: Unicode has blanks that are part of an id here.
        cells = line.split()
        if len(cells) == len(columns):
            yield number, [_decoded(file, number, cell) for cell in cells]
        elif cells:
            expected = f"{len(columns)}: {', '.join(columns)}"
            raise BadFile(file, count(len(cells), "column"), expected, number)


def first_cells(data: bytes) -> tuple[int, list[bytes]]:
    """The number and the cells of the first line that is not blank; no cells if all are."""
    line = _FILLED_LINE.search(data)
    return (line_of(data, line.start()), line[0].split()) if line else (1, [])


def uncommented(data: bytes) -> bytes:
    """`data` with its comments, as trec_eval 10 has them (lines that begin with #), made blank."""
    if b"#" not in data:
        return data
    if first := _COMMENT.match(data):
        data = data[first.end() :]
    return _LATER_COMMENT.sub(b"\n", data)


def line_of(data: bytes, position: int) -> int:
    """The number, from 1, of the line that holds this position."""
    return data.count(b"\n", 0, position) + 1


def _decoded(file: str, line: int, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as fault:
        byte = raw[fault.start]
        raise NotUTF8(file, f"the byte 0x{byte:02x} is not UTF-8", _UTF8, line) from fault


def _refuse_empty_and_utf16(name: str, head: bytes) -> None:
    if not head:
        raise BadFile(name, "an empty file", "at least one line")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise NotUTF8(name, "UTF-16 text", _UTF8)


def _zero_byte(name: str, line: int) -> BadFile:
    return BadFile(name, "a zero byte", _UTF8, line)


def _long_line(name: str, line: int) -> BadFile:
    return BadFile(name, f"a line of more than {LONGEST_LINE:,} bytes", "shorter lines", line)
