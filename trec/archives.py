"""Files, archives and folders, seen as one sequence of named byte streams."""

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, Self

from trec.errors import BadFile
from trec.limits import EXPANDED_FREELY, EXPANDED_TIMES, NESTED

Progress = Callable[[int], object]

_BUFFER = 1 << 16
_HEAD = 1 << 12
_LONGEST_TAR_NAME = 1 << 20  # with everything else that a header of one member may say
_READABLE = "a plain file, or gz, xz, bz2 or tar"
_REFUSED = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x9d": "compressed by 'compress' (.Z)",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
}
_FAULTS = (EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError)


@dataclass(frozen=True)
class Member:
    """One file, wherever it was found.

    `name` is for messages ('runs.tar.xz:runs/a.run'); `stream` holds the plain bytes, and
    raises BadFile where the archive around them is damaged.
    """

    name: str
    stream: io.BufferedReader

    def head(self) -> bytes:
        """The first bytes, at most a few thousand, without reading past them."""
        return self.stream.peek(_HEAD)[:_HEAD]


def open_members(
    paths: Iterable[str | Path], progress: Progress = lambda _: None
) -> Iterator[Member]:
    """Yield every file under `paths`: plain files, gz, xz, bz2, tar of any, and folders.

    What a file is, its first bytes say, not its name; archives may hold compressed files and
    other archives, up to the limits of `trec.limits`. Folders are walked in the order of their
    names. Hidden files, links inside archives and what macOS adds to archives are passed over.
    Nothing is unpacked to disk.

    A member's stream must be read before the next member is asked for. `progress` is called
    with each number of bytes read of the files as they lie on disk; `total_size` is their sum.

    Raises BadFile for a path that cannot be read, that holds no file, that is damaged, that is no
    file but a device or a pipe, and for a link that leads out of a folder. A member's stream
    raises BadFile where more comes out of a file than its size on disk allows.
    """
    for path in map(Path, paths):
        empty = True
        for file in _files(path):
            for member in _members_of(file, progress):
                empty = False
                yield member
        if empty:
            raise BadFile(str(path), "no files in it", "at least one file")


def total_size(paths: Iterable[str | Path]) -> int:
    """Bytes that `open_members` will read from disk, for a progress bar."""
    return sum(_size(file) for path in map(Path, paths) for file in _files(path))


def _files(path: Path) -> Iterator[Path]:
    """The files to read: `path` itself, or those under it in the order of their names."""
    if not path.is_dir():
        yield path
        return
    for file in sorted(path.rglob("*")):
        if not _is_hidden(file.relative_to(path)):
            _refuse_link_out_of(path, file)
            if not file.is_dir():
                yield file


def _refuse_link_out_of(folder: Path, file: Path) -> None:
    if file.is_symlink():
        target = Path(os.path.realpath(file))
        if not target.is_relative_to(folder.resolve()):
            problem = f"a link out of the folder, to {target}"
            raise BadFile(str(file), problem, "files of the folder itself")


def _size(path: Path) -> int:
    """Bytes on disk; BadFile for what is no file."""
    try:
        status = path.stat()
    except OSError as fault:
        raise _unreadable(path, fault) from fault
    if not stat.S_ISREG(status.st_mode):
        # Reading a device need never end, and reading a pipe need never begin.
        raise BadFile(str(path), "a device, a pipe or a socket", _READABLE)
    return status.st_size


def _is_hidden(path: Path | PurePosixPath) -> bool:
    return any(
        part == "__MACOSX" or (part.startswith(".") and part not in {".", ".."})
        for part in path.parts
    )


class _Source(Protocol):
    def read(self, size: int, /) -> bytes | None: ...


class _Guarded(io.RawIOBase):
    """A stream whose faults, whatever library they come from, are BadFile."""

    def __init__(self, name: str, source: _Source, progress: Progress) -> None:
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
        while filled < len(view) and (data := self._read(len(view) - filled)):
            view[filled : filled + len(data)] = data
            filled += len(data)
        return filled

    def _read(self, size: int) -> bytes:
        try:
            data = self._source.read(size) or b""
        except _FAULTS as fault:
            raise _damaged(self._name, fault) from fault
        self._progress(len(data))
        return data


