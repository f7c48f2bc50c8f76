"""Whether every reader takes time in proportion to the length of what it reads.

    python -m bench.linear_readers

Each reader is given its hostile inputs, of some length and of four times that length: tags,
comments and quotes that are never closed, numbers and words that do not end, and the like. A reader
that goes over the rest of its file at each of them takes sixteen times as long for four times as
much.
Lengths grow until the processor time can be measured; the least of several turns counts, and of
three ratios where the first is too high. Ends with 1 when the worst ratio is above 6.
"""

import gc
import io
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from bench.site.command import options, verdict
from magnitudes.files.containers.archives import Member
from magnitudes.files.containers.recoding import recoded
from magnitudes.files.documents import read_documents
from magnitudes.files.duplicates import read_classes
from magnitudes.files.errors import BadFile
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.files.labels.scales import Scale
from magnitudes.files.lengths import read_lengths
from magnitudes.files.parsing.text import read_lines
from magnitudes.files.questions import read_questions
from magnitudes.files.runs import read_run
from magnitudes.files.session_logs import read_sessions
from magnitudes.files.topics import read_topics
from magnitudes.files.values import read_values

OPTIONS = options(__doc__)
OPTIONS.add_argument("-v", "--verbose", action="store_true", help="print every ratio")
LIMIT = 6
TURNS = 3
MEASURABLE = 0.02  # seconds
SMALLEST, LARGEST = 1 << 11, 1 << 17  # bytes, of the shorter one

Read = Callable[[Member], object]
Write = Callable[[int], str]


