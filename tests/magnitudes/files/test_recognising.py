"""What a file holds, by its beginning."""

import gzip
import io
import tarfile

import pytest

from magnitudes.files.containers.archives import first_of
from magnitudes.files.errors import BadFile
from magnitudes.files.kinds import Kind
from magnitudes.files.recognising import kind_of

KINDS = [
    ("topics", "<top>\n<num> Number: 401\n<title> a\n</top>\n"),
    ("topics", '<webtrack2014>\n<topic number="251" type="single"><query>a</query></topic>'),
    ("topics", "151:403b\n152:angular cheilitis\n"),
    ("topics", "query_id,title\n401,foreign minorities\n"),
    ("topics", '{"_id": "1", "text": "what is it"}\n'),
    ("topics", "1048585\twhat is paula deens brother\n"),
    ("documents", "<DOC>\n<DOCNO>FT911-1</DOCNO>\n<TEXT>words</TEXT></DOC>\n"),
    ("documents", "\ufeff\n<doc>\n<docno>A</docno>words</doc>\n"),
    ("documents", '{"_id": "4983", "title": "Microstructural", "text": "Alterations"}\n'),
    ("documents", "docno,text\nA,words\n"),
    ("documents", "0\t" + "The presence of communication amid scientific minds. " * 4 + "\n"),
    ("documents", "D1\thttp://a.org\tA title\tA text\n"),
    ("labels", "401 0 FT911-1 1\n"),
    ("labels", "# comment\n401\t0\tFT911-1\t-2\n"),
    ("labels", "query-id\tcorpus-id\tscore\n1\t31715818\t1\n"),
    ("labels", "query_id,doc_id,relevance\n401,A,0.5\n"),
    ("runs", "401 Q0 FT911-1 1 9.5 tag\n"),
    ("runs", "401\tFT911-1\t1\n"),
    ("runs", "query_id,doc_id,rank,score,run\n401,A,1,9,x\n"),
    ("opinions", "worker,topic,docno,label\nada,401,A,2\n"),
    ("table", "rater;a,thing,number\nada,401,A\n"),
]


@pytest.mark.parametrize(("kind", "text"), KINDS)
def test_what_a_file_holds(kind: str, text: str) -> None:
    for packed in (text.encode(), gzip.compress(text.encode())):
        member = first_of("file", packed)
        assert member
        assert kind_of(member) == kind


@pytest.mark.parametrize(
    "beginning", [b"%PDF-1.7\n%\xe2", b"Dear colleagues\n", b"\x00\x01", b"<html><p>page", b"   \n"]
)
def test_what_is_no_data(beginning: bytes) -> None:
    member = first_of("file", beginning)
    assert member
    assert kind_of(member) is None


def test_the_beginning_of_an_archive_is_read_on(tmp_path) -> None:
    """Further than its first block, with what is around it still there."""
    lines = b"".join(b"401 Q0 FT%d-%d 1 %d.5 tag\n" % (n % 977, n * n, n) for n in range(60_000))
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        for name in ("a", "b"):
            about = tarfile.TarInfo(name)
            about.size = len(lines)
            archive.addfile(about, io.BytesIO(lines))
    data = packed.getvalue()
    for beginning in (data, data[: len(data) // 2]):
        member = first_of("runs.tar.xz", beginning)
        assert member
        assert kind_of(member) == Kind.RUNS
        assert lines.startswith(member.stream.read(1 << 18))


def test_a_name_tells_topics_from_documents_where_the_texts_do_not() -> None:
    both = b'{"_id": "1", "title": "", "text": "what is it"}\n'
    for name, kind in (("queries.jsonl", Kind.TOPICS), ("corpus.jsonl", Kind.DOCUMENTS)):
        member = first_of(name, both)
        assert member
        assert kind_of(member) == kind


def test_a_beginning_that_is_too_short_tells_nothing_and_one_that_is_refused_says_so() -> None:
    assert first_of("file", gzip.compress(b"401 0 A 1\n" * 100)[:20]) is None
    assert first_of("file", b"PK\x03\x04") is None
    with pytest.raises(BadFile, match="7z archive"):
        first_of("file", b"7z\xbc\xaf\x27\x1c")
