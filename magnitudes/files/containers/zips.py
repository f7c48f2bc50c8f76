"""Zip archives on disk; the list of what is in them stands at their end."""

import io
import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, Any

from magnitudes.files.containers.streams import Progress, damaged, is_hidden
from magnitudes.files.errors import BadFile
from magnitudes.files.limits import LONGEST_ZIP_LIST

_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_LIST_BYTES = 5  # where zipfile's record of the end has the size of the list
_ENCRYPTED = 1
# zipfile bounds what comes out at one go for these alone.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_OTHER_METHODS = {9: "Deflate64", 12: "bzip2", 14: "LZMA"}
_FAULTS = (
    *(zipfile.BadZipFile, NotImplementedError, OSError, EOFError, ValueError, struct.error),
    OverflowError,  # a place in the file beyond what the system counts to
)


def is_zip(head: bytes) -> bool:
    """Whether a file begins as a zip archive does."""
    return head.startswith(_MAGIC)


def zip_files(name: str, file: io.FileIO, progress: Progress) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (name, stream) of each file in an archive, in the order of its list.

    Links, folders and hidden files are passed over. `progress` is called with each number of bytes
    read, in all as many as the archive has.

    Raises BadFile for an archive that is damaged, holds an encrypted file or one that is neither
    stored nor deflated, or has a list longer than `magnitudes.files.limits` allows.
    """
    with counted_zip(name, file, progress) as archive:
        for info in archive.infolist():
            if not info.filename:
                raise BadFile(name, "a file without a name in it", "names in the list of files")
            if _is_file(info):
                full_name = f"{name}:{info.filename}"
                with member_stream(full_name, archive, info) as stream:
                    yield full_name, stream


@contextmanager
def counted_zip(name: str, file: io.FileIO, progress: Progress) -> Iterator[zipfile.ZipFile]:
    """The archive in a file; `progress` is called with each number of bytes read of it.

    In all they are as many as the file has, those of the list at the end.

    Raises:
        BadFile: as `opened_zip`.
    """
    counted = _Counted(file, progress)
    with opened_zip(name, counted) as archive:
        counted.begin()
        yield archive
        counted.finish()


class _Counted:
    """A file, with the bytes counted that are read once the list has been."""

    def __init__(self, file: io.FileIO, progress: Progress) -> None:
        self._file, self._progress = file, progress
        self._left = 0
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size) or b""
        self._count(len(data))
        return data

    def begin(self) -> None:
        self._left = self._file.seek(0, io.SEEK_END)

    def finish(self) -> None:
        self._count(self._left)

    def _count(self, read: int) -> None:
        # Members may overlap, and be read again.
        self._progress(min(read, self._left))
        self._left -= min(read, self._left)


def opened_zip(name: str, file: Any) -> zipfile.ZipFile:
    """The archive in a file that can be sought in.

    Raises BadFile if it is damaged, or has a list longer than `magnitudes.files.limits` allows.
    """
    try:
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
        if end and end[_LIST_BYTES] > LONGEST_ZIP_LIST:
            problem = f"a list of files of {end[_LIST_BYTES]:,} bytes"
            raise BadFile(name, problem, f"at most {LONGEST_ZIP_LIST:,}; use tar for so many files")
        return zipfile.ZipFile(file)
    except BadFile:
        raise
    except _FAULTS as fault:
        raise damaged(name, fault) from fault


def _is_file(info: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(info.external_attr >> 16)  # 0 where the archive is not of Unix
    is_regular = kind in (0, stat.S_IFREG) and not info.is_dir()
    return is_regular and not is_hidden(PurePosixPath(info.filename))


def member_stream(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """The bytes of a file in an archive.

    Raises BadFile if it is encrypted, or neither stored nor deflated.
    """
    if info.flag_bits & _ENCRYPTED:
        raise BadFile(name, "encrypted", "a file without a password")
    if info.compress_type not in _METHODS:
        method = _OTHER_METHODS.get(info.compress_type, f"method {info.compress_type}")
        raise BadFile(name, f"compressed by {method} within the zip archive", "stored or deflated")
    try:
        return archive.open(info)
    except _FAULTS as fault:
        raise damaged(name, fault) from fault
