import pytest

from magnitudes.files.errors import BadFile
from magnitudes.files.topics import Topic, read_topics
from tests.magnitudes.files.making import member

UNCLOSED = """
<top>

<num> Number: 051
<title> Topic: canal
  traffic &amp; tolls

<desc> Description:
Who pays for the use
of canals?

<narr> Narrative:
Relevant documents name a toll.
Prices alone count.

Barges on rivers
do not.

</top>

<top>
<num> Number: MB01
<title> silk

<desc> Description:
Where is silk spun?
<narr> Narrative:

</top>
"""
CLOSED = """<?xml version="1.0"?>
<topics>
<!-- two of
them -->
<top><num>Number: 051</num><title>canal traffic &#38; tolls</title>
<desc>Description: Who pays for the use of canals?</desc>
<narr>Narrative:<p>Relevant documents name a toll. Prices <b>alone</b> count.</p>
<p>Barges on rivers do not.</p></narr></top>
<top><num>MB01</num><query>silk</query><desc>Where is silk spun?</desc><narr></narr></top>
</topics>
"""
TOPICS = [
    Topic(
        "051",
        "canal traffic & tolls",
        "Who pays for the use of canals?",
        "Relevant documents name a toll. Prices alone count.\n\nBarges on rivers do not.",
    ),
    Topic("MB01", "silk", "Where is silk spun?", ""),
]
HEADED = "query_id,title,description,narrative\n"


def read(text: str | bytes) -> list[Topic]:
    return read_topics(member(text, "topics"))


def refusal(text: str | bytes) -> str:
    with pytest.raises(BadFile) as fault:
        read(text)
    return str(fault.value)


@pytest.mark.parametrize("text", [UNCLOSED, CLOSED])
def test_sgml(text):
    assert read(text) == TOPICS
    assert read(text.replace("\n", "\r\n")) == TOPICS
    assert read("\ufeff" + text) == TOPICS


def test_fields_of_the_first_years_end_the_narrative():
    text = "<top><head> Tipster\n<num> Number: 1\n<title> Topic: a\n<narr> b\n<con> c\n</top>"
    assert read(text) == [Topic("1", "a", "", "b")]


def test_a_word_within_a_field_that_looks_like_its_label_stays():
    text = "<top><num> 1 <title> The topic: Paris <desc> The number: 5 <narr>Topic: x\n</top>"
    assert read(text) == [Topic("1", "The topic: Paris", "The number: 5", "x")]


def test_jsonl_with_ids_as_numbers_or_text():
    text = '{"num": 51, "query": "canals", "desc": "d", "other": [1]}\n\n{"id":"x","title":"é"}\n'
    assert read(text) == [Topic("51", "canals", "d"), Topic("x", "é")]


def test_csv_with_quotes_and_line_breaks():
    text = HEADED + '1,"a, b",c,"first\n\nsecond ""quoted"""\n'
    assert read(text) == [Topic("1", "a, b", "c", 'first\n\nsecond "quoted"')]


def test_tsv_with_header_in_any_order_and_case():
    assert read("Title\tQID\tnarr\na\t1\tn\n") == [Topic("1", "a", "", "n")]


def test_two_columns_without_header_keep_their_quotes():
    text = '11\twhat is "x"\n12\t"a" b\n'
    assert read(text) == [Topic("11", 'what is "x"'), Topic("12", '"a" b')]


def test_beir():
    text = '{"_id": "PLAIN-2", "text": "Do statins help?", "metadata": {"url": "u"}}\n'
    assert read(text) == [Topic("PLAIN-2", "Do statins help?")]