def filled(before: str, part: str, after: str = "") -> Write:
    """Texts of some length: `part` again and again."""
    return lambda length: before + part * (length // len(part)) + after


def numbered(before: str, part: str, after: str = "") -> Write:
    """The same with numbers in place of `{}`."""

    def write(length: int) -> str:
        width = len(part.format(100_000))
        return before + "".join(part.format(n) for n in range(length // width)) + after

    return write


DOC, END = "<DOC><DOCNO>1</DOCNO>", " words</DOC>"
PAGE = DOC + "<DOCHDR>x</DOCHDR><html>"
SGML = {
    "unclosed date": filled(DOC, "<date>", END),
    "unclosed title": filled(DOC, "<title>", END),
    "unclosed h1": filled(DOC, "<h1>", END),
    "unclosed h1 and title": filled(DOC, "<h1><title><date>", END),
    "unclosed text": filled(DOC, "<text>", END),
    "comments": filled(DOC, "<!--", END),
    "comments and an end": filled(DOC, "<!--", "-->" + END),
    "comments with ends": filled(DOC, "<!-- -->", END),
    "comments before a page": filled(DOC, "<!-- x --> ", "<html>" + END),
    "end tags": filled(DOC, "</title>", END),
    "tag without end": filled(DOC, "<a ", END),
    "long name of a tag": filled(DOC + "<", "a", END),
    "blanks in a tag": filled(DOC + "<a", " ", END),
    "entities": filled(DOC, "&a", END),
    "long entity": filled(DOC + "&", "a", END),
    "blank lines": filled(DOC, "\n ", END),
    "blanks": filled(DOC, " ", END),
    "documents": numbered("", "<DOC><DOCNO>{}</DOCNO>a</DOC>"),
    "documents on lines": numbered("", "<DOC><DOCNO>{}</DOCNO>a</DOC>\n"),
    "surroundings": filled("<DOC>", "<!--"),
    "docno without end": filled("<DOC>", "<DOCNO", END),
    "docnos": filled("<DOC>", "<DOCNO>", END),
    "headers": filled(DOC, "<DOCHDR>", END),
    "before": filled("", "<!--", "<DOC>"),
    "before, ended": filled("", "<!-- --><a>", "<DOC>"),
}
PAGES = {
    "page of nested elements": filled(PAGE, "<div>", END),
    "page of misnested elements": filled(PAGE, "<b><i><u></b>", END),
    "page of comments": filled(PAGE, "<!--", END),
    "page of unclosed tags": filled(PAGE, "<a ", END),
    "page of quotes": filled(PAGE, '<a b="', END),
    "page of both quotes": filled(PAGE, "<a b=\"<a b='", END),
    "page of attributes": filled(PAGE + "<a", " b=c", END),
    "page of equals": filled(PAGE + "<a", "= ", END),
    "page of scripts": filled(PAGE, "<script>", END),
    "page of closed scripts": filled(PAGE, "<script></script>", END),
    "page of declarations": filled(PAGE, "<!", END),
    "page of less-thans": filled(PAGE, "<", END),
}
TOP = "<top><num>1<title>a</title>"
TOPICS = {
    "comments": filled("", "<!--", TOP + "</top>"),
    "comments within": filled(TOP, "<!--", "</top>"),
    "topics": numbered("", "<top><num>{}<title>a</top>"),
    "topics on lines": numbered("", "<top>\n<num>{}\n<title>a\n</top>\n"),
    "unclosed fields": filled(TOP, "<num", "</top>"),
    "other fields": filled(TOP, "<con>", "</top>"),
    "blanks before a label": filled("<top><num>1<title>", " ", "x</top>"),
    "labels": filled("<top><num>1<title>", "topic", "x</top>"),
    "tags": filled("", "<a>", TOP + "</top>"),
    "unclosed tags": filled("", "<a ", TOP + "</top>"),
    "MS MARCO": numbered("", "{}\ta\n"),
    "lines": numbered("", "{}:a\n"),
    "a number before a colon": filled("", "1", ":a\n"),
    "colons": filled("1", ":", "\n2"),
}
WEB_TOPIC, WEB_END = '<topic number="1"><query>a</query>', "</topic>"
WEB_TOPICS = {
    "web topics": numbered("", '<topic number="{}"><query>a</query></topic>\n'),
    "declarations": filled("<!DOCTYPE a [", "<!ELEMENT a>", "]>" + WEB_TOPIC + WEB_END),
    "open declarations": filled("", "<!DOCTYPE a [", WEB_TOPIC + WEB_END),
    "subtopics": filled(WEB_TOPIC, "<subtopic>a</subtopic>", WEB_END),
    "unclosed subtopics": filled(WEB_TOPIC, "<subtopic>", WEB_END),
    "unclosed descriptions": filled(WEB_TOPIC, "<description>", WEB_END),
    "comments in a topic": filled(WEB_TOPIC, "<!--", WEB_END),
    "attributes": filled("<topic", " number=", ">"),
    "quotes in attributes": filled("<topic", " number='", ">" + WEB_END),
    "blanks in attributes": filled("<topic number", " ", ">" + WEB_END),
    "unclosed web topics": filled("<topic>", "<topic ", WEB_END),
    "ends of web topics": filled(WEB_TOPIC, "</topic "),
}
COLUMNS = {
    "digits": filled("1 0 a 1 ", "1", "x t"),
    "digits in a table": filled("query_id,doc_id,rank,score,run,relevance\n1,a,1,", "1", "x,t,1"),
    "digits of a label": filled("1 0 a ", "1", "x"),
    "blanks": filled("1 0", " "),
    "cells": filled("1 0", " a"),
    "blank lines": filled("", "\n"),
    "lines of blanks": filled("", " \n"),
    "opening brace": filled("{", " "),
    "rows of a run": numbered("", "1 0 d{0} {0} 1 t\n"),
    "uneven rows of a run": numbered("", "1  0 d{0} {0} 1 t \n"),
    "topics of a run": numbered("", "{0} 0 d{0} 1 1 t \n"),
    "labels": numbered("", "1 0 d{} 1\n"),
    "ranked lists": numbered("", "1 d{0} {0}\n"),
    "uneven ranked lists": numbered("", "1  d{0} {0} \n"),
    "comments": filled("1 0 a 1\n", "# a\n"),
    "blanks before no comment": filled("#\n", " ", "x"),
    "lines of blanks and a comment": filled("", "\n\t", "#"),
    "hashes": filled("1 0 ", "#", " 1"),
    "the same label": filled("", "1 0 a 1\n"),
    "bytes that are not UTF-8": filled("1 0 a 1 1 t\n1 0 ", "\udcff", " 1 1 t"),
}
QUESTION = "question,option_1,option_2,option_3,option_4,answer,h_k,n_k"
NAMES = (
    "query_id,doc_id,text,title,rank,score,run,relevance,worker,label,words,class,event,seconds,"
    + QUESTION
)
TABLES = {
    "unclosed quote": filled(NAMES.replace(",", ",", 1) + '\n"', "a,b\n"),
    "quotes": filled(NAMES + "\n", '"",'),
    "quotes over lines": filled(NAMES + "\n", '"\n",'),
    "cells": filled(NAMES + "\n", "a,"),
    "columns": numbered(NAMES, ",c{}", "\n"),
    "columns of JSON": numbered('{"a": 1', ', "c{}": 1', "}"),
    "nested JSON": filled("{", '"a":{'),
    "nested lists": filled('{"a":', "["),
    "digits in JSON": filled('{"query_id": ', "1", ', "doc_id": "a"}'),
    "digits as a number": filled('{"doc_id": "a", "words": "', "1", 'x"}'),
    "strings in JSON": filled('{"a": "', "\\u0041", '"}'),
    "blanks in JSON": filled("{", " "),
    "rows": filled(NAMES + "\n", "1,d,a,a,1,1,t,1,w,1,1,c,view,1,q,a,b,c,d,a,h,n\n"),
    "rows of topics": numbered(NAMES + "\n", "{},d,a,a,1,1,t,1,w,1,1,c,view,1,q,a,b,c,d,a,h,n\n"),
    "BEIR's labels": numbered("query-id\tcorpus-id\tscore\n", "1\td{}\t1\n"),
}
TEXTS = {
    "lines": filled("", "a\n"),
    "a long line": filled("", "a"),
    "bytes beyond ASCII": filled("", "é"),
    "a fault at the end": filled("", "a\n", "\udcff"),
}


def scale() -> Scale:
    return Scale(["0", "1"])


READERS: dict[str, tuple[Read, dict[str, Write]]] = {
    "documents": (lambda file: drained(read_documents(file)), SGML | PAGES | TABLES),
    "lengths": (lambda file: drained(read_lengths(file)), PAGES | TABLES),
    "topics": (read_topics, TOPICS | WEB_TOPICS | TABLES),
    "runs": (read_run, COLUMNS | TABLES),
    "labels": (lambda file: read_qrels([file]), COLUMNS | TABLES),
    "opinions": (lambda file: read_opinions([file], scale()), TABLES),
    "near duplicates": (lambda file: read_classes([file]), COLUMNS | TABLES),
    "session logs": (lambda file: read_sessions([file]), TABLES),
    "questions": (read_questions, TABLES),
    "another encoding": (lambda file: drained(read_lines(in_encoding(file, "shift_jis"))), TEXTS),
    "a stateful encoding": (lambda file: drained(read_lines(in_encoding(file, "utf-16"))), TEXTS),
    "values": (lambda file: read_values([file]), TABLES),
}


def in_encoding(file: Member, encoding: str) -> Member:
    return Member(file.name, recoded(file.name, file.stream, encoding))


def drained(rows: Iterable[object]) -> None:
    for _ in rows:
        pass


def seconds(read: Read, text: str) -> float:
    """Processor time of reading, or of refusing, a text: the least of several turns."""
    data = text.encode(errors="surrogateescape")
    turns = []
    for _ in range(TURNS):
        file = Member("hostile", io.BufferedReader(io.BytesIO(data), 1 << 16))
        begin = time.process_time()
        with suppress(BadFile):
            read(file)
        turns.append(time.process_time() - begin)
        if turns[-1] > 10 * MEASURABLE:
            break
    return min(turns)


def growth(read: Read, write: Write) -> tuple[float, int]:
    """How many times longer four times as much takes; and the shorter length in bytes."""
    length = SMALLEST
    short = seconds(read, write(length))
    while True:
        long = seconds(read, write(4 * length))
        if short >= MEASURABLE or length >= LARGEST:
            # What takes no time at any length is refused at once.
            return long / max(short, MEASURABLE), length
        length, short = 4 * length, long


def main() -> int:
    verbose = OPTIONS.parse_args().verbose
    gc.disable()  # looking through what others hold is not the readers' time
    worst = 0.0
    for name, (read, inputs) in READERS.items():
        for what, write in inputs.items():
            # A busy moment can make a single one of them slow; a reader that is slow is so again.
            ratio, length = growth(read, write)
            for _ in range(2):
                if ratio > LIMIT:
                    ratio, length = min((ratio, length), growth(read, write))
            worst = max(worst, ratio)
            if ratio > LIMIT or verbose:
                print(f"{name}: {what}: {ratio:.1f} times from {length:,} bytes", flush=True)
    cases = sum(len(inputs) for _, inputs in READERS.values())
    print(f"{len(READERS)} readers, {cases} hostile inputs")
    return verdict(worst, LIMIT)


if __name__ == "__main__":
    sys.exit(main())
