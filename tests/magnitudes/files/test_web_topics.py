"""Topics of TREC's web track: XML, and lines of number and text."""

import pytest

from magnitudes.files.topics import Topic
from tests.magnitudes.files.test_topics import read, refusal

XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE webtrack2012 [
  <!ELEMENT webtrack2012 (topic)*>
  <!ELEMENT topic (query, description, subtopic+)>
    <!ATTLIST topic number CDATA #REQUIRED type (ambiguous|faceted|other) "ambiguous">
]>
<webtrack2012>
<!-- two
of them -->
<topic number="151" type="ambiguous">
  <query>403b</query>
  <description>
    What is a 403b plan
    &amp; who may have one?
  </description>
  <subtopic number="1" type="inf">
    What is a 403b plan  &amp; who may have one?
  </subtopic>
  <subtopic number="2" type="inf">
    What is a 403b plan?
  </subtopic>
  <subtopic number="3" type="nav">Find the page of the tax office.</subtopic>
</topic>
<topic type="single"
       number='152'>
  <query>angular <b>cheilitis</b></query><!-- <query>no</query> -->
  <description></description></topic >
</webtrack2012>
"""
TOPICS = [
    Topic(
        "151",
        "403b",
        "What is a 403b plan & who may have one?",
        "What is a 403b plan?\n\nFind the page of the tax office.",
    ),
    Topic("152", "angular cheilitis"),
]


def test_the_web_track():
    assert read(XML) == TOPICS
    assert read("\ufeff" + XML.replace("\n", "\r\n")) == TOPICS
    assert read(XML.replace("topic", "TOPIC")) == TOPICS


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        (
            '<topics><topic number="1"><query>masks</query><question>Do they?</question>'
            "<narrative>Trials.</narrative></topic></topics>",
            Topic("1", "masks", "Do they?", "Trials."),
        ),
        (
            "<topics>\n<topic>\n<number>101</number>\n<query>x</query>\n"
            "<description>d</description></topic>\n</topics>",
            Topic("101", "x", "d"),
        ),
        (
            '<topic number="3" type="test"><description>long</description>'
            "<summary>short</summary></topic>",
            Topic("3", "short", "long"),
        ),
    ],
)
def test_other_tracks(text, topic):
    assert read(text) == [topic]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '<topic type="x"><query>a</query></topic>',
            "topics, line 1: the topic number is empty; expected an id",
        ),
        (
            '<t>\n<topic number="1"><description>a</description></topic>\n</t>',
            "topics, line 2: topic 1 has no title; expected a title for every topic",
        ),
        (
            '<topic number="1"><query>a</query><query>b</query></topic>',
            "topics, line 1: two <query> in one topic; expected <topic> before every topic",
        ),
        (
            XML.replace("'152'", "'151'"),
            "topics, line 24: topic 151 again (first in line 10); expected each topic once",
        ),
        (
            XML.replace("</topic >", ""),
            "topics, line 24: <topic> without </topic>; expected </topic> before the end of the "
            "file",
        ),
        (
            XML.replace("</webtrack2012>", "words"),
            "topics, line 28: text outside a topic; expected <topic> before it",
        ),
    ],
)
def test_faults_of_xml(text, message):
    assert refusal(text) == message


def test_a_doctype_whose_bracket_stays_open():
    text = '<!DOCTYPE a [\n<!ELEMENT b>\n<topic number="1"><query>a</query></topic>'
    assert refusal(text) == "topics, line 1: text outside a topic; expected <topic> before it"


def test_lines_of_number_and_text():
    assert read("151:403b\n152:angular  cheilitis\n\n153: 20:15, a query\n") == [
        Topic("151", "403b"),
        Topic("152", "angular cheilitis"),
        Topic("153", "20:15, a query"),
    ]
    assert read("\ufeffwt09-1:obama family tree\r\n") == [Topic("wt09-1", "obama family tree")]


def test_a_colon_in_other_files():
    assert read("1:30\ta time\n") == [Topic("1:30", "a time")]
    assert read('{"query_id": 1, "title": "a"}') == [Topic("1", "a")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "151:403b\n152 angular\n",
            "topics, line 2: no colon in '152 angular'; expected number:text, as in line 1",
        ),
        ("1:a\n2:\n", "topics, line 2: topic 2 has no title; expected a title for every topic"),
        (
            "1:a\n2 b:\n",
            "topics, line 2: a blank in the topic number '2 b'; expected an id without blanks",
        ),
        ("1:a\n1:b\n", "topics, line 2: topic 1 again (first in line 1); expected each topic once"),
    ],
)
def test_faults_of_lines(text, message):
    assert refusal(text) == message
