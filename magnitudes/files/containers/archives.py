"""Files, archives and folders, seen as one sequence of named byte streams."""

import bz2
import gzip
import io
import lzma
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from magnitudes.files.containers.recoding import recoded
from magnitudes.files.containers.streams import Allowance, Progress, guarded, is_hidden
from magnitudes.files.containers.tars import is_tar, tar_files
from magnitudes.files.containers.zips import is_zip, zip_files
from magnitudes.files.errors import BadFile
from magnitudes.files.limits import NESTED

_HEAD = 1 << 12
_BEGINNING = 1 << 20
_MAGIC = 4
_READABLE = "a plain file, or gz, xz, bz2, tar or zip"
_REFUSED = {
    b"\x1f\x9d": "compressed by 'compress' (.Z)",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
}


@dataclass(frozen=True)
class StoredFile:
    """A file that lies under another name than its own; `encoding`: its own, where one is named."""

    path: Path
    name: str
    encoding: str = ""


Source = str | Path | StoredFile


class Member(NamedTuple):
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
    paths: Iterable[Source], progress: Progress = lambda _: None, encoding: str = ""
) -> Iterator[Member]:
    """Yield every file under `paths`: plain files, gz, xz, bz2, tar and zip of any, and folders.

    What a file is, its first bytes say, not its name; archives may hold compressed files and
    other archives, up to the limits of `files.limits`. Folders are walked in the order of their
    names. Hidden files, links inside archives and what macOS adds to archives are passed over.
    Nothing is unpacked to disk, so that a zip archive cannot stand within another archive. Where an
    `encoding` is named, the files are read in it, and the streams hold UTF-8; a stored file's own
    comes first.

    A member's stream must be read before the next member is asked for. `progress` is called
    with each number of bytes read of the files as they lie on disk; `total_size` is their sum.

    Raises BadFile for a path that cannot be read, that holds no file, that is damaged, that is no
    file but a device or a pipe, and for a link that leads out of a folder. A member's stream
    raises BadFile where more comes out of a file than its size on disk allows. Raises
    UnknownEncoding for the name of an encoding that there is not.
    """
    for source in paths:
        empty = True
        for file in _files(source, encoding):
            for member in _members_of(file, progress):
                empty = False
                yield _in_utf8(member, file.encoding) if file.encoding else member
        if empty:
            name = source.name if isinstance(source, StoredFile) else str(source)
            raise BadFile(name, "no files in it", "at least one file")


def first_of(name: str, beginning: bytes, encoding: str = "") -> Member | None:
    """The beginning of the first file in what begins so, however it is packed.

    In UTF-8, as `open_members` has it; a MiB of it at most. None where it is not to be seen yet: a
    zip archive has its list at the end, and of what is compressed the beginning may be too short.

    Raises BadFile for what `open_members` never reads, UnknownEncoding where there is none.
    """
    if is_zip(beginning):
        return None
    _refuse(name, beginning)
    stream = guarded(name, io.BytesIO(beginning))
    # Its stream is there only as long as this is.
    members = _unwrapped(name, stream, Allowance(name, len(beginning)))
    data, first = b"", None
    try:
        first = next(members, None)
        while first and len(data) < _BEGINNING and (block := first.stream.read(_HEAD)):
            data += block
    except BadFile:  # cut short, as a beginning is
        pass
    if first is None or not data:
        return None
    member = Member(first.name, io.BufferedReader(io.BytesIO(data), _BEGINNING))
    return _in_utf8(member, encoding) if encoding else member


def _in_utf8(member: Member, encoding: str) -> Member:
    return Member(member.name, recoded(member.name, member.stream, encoding))


def total_size(paths: Iterable[Source]) -> int:
    """Bytes that `open_members` will read from disk, for a progress bar."""
    return sum(_size(file) for source in paths for file in _files(source))


def _files(source: Source, encoding: str = "") -> Iterator[StoredFile]:
    """The files to read: `source` itself, or those under it in the order of their names."""
    if isinstance(source, StoredFile):
        yield source if source.encoding else replace(source, encoding=encoding)
        return
    path = Path(source)
    if not path.is_dir():
        yield StoredFile(path, str(path), encoding)
        return
    for file in sorted(path.rglob("*")):
        if not is_hidden(file.relative_to(path)):
            _refuse_link_out_of(path, file)
            if not file.is_dir():
                yield StoredFile(file, str(file), encoding)


def _refuse_link_out_of(folder: Path, file: Path) -> None:
    if file.is_symlink():
        target = Path(os.path.realpath(file))
        if not target.is_relative_to(folder.resolve()):
            problem = f"a link out of the folder, to {target}"
            raise BadFile(str(file), problem, "files of the folder itself")


def _size(file: StoredFile) -> int:
    """Bytes on disk; BadFile for what is no file."""
    try:
        status = file.path.stat()
    except OSError as fault:
        raise _unreadable(file, fault) from fault
    if not stat.S_ISREG(status.st_mode):
        # Reading a device need never end, and reading a pipe need never begin.
        raise BadFile(file.name, "a device, a pipe or a socket", _READABLE)
    return status.st_size


def _unreadable(file: StoredFile, fault: OSError) -> BadFile:
    return BadFile(file.name, fault.strerror or str(fault), "a readable file or folder")


def _members_of(source: StoredFile, progress: Progress) -> Iterator[Member]:
    name, allowance = source.name, Allowance(source.name, _size(source))
    try:
        file = io.FileIO(source.path)
    except OSError as fault:
        raise _unreadable(source, fault) from fault
    with file:
        if is_zip(_first_bytes(source, file)):
            for full_name, inner in zip_files(name, file, progress):
                stream = guarded(full_name, inner, allowance.take)
                yield from _unwrapped(full_name, stream, allowance, 1)
        else:
            yield from _unwrapped(name, guarded(name, file, progress), allowance)


def _first_bytes(source: StoredFile, file: io.FileIO) -> bytes:
    try:
        head = file.read(_MAGIC) or b""
        file.seek(0)
    except OSError as fault:
        raise _unreadable(source, fault) from fault
    return head


def _unwrapped(
    name: str, stream: io.BufferedReader, allowance: Allowance, depth: int = 0
) -> Iterator[Member]:
    """The files within a stream, which lies `depth` archives or compressions deep."""
    head = stream.peek(_HEAD)
    _refuse(name, head)
    inner = _decompressed(head, stream)
    if inner is None and not is_tar(head):
        yield Member(name, stream)
        return
    if depth == NESTED:
        problem = f"more than {NESTED} archives or compressions, one within another"
        raise BadFile(name, problem, f"at most {NESTED}")
    if inner is None:
        for full_name, file, has_holes in tar_files(name, stream):
            # The tar's length bounds what lies in it. Holes are not in it, and may have any length.
            count: Progress = allowance.take if has_holes else _uncounted
            yield from _unwrapped(full_name, guarded(full_name, file, count), allowance, depth + 1)
        return
    with closing(inner):
        yield from _unwrapped(name, guarded(name, inner, allowance.take), allowance, depth + 1)


def _uncounted(_: int) -> None:
    pass


def _refuse(name: str, head: bytes) -> None:
    """Refuse what only looks like a plain file."""
    if is_zip(head):
        raise BadFile(name, "a zip archive within another archive", "zip archives by themselves")
    for magic, what in _REFUSED.items():
        if head.startswith(magic):
            raise BadFile(name, what, _READABLE)


def _decompressed(head: bytes, stream: io.BufferedReader) -> io.BufferedIOBase | None:
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=stream)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(stream)
    if head.startswith(b"BZh"):
        return bz2.BZ2File(stream)
    return None
