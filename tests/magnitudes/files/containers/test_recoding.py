"""Files in other encodings, read as UTF-8."""

import io
from contextlib import suppress
from encodings.aliases import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.files.containers.archives import open_members
from magnitudes.files.containers.recoding import NotUTF8, UnknownEncoding, known_encoding, recoded
from magnitudes.files.documents import read_documents
from magnitudes.files.errors import BadFile
from magnitudes.files.topics import Topic, read_topics
from tests.magnitudes.files.making import member


def read(data: bytes, encoding: str) -> bytes:
    return recoded("file", io.BufferedReader(io.BytesIO(data)), encoding).read()


NOT_OF_TEXT = {"mbcs", "rot_13", "utf_7"}
ALL = sorted(name for name in {*aliases.values()} - NOT_OF_TEXT if not name.endswith("_codec"))
TEXT = "1\tcafé “x”\n2\tnaïve €\n" * 9_000  # more than a block


@pytest.mark.parametrize(
    "encoding", ["windows-1252", "utf-16", "UTF-16-LE", "utf-32", "utf-8", "cp1252", "gb18030"]
)
def test_every_character_arrives(encoding):
    assert read(TEXT.encode(encoding), encoding).decode() == TEXT


@given(st.text(st.characters(codec="latin-1"), max_size=300))
def test_latin_1(text):
    assert read(text.encode("latin-1"), "latin-1") == text.encode()


def test_the_first_bytes_can_be_seen_without_reading_them():
    stream = recoded("file", io.BufferedReader(io.BytesIO("é".encode("latin-1") * 9_000)), "latin1")
    assert stream.peek(4096)[:4096] == "é".encode() * 2048
    assert stream.read() == "é".encode() * 9_000


def test_files_and_archives_of_any_encoding(tmp_path):
    (tmp_path / "topics").write_bytes("1\tcafé\n".encode("utf-16"))
    for file in open_members([tmp_path], encoding="utf-16"):
        assert read_topics(file) == [Topic("1", "café")]


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"a\nb\x81\n", "windows-1252", "file, line 2: the byte 0x81 is not cp1252"),
        (
            TEXT.encode("cp1252") + b"\n\x81",
            "cp1252",
            "file, line 18002: the byte 0x81 is not cp1252",
        ),
        (
            "a\n".encode("utf-16") + b"\x00\xdc",
            "utf-16",
            "file, line 2: the byte 0x00 is not utf-16",
        ),
        (b"\xff\xfea\0\n\0b", "utf-16", "file, line 2: the byte 0x62 is not utf-16"),
        (b"a\n\x81", "shift_jis", "file, line 2: the byte 0x81 is not shift_jis"),
        ("é".encode("latin-1"), "ascii", "file, line 1: the byte 0xe9 is not ascii"),
    ],
)
def test_bytes_that_the_encoding_does_not_have(data, encoding, message):
    with pytest.raises(BadFile) as fault:
        read(data, encoding)
    assert str(fault.value) == f"{message}; expected {message.rpartition(' ')[2]} text"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_no_byte_order_mark(encoding):
    with pytest.raises(BadFile) as fault:
        read("a\n".encode(f"{encoding}-le"), encoding)
    assert str(fault.value) == (
        f"file: no byte order mark; expected one, or {encoding}-le or {encoding}-be as the encoding"
    )


@given(st.binary(max_size=100), st.sampled_from(ALL))
def test_any_bytes_are_read_or_refused(data, encoding):
    with suppress(BadFile):
        read(data, encoding).decode()


@pytest.mark.parametrize(
    "name",
    [
        *("", "klingon", "base64", "rot13", "zlib", "idna", "punycode", "unicode_escape", "utf-7"),
        *("raw_unicode_escape", "undefined", "../x", "a\0b", "é", "x" * 10_000),
    ],
)
def test_what_is_no_encoding_of_files(name):
    with pytest.raises(UnknownEncoding, match="is no encoding of text; expected a name as latin-1"):
        known_encoding(name)


def test_what_is_not_utf8_can_be_told_from_other_faults():
    for data in ("café".encode("latin-1"), "a".encode("utf-16")):
        with pytest.raises(NotUTF8):
            list(read_documents(member(b"1\t" + data if data[0] == 99 else data)))