def test_one_topic_without_header():
    assert read("11\twhat") == [Topic("11", "what")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "topics: an empty file; expected at least one line"),
        (" \n", "topics: no topics in it; expected at least one topic"),
        (HEADED, "topics: no topics in it; expected at least one topic"),
        (
            "\n<top>\n<title> a\n</top>",
            "topics, line 2: a topic without number; expected <num> in every <top>",
        ),
        (
            "<top>\n<num> 1\n<title> a\n</top>\n\n<top>\n<num> 2\n<desc> d\n</top>",
            "topics, line 6: topic 2 has no title; expected a title for every topic",
        ),
        (
            "<top>\n<num> Number: \n<title> a\n</top>",
            "topics, line 1: the topic number is empty; expected an id",
        ),
        (
            "<top><num> 1\n<title> a\n</top>\n<top><num> 1\n<title> b</top>",
            "topics, line 4: topic 1 again (first in line 1); expected each topic once",
        ),
        (
            "<top><num> 1\n<title> a\n<num> 2\n<title> b</top>",
            "topics, line 1: two <num> in one topic; expected <top> before every topic",
        ),
        (
            "<top><num> 1\n<title> a\n</top>\n\n b\n<top><num> 2\n<title> c",
            "topics, line 5: text outside a topic; expected <top> before it",
        ),
        (
            "<DOC>\n<DOCNO> 1 </DOCNO>\n</DOC>",
            "topics: no <top> in it; expected SGML with <top>, JSONL, CSV or TSV",
        ),
        (
            UNCLOSED[: UNCLOSED.rindex("</top>")],
            "topics, line 21: <top> without </top>; expected </top> before the end of the file",
        ),
        (
            UNCLOSED.replace("</top>", "", 1),
            "topics, line 2: <top> without </top>; expected </top> before the next, in line 21",
        ),
        ("<topics>\n</top>", "topics, line 2: </top> without <top>; expected <top> before it"),
        (
            "<!-- of\n1999 -->\n<!DOCTYPE\nx> <a> two\n<top></top>",
            "topics, line 4: text outside a topic; expected <top> before it",
        ),
        (
            "query_id,words\n1,a\n",
            "topics, line 1: no column title in 'query_id, words'; expected the columns query_id, "
            "title (and perhaps description, narrative, language)",
        ),
        (
            "1,a\n2,b\n",
            "topics, line 1: no column query_id in '1, a'; expected the columns query_id, title "
            "(and perhaps description, narrative, language)",
        ),
        (
            '\n{"query_id": 1}\n',
            "topics, line 2: no column title in 'query_id'; expected the columns query_id, title "
            "(and perhaps description, narrative, language)",
        ),
        (
            "11\ta\n12\n",
            "topics, line 2: 1 cell; expected 2, as in the first line: query_id, title",
        ),
        (
            HEADED + "1,a,b\n",
            "topics, line 2: 3 cells; expected 4, as in the header: "
            "'query_id,title,description,narrative'",
        ),
        (
            HEADED + "1,a,,\n1,b,,\n",
            "topics, line 3: topic 1 again (first in line 2); expected each topic once",
        ),
        (
            HEADED + '1,"a\nb,,\n',
            "topics, line 2: a cell not as in CSV (unexpected end of data); "
            "expected quotes closed, and doubled within a quoted cell",
        ),
        (
            HEADED + "1 2,a,,\n",
            "topics, line 2: a blank in the topic number '1 2'; expected an id without blanks",
        ),
        (
            HEADED + "1,,b,\n",
            "topics, line 2: topic 1 has no title; expected a title for every topic",
        ),
        (
            "qid,qid,title\n1,2,a\n",
            "topics, line 1: a column name twice in the header; expected each column once",
        ),
        (
            '{"query_id": 1, "title": ["a"]}',
            "topics, line 1: 'title' is a list; expected text or a number",
        ),
        (
            '{"query_id": 1, "title": true}',
            "topics, line 1: 'title' is a bool; expected text or a number",
        ),
        (
            '{"query_id": 1, "title": "\\ud800"}',
            "topics, line 1: 'title' has a character that is not text; expected UTF-8 text",
        ),
        (
            '{"query_id": 1, "title": "\\u0000"}',
            "topics, line 1: 'title' has a character that is not text; expected UTF-8 text",
        ),
        (
            '{"query_id": 1, "title": "a"}\n[1]',
            "topics, line 2: JSON, but a list; expected one JSON object on the line",
        ),
        (
            '{"query_id": 1,\n"title": "a"}',
            "topics, line 1: not JSON (Expecting property name "
            "enclosed in double quotes, column 17); "
            "expected one JSON object on the line",
        ),
        ("<top><num> 1\n<title> a\0b", "topics, line 2: a zero byte; expected UTF-8 text"),
        ("a\tb\n".encode("utf-16"), "topics: UTF-16 text; expected UTF-8 text"),
        (
            "1\ta\n2\tcafé\n".encode("latin-1"),
            "topics, line 2: the byte 0xe9 is not UTF-8; expected UTF-8 text",
        ),
    ],
)
def test_what_is_refused(text, message):
    assert refusal(text) == message
