"""Readers of the field's file formats."""

from collections.abc import Callable

from tests.fuzzing.reader import Reader, drained, member, split
from tests.fuzzing.samples import (
    CLASSES,
    DOCUMENTS,
    ENCODED,
    LABELS,
    LENGTHS,
    OPINIONS,
    QUESTIONS,
    RUNS,
    SESSIONS,
    SGML_WORDS,
    TABLE_WORDS,
    TOPICS,
    VALUES,
)
from trec.containers.archives import Member
from trec.containers.recoding import UnknownEncoding, recoded
from trec.documents import read_documents
from trec.duplicates import read_classes
from trec.errors import BadFile
from trec.ids import encoded
from trec.judged_runs import Cut, JudgedDocuments, read_judged_runs
from trec.labels.opinion_columns import ColumnChoice, header
from trec.labels.opinions import read_opinions
from trec.labels.qrels import read_qrels
from trec.labels.scales import BadScale, Magnitudes, Scale, WholeNumbers
from trec.lengths import all_lengths, all_texts, read_lengths
from trec.parsing.html_tokens import text_of
from trec.parsing.text import read_lines
from trec.questions import read_questions
from trec.recognising import kind_of
from trec.runs import read_run, read_runs
from trec.session_logs import read_sessions
from trec.topics import read_topics
from trec.values import read_values

JUDGED = JudgedDocuments({"401": encoded(["FT911-1", "FT911-2"]), "1": encoded(["a"])})
CUTS = [Cut(None), Cut(2, by_rank=True)]


def _judged(data: bytes) -> None:
    drained(read_judged_runs([member(data)], JUDGED, CUTS, {"a": 1}))


def _opinions(scale: Callable[[], Scale], gold: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        choice = ColumnChoice({}, gold)
        drained(choice.watch([member(data)]))
        drained(read_opinions([member(data)], scale(), gold=gold).rows())

    return read


def _encoded(data: bytes) -> None:
    name, _, rest = data.partition(b"\n")
    stream = member(rest).stream
    text = recoded("file", stream, name.decode(errors="replace"))
    drained(read_lines(Member("file", text)))


def _kind(data: bytes) -> None:
    kind_of(member(data))
    header(data)


def _levels() -> Scale:
    return Scale(["no", "some", "much"], ["0", "1", "2"], missing=["", "-"])


def _magnitudes() -> Scale:
    return Magnitudes(0.5, ["-"])


FILES = (
    Reader(
        "topics",
        lambda data: read_topics(member(data)),
        (BadFile,),
        TOPICS,
        (
            "trec.topics.read_topics trec.web_topics.web_topics trec.web_topics.numbered_topics "
            "trec.web_topics.is_web_xml trec.web_topics.is_numbered"
        ),
        SGML_WORDS + TABLE_WORDS,
    ),
    Reader(
        "documents",
        lambda data: drained(read_documents(member(data))),
        (BadFile,),
        DOCUMENTS,
        "trec.documents.read_documents trec.parsing.sgml.records",
        SGML_WORDS + TABLE_WORDS,
    ),
    Reader(
        "lengths of documents",
        lambda data: (drained(read_lengths(member(data))), all_lengths([member(data)])),
        (BadFile,),
        LENGTHS + DOCUMENTS,
        "trec.lengths.read_lengths trec.lengths.all_lengths",
        SGML_WORDS + TABLE_WORDS,
    ),
    Reader(
        "texts of documents",
        lambda data: drained(all_texts([member(data)])),
        (BadFile,),
        DOCUMENTS,
        "trec.lengths.all_texts",
        SGML_WORDS,
    ),
    Reader(
        "words of HTML",
        lambda data: text_of(data.decode(errors="replace")),
        (),
        DOCUMENTS[:2],
        "trec.parsing.html_tokens.text_of trec.parsing.html_tokens.tokens",
        SGML_WORDS,
    ),
    Reader(
        "runs",
        lambda data: (read_run(member(data)), drained(read_runs([member(data)]))),
        (BadFile,),
        RUNS,
        (
            "trec.runs.read_run trec.runs.read_runs trec.runs.checked_rows "
            "trec.parsing.plain.read_plain trec.parsing.text.uncommented "
            "trec.parsing.text.first_cells trec.parsing.text.line_of "
            "trec.parsing.text.split_lines trec.parsing.text.decoded_lines "
            "trec.parsing.text.read_bytes"
        ),
        TABLE_WORDS,
    ),
    Reader(
        "judged runs",
        _judged,
        (BadFile,),
        RUNS,
        "trec.judged_runs.read_judged_runs",
        TABLE_WORDS,
    ),
    Reader(
        "labels",
        lambda data: read_qrels([member(data)]).by_topic(),
        (BadFile,),
        LABELS,
        (
            "trec.labels.qrels.read_qrels trec.parsing.tables.is_table "
            "trec.parsing.tables.has_header trec.parsing.tables.read_rows"
        ),
        TABLE_WORDS,
    ),
    Reader(
        "opinions by level",
        _opinions(_levels, "gold"),
        (BadFile,),
        OPINIONS,
        "trec.labels.opinions.read_opinions trec.labels.opinion_columns.header",
        TABLE_WORDS,
    ),
    Reader(
        "opinions by whole number",
        _opinions(WholeNumbers, ""),
        (BadFile,),
        OPINIONS,
        "trec.labels.opinions.read_opinions",
        TABLE_WORDS,
    ),
    Reader(
        "opinions by magnitude",
        _opinions(_magnitudes, ""),
        (BadFile, BadScale),
        OPINIONS,
        "trec.labels.opinions.read_opinions",
        TABLE_WORDS,
    ),
    Reader(
        "near duplicates",
        lambda data: read_classes([member(data)]),
        (BadFile,),
        CLASSES,
        "trec.duplicates.read_classes",
        TABLE_WORDS,
    ),
    Reader(
        "session logs",
        lambda data: read_sessions([member(data)]),
        (BadFile,),
        SESSIONS,
        "trec.session_logs.read_sessions",
        TABLE_WORDS,
    ),
    Reader(
        "questions",
        lambda data: read_questions(member(data)),
        (BadFile,),
        QUESTIONS,
        "trec.questions.read_questions",
        TABLE_WORDS,
    ),
    Reader(
        "values",
        lambda data: read_values([member(data)]),
        (BadFile,),
        VALUES,
        "trec.values.read_values",
        TABLE_WORDS,
    ),
    Reader(
        "kinds of files",
        _kind,
        (BadFile,),
        TOPICS + DOCUMENTS + RUNS + LABELS + OPINIONS,
        "trec.recognising.kind_of",
        SGML_WORDS + TABLE_WORDS,
    ),
    Reader(
        "other encodings",
        _encoded,
        (BadFile, UnknownEncoding),
        ENCODED,
        (
            "trec.containers.recoding.recoded trec.containers.recoding.known_encoding "
            "trec.parsing.text.read_lines"
        ),
        split("\x1b$B \x1b ~{ \0 \x0e utf-7 unicode_escape idna", b"\xff\xfe"),
    ),
)