def _guarded(name: str, source: _Source, progress: Progress = lambda _: None) -> io.BufferedReader:
    return io.BufferedReader(_Guarded(name, source, progress), _BUFFER)


def _damaged(name: str, fault: Exception) -> BadFile:
    reason = str(fault) or type(fault).__name__
    return BadFile(name, f"damaged or cut short ({reason})", "a whole file")


def _unreadable(path: Path, fault: OSError) -> BadFile:
    return BadFile(str(path), fault.strerror or str(fault), "a readable file or folder")


class _Allowance:
    """How many decompressed bytes may still come out of one file on disk."""

    def __init__(self, file: str, size: int) -> None:
        self._file = file
        self._most = EXPANDED_FREELY + EXPANDED_TIMES * size
        self._left = self._most

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            problem = f"more than {self._most:,} bytes come out of it"
            expected = (
                f"at most {EXPANDED_TIMES} times its size and {EXPANDED_FREELY:,} bytes; "
                "unpack it yourself if it is meant to hold so much"
            )
            raise BadFile(self._file, problem, expected)


def _members_of(path: Path, progress: Progress) -> Iterator[Member]:
    allowance = _Allowance(str(path), _size(path))
    try:
        file = io.FileIO(path)
    except OSError as fault:
        raise _unreadable(path, fault) from fault
    with file:
        yield from _unwrapped(str(path), _guarded(str(path), file, progress), allowance)


def _unwrapped(
    name: str, stream: io.BufferedReader, allowance: _Allowance, depth: int = 0
) -> Iterator[Member]:
    """The files within a stream, which lies `depth` archives or compressions deep."""
    head = stream.peek(_HEAD)
    for magic, what in _REFUSED.items():
        if head.startswith(magic):
            raise BadFile(name, what, _READABLE)
    inner = _decompressed(head, stream)
    if inner is None and not _is_tar(head):
        yield Member(name, stream)
        return
    if depth == NESTED:
        problem = f"more than {NESTED} archives or compressions, one within another"
        raise BadFile(name, problem, f"at most {NESTED}")
    if inner is None:
        yield from _tar_members(name, stream, allowance, depth + 1)
        return
    with closing(inner):
        yield from _unwrapped(name, _guarded(name, inner, allowance.take), allowance, depth + 1)


def _decompressed(head: bytes, stream: io.BufferedReader) -> io.BufferedIOBase | None:
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=stream)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(stream)
    if head.startswith(b"BZh"):
        return bz2.BZ2File(stream)
    return None


def _is_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


class _StrictInfo(tarfile.TarInfo):
    """A member's header that is refused where tarfile would be lenient.

    tarfile takes a damaged or missing header for the end, which only the closing block is. And it
    reads names and attributes whole, however long they say they are.
    """

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as fault:
            raise tarfile.ReadError(str(fault)) from fault

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _TELLING and header.size > _LONGEST_TAR_NAME:
            raise tarfile.HeaderError(f"a name or attribute of {header.size:,} bytes")
        return header


# The members of a tar that tell something about the next one.
_TELLING = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)


def _tar_members(
    name: str, stream: io.BufferedReader, allowance: _Allowance, depth: int
) -> Iterator[Member]:
    try:
        # Entered below, once it is known to open.
        archive = tarfile.open(fileobj=stream, mode="r|", tarinfo=_StrictInfo)  # noqa: SIM115
    except tarfile.TarError as fault:
        raise _damaged(name, fault) from fault
    with archive:
        while info := _next(name, archive):
            if info.isreg() and not _is_hidden(PurePosixPath(info.name)):
                member = archive.extractfile(info)
                assert member is not None  # noqa: S101  a regular file always has content
                full_name = f"{name}:{info.name}"
                yield from _unwrapped(full_name, _guarded(full_name, member), allowance, depth)
            archive.members.clear()  # type: ignore[attr-defined]  # else all headers are kept
    # What follows the closing block still counts for the checksum of the compression around it.
    while stream.read(_BUFFER):
        pass


def _next(name: str, archive: tarfile.TarFile) -> tarfile.TarInfo | None:
    try:
        return archive.next()
    except tarfile.TarError as fault:
        raise _damaged(name, fault) from fault
