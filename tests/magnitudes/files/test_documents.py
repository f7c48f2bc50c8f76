import json
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.files.documents import Document, read_documents
from magnitudes.files.errors import BadFile
from tests.magnitudes.files.making import member

# Written for these tests in the layouts of the collections on TREC's disks 4 and 5, and others.
FINANCIAL_TIMES = """<DOC>
<DOCNO>FT911-9</DOCNO>
<PROFILE>_AN-BEOA7AAIFT</PROFILE>
<DATE>910514
</DATE>
<HEADLINE>
FT  14 MAY 91 / Tin &amp; copper
prices rise
</HEADLINE>
<BYLINE>
   By A WRITER
</BYLINE>
<TEXT>
Tin rose by 3 &lt; 4 per cent.
It may fall.

Copper did not.
</TEXT>
<PUB>The Financial Times
</PUB>
<PAGE>
London Page 23
</PAGE>
</DOC>
"""
LOS_ANGELES_TIMES = """<DOC>
<DOCNO> LA010189-0001 </DOCNO>
<DOCID> 1 </DOCID>
<DATE>
<P>
January 1, 1989, Sunday, Home Edition
</P>
</DATE>
<SECTION><P>Book Review; Page 1</P></SECTION>
<LENGTH><P>12 words</P></LENGTH>
<HEADLINE>
<P>
A BRIDGE OPENS;
</P>
<P>
TRAFFIC FLOWS
</P>
</HEADLINE>
<BYLINE><P>By B. WRITER</P></BYLINE>
<TEXT>
<P>
The bridge opened
on Sunday.
</P>
<P>
Cars came.
</P>
<TABLE><ROWRULE><CELLRULE>1988<CELLRULE>0 cars</TABLE>
</TEXT>
<GRAPHIC><P>Photo, The bridge</P></GRAPHIC>
<TYPE><P>Column</P></TYPE>
</DOC>
"""
FOREIGN_BROADCASTS = """<DOC>
<DOCNO> FBIS3-1 </DOCNO>
<HT>  "cr00000011194001" </HT>

<HEADER>
<H2>   March Reports </H2>
<DATE1>  1 March 1994 </DATE1>

<F P=100></F>
<H3> <TI>      Harbour To Be Enlarged </TI></H3>
</HEADER>

<TEXT>
Language: <F P=105> English </F>
Article Type:BFN

   [Text] The harbour
will grow.

   Ships wait.
</TEXT>

</DOC>
"""
FEDERAL_REGISTER = """<DOC>
<DOCNO> FR940104-0-00001 </DOCNO>
<PARENT> FR940104-0-00001 </PARENT>
<TEXT>

<!-- PJG FTAG 4700 -->
<!-- PJG STAG 4700 -->
<DOCTITLE>Rules for&blank;ferries </DOCTITLE>
<ITAG tagnum="50">Under &sect; 4, self&hyph;propelled ferries &foo; pay.
</ITAG>
</TEXT>
</DOC>
"""
WALL_STREET = """<DOC>
<DOCNO> WSJ1 </DOCNO>
<HL> Steel </HL>
<DD> 01/02/90 </DD>
<SO> PAPER (J) </SO>
<LP> First. </LP>
<TEXT> Second. </TEXT>
</DOC>
"""
EXPECTED = {
    FINANCIAL_TIMES: Document(
        "FT911-9",
        "FT 14 MAY 91 / Tin & copper prices rise",
        "Tin rose by 3 < 4 per cent. It may fall.\n\nCopper did not.",
    ),
    LOS_ANGELES_TIMES: Document(
        "LA010189-0001",
        "A BRIDGE OPENS; TRAFFIC FLOWS",
        "The bridge opened on Sunday.\n\nCars came.\n\n1988 0 cars\n\nPhoto, The bridge",
    ),
    FOREIGN_BROADCASTS: Document(
        "FBIS3-1",
        "Harbour To Be Enlarged",
        "Language: English Article Type:BFN\n\n[Text] The harbour will grow.\n\nShips wait.",
    ),
    FEDERAL_REGISTER: Document(
        "FR940104-0-00001",
        "Rules for ferries",
        "Rules for ferries\n\nUnder § 4, self-propelled ferries &foo; pay.",
    ),
    WALL_STREET: Document("WSJ1", "Steel", "First.\n\nSecond."),
}
PAGE = """<DOC>
<DOCNO>WTX001-B01-1</DOCNO>
<DOCHDR>
http://example.org/ 1 text/html
</DOCHDR>
<HTML><head><Title>A &amp; page</Title></head>
<body>one &amp; <b>two</b></body></HTML>
</DOC>
"""


def read(text: str | bytes) -> list[Document]:
    return list(read_documents(member(text, "docs")))


def refusal(text: str | bytes) -> str:
    with pytest.raises(BadFile) as fault:
        read(text)
    return str(fault.value)


@pytest.mark.parametrize("text", EXPECTED, ids=lambda text: EXPECTED[text].doc_id)
def test_newspapers(text):
    assert read(text) == [EXPECTED[text]]
    assert read(text.replace("\n", "\r\n")) == [EXPECTED[text]]


