"""What readers of archives share: streams that are guarded, bounded and counted."""

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from magnitudes.files.errors import BadFile
from magnitudes.files.limits import EXPANDED_FREELY, EXPANDED_TIMES

Progress = Callable[[int], object]

BUFFER = 1 << 16
FAULTS = (EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile)


class _Guarded(io.RawIOBase):
    """A stream whose faults, whatever library they come from, are BadFile."""

    def __init__(self, name: str, source: Any, progress: Progress) -> None:
        self._name = name
        self._source = source
        self._progress = progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        # Filled as far as the source goes, so that the first bytes are there for recognition
        # even when they arrive through a pipe.
        view = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(view) and (count := self._readinto(view[filled:])):
            filled += count
        return filled

    def _readinto(self, view: memoryview) -> int:
        try:
            count: int = self._source.readinto(view) or 0
        except FAULTS as fault:
            raise damaged(self._name, fault) from fault
        self._progress(count)
        return count


def guarded(name: str, source: Any, progress: Progress = lambda _: None) -> io.BufferedReader:
    """A stream of what `source`, which has `readinto`, holds.

    `progress` is called with each number of bytes read. Reading raises BadFile, with the `name`,
    where the source is damaged.
    """
    return io.BufferedReader(_Guarded(name, source, progress), BUFFER)


def damaged(name: str, fault: Exception) -> BadFile:
    """The error for a file that a library cannot unpack."""
    reason = str(fault) or type(fault).__name__
    return BadFile(name, f"damaged or cut short ({reason})", "a whole file")


class Allowance:
    """How many decompressed bytes may still come out of one file on disk."""

    def __init__(self, file: str, size: int) -> None:
        self._file = file
        self._most = EXPANDED_FREELY + EXPANDED_TIMES * size
        self._left = self._most

    def take(self, count: int) -> None:
        """Count bytes that came out; BadFile once there are too many."""
        self._left -= count
        if self._left < 0:
            problem = f"more than {self._most:,} bytes come out of it"
            expected = (
                f"at most {EXPANDED_TIMES} times its size and {EXPANDED_FREELY:,} bytes; "
                "unpack it yourself if it is meant to hold so much"
            )
            raise BadFile(self._file, problem, expected)


def is_hidden(path: Path | PurePosixPath) -> bool:
    """Whether a path leads through a hidden folder or file, or what macOS adds to archives."""
    return any(
        part == "__MACOSX" or (part.startswith(".") and part not in {".", ".."})
        for part in path.parts
    )
