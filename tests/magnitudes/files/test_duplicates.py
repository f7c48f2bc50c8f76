"""Classes of near duplicates, as files tell them."""

import io

import pytest

from magnitudes.files.containers.archives import Member
from magnitudes.files.duplicates import read_classes
from magnitudes.files.errors import BadFile


def member(text, name="file"):
    return Member(name, io.BufferedReader(io.BytesIO(text.encode())))


@pytest.mark.parametrize(
    "text", ["a 1\nb 1\nc x\n", "a\t1\n\nb\t1\nc\tx", "doc_id,class\na,1\nb,1\nc,x\nc,x\n"]
)
def test_classes_of_all_topics(text):
    assert read_classes([member(text)]) == {"": {"a": "1", "b": "1", "c": "x"}}


@pytest.mark.parametrize(
    "text", ["9 a 1\n9 b 1\n8 a 2\n", "class\tdoc_id\tquery_id\n1\ta\t9\n1\tb\t9\n2\ta\t8\n"]
)
def test_classes_of_each_topic(text):
    assert read_classes([member(text)]) == {"9": {"a": "1", "b": "1"}, "8": {"a": "2"}}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a 1\nb 1\na 2\n"], r"line 3: document a in the class 2, and in the class 1 \(line 1\)"),
        (["a 1\n", "a 2\n"], r"1, line 1: document a in the class 2, .* \(0, line 1\)"),
        (["9 a 1\n9 a 2\n"], "document a in the class 2"),
        (["a 1\n", "9 a 1\n"], "with and without a topic"),
        (["a 1\nb\n"], "line 2: 1 column"),
        (["\na\n"], "line 2: 1 column"),
        (["a b c d\n"], "4 columns"),
        (["doc_id,class\na,\n"], "the class is empty"),
        (["doc_id,class\n"], "no classes"),
        (["\n"], "no classes"),
        ([""], "an empty file"),
    ],
)
def test_bad_files(texts, message):
    with pytest.raises(BadFile, match=message):
        read_classes([member(text, str(n)) for n, text in enumerate(texts)])