def test_many_in_a_file_within_a_root_element():
    text = "\ufeff<?xml version='1.0'?>\n<docs>\n" + "\n".join(EXPECTED) + "</docs>\n"
    assert read(text) == list(EXPECTED.values())


def test_all_on_one_line():
    text = "<DOC><DOCNO>1</DOCNO>a</DOC> <DOC><DOCNO>2</DOCNO>b</DOC>"
    assert read(text) == [Document("1", "", "a"), Document("2", "", "b")]


def test_without_text_elements_all_but_header_fields_is_text():
    text = "<DOC><DOCNO>1</DOCNO><DATE>May</DATE><TITLE>t</TITLE>\na <b>b</b>\n<p>c\n</DOC>"
    assert read(text) == [Document("1", "t", "a b\n\nc")]


def test_an_empty_text_element_does_not_hide_the_rest():
    text = "<DOC><DOCNO>1</DOCNO><TEXT>\n</TEXT><NOTE>a</NOTE></DOC>"
    assert read(text) == [Document("1", "", "a")]


def test_a_text_element_may_lack_its_end_and_docno_too():
    assert read("<DOC>\n<DOCNO> 1\n<TEXT>\na\n</DOC>") == [Document("1", "", "a")]


def test_small_letters():
    text = "<doc>\n<docno>1</docno><title>t</title><text>a <DOC> b</text>\n</doc>"
    assert read(text) == [Document("1", "t", "a\n\nb")]


def test_less_than_is_not_a_tag():
    text = "<DOC><DOCNO>1</DOCNO><TEXT>a < b, c > d, e <5, &lt;P&gt; AT&T &amp;lt;</TEXT></DOC>"
    assert read(text) == [Document("1", "", "a < b, c > d, e <5, <P> AT&T &lt;")]


def test_a_web_page_keeps_its_html():
    page = (
        "<HTML><head><Title>A &amp; page</Title></head>\n<body>one &amp; <b>two</b></body></HTML>"
    )
    assert read(PAGE) == [Document("WTX001-B01-1", "A & page", page, is_html=True)]
    bare = "<DOC>\n<DOCNO>1</DOCNO>\n<!DOCTYPE html>\n<p>x\n</DOC>"
    assert read(bare) == [Document("1", "", "<!DOCTYPE html>\n<p>x", is_html=True)]


def test_a_thousand_comments_are_no_trap():
    text = f"<DOC><DOCNO>1</DOCNO>{'<!-- x --> ' * 1000}<TEXT>a</TEXT></DOC>"
    assert read(text) == [Document("1", "", "a")]


def test_jsonl():
    text = '{"id": 7, "contents": "a\\n\\nb"}\n{"docno": "x", "html": "<p>c", "text": "c"}\n'
    assert read(text) == [Document("7", "", "a\n\nb"), Document("x", "", "<p>c", is_html=True)]


def test_languages():
    assert read('{"id": 1, "text": "Zug", "lang": "de"}\n') == [
        Document("1", "", "Zug", language="de")
    ]
    with pytest.raises(BadFile, match=r"language 'Deutsch, ich'; expected a language tag, as en"):
        read('{"id": 1, "text": "Zug", "lang": "Deutsch, ich"}\n')


def test_csv_and_tsv():
    assert read('doc_id,title,body,html\n1,t,"a, ""b""",\n2,t,c,<p>\n') == [
        Document("1", "t", 'a, "b"'),
        Document("2", "t", "<p>", is_html=True),
    ]
    assert read("docno\ttitle\n1\tt\n") == [Document("1", "t", "")]
    assert read('1\ta "b"\n2\tc\n') == [Document("1", "", 'a "b"'), Document("2", "", "c")]


def test_beir():
    text = (
        '{"_id": "MED-10", "title": "Statins", "text": "Recent", "metadata": {"url": "u"}}\n'
        '{"_id": "MED-14", "title": "", "text": "No title", "metadata": {}}\n'
    )
    assert read(text) == [
        Document("MED-10", "Statins", "Recent"),
        Document("MED-14", "", "No title"),
    ]


def test_passages_of_ms_marco():
    assert read('0\tThe "presence" of\n1\tx # y\n') == [
        Document("0", "", 'The "presence" of'),
        Document("1", "", "x # y"),
    ]
    assert read('{"pid": "msmarco_passage_00_0", "passage": "a", "spans": "(0,1)"}') == [
        Document("msmarco_passage_00_0", "", "a")
    ]


def test_pages_of_ms_marco():
    assert read('D1\thttps://a.b/c\tA "title"\tIts text\nD2\thttp://d\t\tx\n') == [
        Document("D1", 'A "title"', "Its text"),
        Document("D2", "", "x"),
    ]
    assert refusal("D1\thttp://a\tb\tc\nD2\thttp://d\n") == (
        "docs, line 2: 2 cells; expected 4, as in the first line: doc_id, url, title, text"
    )
    assert "no column doc_id" in refusal("name\turl\ttitle\tbody\nD1\thttp://a\tb\tc\n")


