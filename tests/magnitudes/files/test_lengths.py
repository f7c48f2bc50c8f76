"""Lengths of documents, from texts and from numbers."""

import io

import pytest

from magnitudes.files.containers.archives import Member
from magnitudes.files.documents import Document
from magnitudes.files.errors import BadFile
from magnitudes.files.lengths import all_lengths, all_texts, length

SGML = "<DOC><DOCNO> a </DOCNO><TITLE>Two words</TITLE><TEXT>and three more</TEXT></DOC>\n"


def member(text, name="file"):
    return Member(name, io.BufferedReader(io.BytesIO(text.encode())))


def test_words_are_those_of_title_and_text_without_tags():
    assert length(Document("a", "A title", "one  two\n\nthree")) == 5
    assert length(Document("a", "", "<p>one <b>two</b></p><!-- three -->", is_html=True)) == 2


@pytest.mark.parametrize(
    "text",
    [
        SGML,
        "doc_id\ttext\na\tfive words of plain text\n",
        "doc_id\twords\na\t5\n",
        "docno,other,words\na,x,5\n",
        '{"doc_id": "a", "words": 5}\n',
        '{"doc_id": "a", "title": "five", "text": "words of plain text"}\n',
    ],
)
def test_documents_and_numbers(text):
    assert all_lengths([member(text)]) == {"a": 5}


def test_an_empty_document_has_no_words_and_no_text():
    text = "<DOC><DOCNO>e</DOCNO></DOC>" + SGML
    assert all_lengths([member(text)]) == {"e": 0, "a": 5}
    assert dict(all_texts([member(text)])) == {"a": "Two words and three more"}


def test_a_length_that_comes_again():
    assert all_lengths([member(SGML), member("doc_id,words\na,5\nb,0\n")]) == {"a": 5, "b": 0}
    with pytest.raises(BadFile, match="second: document a has 6 words, and 5 elsewhere"):
        all_lengths([member(SGML), member("doc_id,words\na,6\n", "second")])


@pytest.mark.parametrize("words", ["5.5", "-1", "", "many", "٣", "1" * 13, "9" * 5000])
def test_a_number_that_is_not_whole(words):
    with pytest.raises(BadFile, match=r"line 2: the words .* expected a whole number"):
        all_lengths([member(f"doc_id,words\na,{words}\n")])
