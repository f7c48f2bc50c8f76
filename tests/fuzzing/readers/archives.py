"""Readers of archives and compressed files, and of an archive of a study."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from pathlib import Path

from magnitudes.files.containers.archives import first_of, open_members
from magnitudes.files.containers.recoding import UnknownEncoding
from magnitudes.files.errors import BadFile
from magnitudes.files.recognising import kind_of
from tests.fuzzing.reader import Reader, folder, split
from tests.fuzzing.samples import RUNS, TOPICS
from tests.fuzzing.whole_archive import FILES_OF_STUDY, read_row, study_zip
from workspace.archive import unpacking

PLAIN = RUNS[0]
CHUNK = 1 << 16
MAGIC_AT, SUM_AT, HEADER = 257, slice(148, 156), 512


def tar(name: str, data: bytes, kind: bytes = tarfile.REGTYPE, **headers: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo(name)
        info.size, info.type, info.pax_headers = len(data), kind, headers
        archive.addfile(info, io.BytesIO(data))
    return out.getvalue()[:4096]  # the closing blocks, without what fills the record


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def zip64(place: int) -> bytes:
    """A zip archive whose list says in 64 bits where its file begins."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("a.run")
        info.extra = struct.pack("<HHQ", 1, 8, place)
        archive.writestr(info, PLAIN)
    data = bytearray(out.getvalue())
    listed = data.index(b"PK\1\2")
    data[listed + 42 : listed + 46] = b"\xff" * 4
    return bytes(data)


def sparse(*numbers: str) -> dict[str, str]:
    names = ("major", "minor", "name", "realsize", "map", "size", "numblocks")
    return {f"GNU.sparse.{name}": text for name, text in zip(names, numbers, strict=False)}


PACKED = (
    gzip.compress(PLAIN, mtime=0),
    gzip.compress(gzip.compress(PLAIN, mtime=0), mtime=0),
    bz2.compress(PLAIN),
    lzma.compress(PLAIN),
    gzip.compress(tar("a", PLAIN), mtime=0),
)
TARS = (
    tar("runs/a.run", PLAIN),
    tar("a" * 120, PLAIN),
    tar("link", b"", tarfile.SYMTYPE),
    tar("a", b"1\n0\n20\n" + bytes(505) + PLAIN, **sparse("1", "0", "b", "30")),
    tar("a", PLAIN, **sparse("0", "1", "b", "30", "0,10,20,10", "30", "2")),
    tar("a", PLAIN, size="40", mtime="1.5", path="b", charset="ISO-IR 10646 2000 UTF-8"),
    tar("a", bytes(512) + PLAIN, tarfile.GNUTYPE_SPARSE),
    tar("a" * 30, PLAIN, tarfile.GNUTYPE_LONGNAME) + tar("b", PLAIN),
)
ZIPS = (
    zipped({"a.run": PLAIN}),
    zipped({"a/b": TOPICS[0], "c": PLAIN}, zipfile.ZIP_STORED),
    zip64(0),
)
TAR_WORDS = (
    *(b"GNU.sparse.map=", b"GNU.sparse.size=", b"size=", b"path=", b"-1", b"1e9", b"0,1,", b"\n"),
    *(b"9" * 20, b"\x80\0\0\0\0\0\0\1", b"\xff" * 8, b"hdrcharset=BINARY\n", *split("S L x g K")),
)
ZIP_WORDS = (
    *(b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"PK\6\7", b"\1\0\x18\0", b"\xff\xff\xff\xff"),
    *(b"\xff\xff", b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\0\0\0\x80", b"__MACOSX/", b"../"),
)


def _through_disk(data: bytes, end: str = "file") -> Path:
    path = folder() / end
    path.write_bytes(data)
    return path


def _members(data: bytes) -> None:
    for member in open_members([_through_disk(data)]):
        kind_of(member)
        while member.stream.read(CHUNK):
            pass


def with_right_sums(data: bytes) -> bytes:
    """A tar whose headers have the checksums of what stands in them, or no byte of it is read."""
    whole = bytearray(data)
    for start in range(0, len(whole) - HEADER + 1, HEADER):
        block = whole[start : start + HEADER]
        if block[MAGIC_AT : MAGIC_AT + 5] == b"ustar":
            block[SUM_AT] = b" " * 8
            whole[start + 148 : start + 156] = b"%06o\0 " % sum(block)
    return bytes(whole)


def _beginning(data: bytes) -> None:
    name, _, rest = data.partition(b"\n")
    member = first_of("file", rest, name.decode(errors="replace"))
    if member:
        kind_of(member)


def _study(data: bytes) -> None:
    with unpacking.open_archive(_through_disk(data, "study")) as archive:
        for file in archive.manifest["files"]:
            for _ in archive.rows(file):
                pass


ARCHIVES = (
    Reader(
        "compressed files",
        _members,
        (BadFile,),
        PACKED,
        (
            "magnitudes.files.containers.archives.open_members "
            "magnitudes.files.containers.streams.guarded"
        ),
        (b"\x1f\x8b\x08", b"\xfd7zXZ\0", b"BZh9", b"PK\3\4"),
    ),
    Reader(
        "tars",
        lambda data: _members(with_right_sums(data)),
        (BadFile,),
        TARS,
        "magnitudes.files.containers.tars.tar_files magnitudes.files.containers.tars.is_tar",
        TAR_WORDS,
    ),
    Reader(
        "zips",
        _members,
        (BadFile,),
        ZIPS,
        (
            "magnitudes.files.containers.zips.zip_files "
            "magnitudes.files.containers.zips.counted_zip "
            "magnitudes.files.containers.zips.opened_zip "
            "magnitudes.files.containers.zips.member_stream "
            "magnitudes.files.containers.zips.is_zip"
        ),
        ZIP_WORDS,
    ),
    Reader(
        "beginnings of uploads",
        _beginning,
        (BadFile, UnknownEncoding),
        (*(b"\n" + data for data in (*PACKED, *TARS[:3], *RUNS)), b"latin-1\n1\ta\xe9\n"),
        "magnitudes.files.containers.archives.first_of",
        TAR_WORDS,
    ),
    Reader(
        "archives of studies",
        _study,
        (BadFile,),
        (study_zip(), study_zip(zipfile.ZIP_STORED)),
        "workspace.archive.unpacking.open_archive workspace.archive.unpacking._object",
        (*ZIP_WORDS, b'"rows":', b'"sha256":', b'"files":', b"null", b"[", b"{"),
    ),
    Reader(
        "rows of a study's archive",
        read_row,
        (BadFile,),
        FILES_OF_STUDY,
        "workspace.archive.importing._read workspace.archive.field_values.read",
        (
            *(b"null", b"true", b"[", b"{", b'"', b"1e400", b"-1", b"\\u0000", b"\\ud800", b"1e18"),
            *(b"9" * 400, b"9" * 20, b"0001-01-01T00:00:00+23:59", b"2026-01-01T00:00:00"),
        ),
    ),
)
