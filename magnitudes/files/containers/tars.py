"""Tar archives, read as a stream."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, Self

from magnitudes.files.containers.streams import BUFFER, damaged, is_hidden
from magnitudes.files.errors import BadFile

_LONGEST_NAME = 1 << 20  # with everything else that a header of one member may say
# Where a header tells of holes in a file, tarfile takes for numbers what may be none.
_FAULTS = (tarfile.TarError, ValueError, IndexError, OverflowError)


def is_tar(head: bytes) -> bool:
    """Whether a file begins as a tar does."""
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
        if header.type in _TELLING and header.size > _LONGEST_NAME:
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


def tar_files(name: str, stream: io.BufferedReader) -> Iterator[tuple[str, IO[bytes], bool]]:
    """Yield (name, stream, has holes) of each file in an archive, read from beginning to end.

    A file with holes (GNU's sparse ones) may be longer than the archive, without end.

    Links, folders and hidden files are passed over. Raises BadFile, with the `name` of the archive,
    where it is damaged.
    """
    try:
        # Entered below, once it is known to open.
        archive = tarfile.open(fileobj=stream, mode="r|", tarinfo=_StrictInfo)  # noqa: SIM115
    except BadFile:
        raise
    except _FAULTS as fault:
        raise damaged(name, fault) from fault
    with archive:
        while info := _next(name, archive):
            if info.isreg() and not is_hidden(PurePosixPath(info.name)):
                member = archive.extractfile(info)
                assert member is not None  # noqa: S101  a regular file always has content
                yield f"{name}:{info.name}", member, info.issparse()
            archive.members.clear()  # type: ignore[attr-defined]  # else all headers are kept
    # What follows the closing block still counts for the checksum of the compression around it.
    while stream.read(BUFFER):
        pass


def _next(name: str, archive: tarfile.TarFile) -> tarfile.TarInfo | None:
    try:
        return archive.next()
    except BadFile:
        raise
    except _FAULTS as fault:
        raise damaged(name, fault) from fault