@pytest.mark.parametrize(
    "empty",
    [
        "<DOC>\n<DOCNO>2</DOCNO>\n<TEXT>\n</TEXT>\n</DOC>\n",
        "<DOC><DOCNO>2</DOCNO></DOC>",
        "<DOC><DOCNO>2</DOCNO><TITLE> </TITLE>\n<!-- x --></DOC>",
    ],
)
def test_an_empty_document(empty):
    document = Document("2", "", "")
    assert document.is_empty
    assert read(WALL_STREET + empty) == [EXPECTED[WALL_STREET], document]
    assert read("doc_id,title,text\n2,,\n") == read("2\t \n") == [document]
    assert not Document("2", "t", "").is_empty
    assert not Document("2", "", "t").is_empty


def test_long_cells():
    text = "a b " * 100_000
    assert read(f'doc_id,text\n1,"{text}"\n')[0].text == text.strip()


def test_the_same_document_again_is_one():
    assert read(WALL_STREET * 2) == [EXPECTED[WALL_STREET]]


def test_memory_does_not_grow_with_the_file():
    def lines():
        for number in range(500):
            yield f"<DOC>\n<DOCNO>{number}</DOCNO>\n<TEXT>\n{'word ' * 2_000}\n</TEXT>\n</DOC>\n"

    content = member("".join(lines()))
    tracemalloc.start()
    assert sum(1 for _ in read_documents(content)) == 500
    assert tracemalloc.get_traced_memory()[1] < 1_000_000  # of 5 million characters
    tracemalloc.stop()


words = st.text(st.characters(exclude_categories=["C"], exclude_characters="\0"), max_size=30)


@given(st.lists(st.tuples(words, words.filter(str.strip)), min_size=1, max_size=5))
def test_what_json_holds_comes_back(texts):
    records = [{"doc_id": n, "title": a, "text": b} for n, (a, b) in enumerate(texts)]
    documents = [Document(str(n), a.strip(), b.strip()) for n, (a, b) in enumerate(texts)]
    assert read("\n".join(map(json.dumps, records))) == documents
    assert read("\n".join(json.dumps(r, ensure_ascii=False) for r in records)) == documents


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=200))
def test_any_text_is_read_or_refused(text):
    for content in (text, "<DOC>" + text, f"<DOC><DOCNO>1</DOCNO>{text}</DOC>"):
        with suppress(BadFile):
            read(content)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "docs: an empty file; expected at least one line"),
        ("\n\n", "docs: no documents in it; expected at least one document"),
        ("<docs>\n</docs>\n", "docs: no documents in it; expected at least one document"),
        (
            WALL_STREET + "<DOC>\n<TEXT>a</TEXT>\n</DOC>\n",
            "docs, line 9: a document without DOCNO; expected <DOCNO> in every <DOC>",
        ),
        ("<DOC><DOCNO> </DOCNO>a</DOC>", "docs, line 1: the DOCNO is empty; expected an id"),
        (
            "<DOC><DOCNO> A 1 </DOCNO>a</DOC>",
            "docs, line 1: a blank in the DOCNO 'A 1'; expected an id without blanks",
        ),
        (
            WALL_STREET + "<DOC>\n<DOCNO>2</DOCNO>\n<TEXT>a",
            "docs, line 9: <DOC> without </DOC>; expected </DOC> before the end of the file",
        ),
        (
            "<DOC>\n<DOCNO>1</DOCNO>\na\n<DOC>\n<DOCNO>2</DOCNO>\nb</DOC>",
            "docs, line 1: <DOC> without </DOC>; expected </DOC> before the next, in line 4",
        ),
        (
            "<docs>\n</DOC>\n",
            "docs, line 2: </DOC> without <DOC>; expected <DOC> before it",
        ),
        (
            WALL_STREET + "\nwords\n",
            "docs, line 10: text outside a document; expected <DOC> before it",
        ),
        (
            WALL_STREET + WALL_STREET.replace("First", "Last"),
            "docs, line 9: document WSJ1 again, with another text; expected each document once",
        ),
        (
            "doc_id,text\n1,a\n1,b\n",
            "docs, line 3: document 1 again, with another text; expected each document once",
        ),
        (
            '{"doc_id": 1, "text": "a"}\n{"text": "b"}\n',
            "docs, line 2: no column doc_id in 'text'; expected the columns doc_id "
            "(and perhaps title, text, html, language)",
        ),
        (
            "1\ta\n2\tb\tc\n",
            "docs, line 2: 3 cells; expected 2, as in the first line: doc_id, text",
        ),
        (
            WALL_STREET.replace("Steel", "St\xe9el").encode("latin-1"),
            "docs, line 3: the byte 0xe9 is not UTF-8; expected UTF-8 text",
        ),
        (WALL_STREET.encode("utf-16"), "docs: UTF-16 text; expected UTF-8 text"),
        (WALL_STREET.replace("First", "\0"), "docs, line 6: a zero byte; expected UTF-8 text"),
    ],
)
def test_what_is_refused(text, message):
    assert refusal(text) == message


def test_documents_before_a_fault_are_given():
    documents = read_documents(member(WALL_STREET + "<DOC>\n"))
    assert next(documents) == EXPECTED[WALL_STREET]
    with pytest.raises(BadFile):
        next(documents)
