"""Records and elements, whatever is left open."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from magnitudes.files.documents import Document, read_documents
from magnitudes.files.errors import BadFile
from magnitudes.files.parsing.markup import paragraphs, without_comments
from magnitudes.files.parsing.sgml import Elements, records
from magnitudes.files.topics import Topic, read_topics
from tests.magnitudes.files.making import member

MANY = 20_000  # at which a reader that looks to the end of the text each time does not come to one
SECONDS = 2  # of the processor; a reader of one pass needs a tenth of it


@contextmanager
def in_one_pass() -> Iterator[None]:
    began = time.process_time()
    yield
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    ("part", "title", "text"),
    [
        ("<date>", "", "words"),
        ("<title>", "", "words"),
        ("<h1>", "", "words"),
        ("<title><date><h1>", "", "words"),
        ("<!--", "", "<!--" * MANY + " words"),
        ("<!-- x -->", "", "words"),
        ("</title>", "", "words"),
        ("<a ", "", "<a " * MANY + "words"),
        ("&amp", "", "&amp" * MANY + " words"),
        ("<title>a</title>", "a", "words"),
    ],
)
def test_a_document_of_many_unclosed_tags(part, title, text):
    content = member(f"<DOC><DOCNO>1</DOCNO>{part * MANY} words</DOC>")
    with in_one_pass():
        assert list(read_documents(content)) == [Document("1", title, text)]


def test_bodies_that_are_not_closed_go_on_to_the_end():
    text = "<DOC><DOCNO>1</DOCNO>" + "<text>" * MANY + " words</DOC>"
    assert list(read_documents(member(text))) == [Document("1", "", "words")]


def test_topics_among_many_unclosed_comments():
    topic = "<top><num>1<title>a <!-- b</top>"
    with in_one_pass():
        assert read_topics(member("<!--" * MANY + topic)) == [Topic("1", "a <!-- b")]
    many = "".join(f"<top>\n<num>{n}\n<title>a\n</top>\n" for n in range(MANY))
    with pytest.raises(BadFile, match=f"line {4 * MANY + 1}: a topic without number"):
        read_topics(member(many + "<top><title>a</top>"))


def test_a_label_after_many_blanks():
    text = "<top><num>1<title>" + " " * MANY + "topic: a" + " " * MANY + "b</top>"
    assert read_topics(member(text)) == [Topic("1", "a b")]


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("<a>1</a><b>2</b>", ["1", "2"]),
        ("<A x=y>1</a >", ["1"]),
        ("<a>1<a>2</a>3</a>", ["1<a>2"]),
        ("<a>1<b>2</a>3</b>", ["1<b>2"]),
        ("<a>1<b>2</b>", ["2"]),
        ("<a>1</a x>2", []),
        ("<ab>1</ab><a/>2</a>", []),
        ("</a><a>1", []),
    ],
)
def test_elements(text, elements):
    found = list(Elements(text, ["a", "b"]).named(["a", "b"]))
    assert [element.content for element in found] == elements
    assert all(text[e.start : e.end].count(e.content) for e in found)


def test_an_open_element_may_go_on_to_the_end():
    elements = Elements("<b>0</b><a>1<b>2</b>", ["a", "b"])
    assert [e.content for e in elements.named(["a"], open_ended=True)] == ["1<b>2</b>"]
    assert [e.content for e in elements.named(["a", "b"], open_ended=True)] == ["0", "1<b>2</b>"]


def test_comments():
    assert without_comments("a<!-- b -->c<!-->d-->e<!--f") == "ace<!--f"
    assert paragraphs("a<!-- <p> -->b <a <!-- c --> d>e") == "ab e"


def test_a_record_and_what_surrounds_it_have_a_longest_length(monkeypatch):
    monkeypatch.setattr("magnitudes.files.parsing.sgml.LONGEST_RECORD", 20)

    def refusal(text):
        with pytest.raises(BadFile) as fault:
            list(records("file", text.splitlines(keepends=True), "DOC", "document"))
        return str(fault.value)

    assert list(records("file", ["<DOC>\n", "x" * 18 + "\n", "</DOC>"] * 3, "DOC", "document"))
    assert refusal("<a>\n<DOC>\n" + "words\n" * 9) == (
        "file, line 2: more than 20 characters without </DOC>; expected shorter documents"
    )
    assert refusal("<DOC></DOC>\n\n<a>\n" + "<b>\n" * 9) == (
        "file, line 1: more than 20 characters without <DOC>; expected shorter documents"
    )
