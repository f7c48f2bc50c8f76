"""Readers of the field's file formats."""

from collections.abc import Callable

from magnitudes.files.containers.archives import Member
from magnitudes.files.containers.recoding import UnknownEncoding, recoded
from magnitudes.files.documents import read_documents
from magnitudes.files.duplicates import read_classes
from magnitudes.files.errors import BadFile
from magnitudes.files.ids import encoded
from magnitudes.files.judged_runs import Cut, JudgedDocuments, read_judged_runs
from magnitudes.files.labels.opinion_columns import ColumnChoice, header
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.files.labels.scales import BadScale, Magnitudes, Scale, WholeNumbers
from magnitudes.files.lengths import all_lengths, all_texts, read_lengths
from magnitudes.files.parsing.html_tokens import text_of
from magnitudes.files.parsing.text import read_lines
from magnitudes.files.questions import read_questions
from magnitudes.files.recognising import kind_of
from magnitudes.files.runs import read_run, read_runs
from magnitudes.files.session_logs import read_sessions
from magnitudes.files.topics import read_topics
from magnitudes.files.values import read_values
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
            "magnitudes.files.topics.read_topics magnitudes.files.web_topics.web_topics "
            "magnitudes.files.web_topics.numbered_topics "
            "magnitudes.files.web_topics.is_web_xml magnitudes.files.web_topics.is_numbered"
        ),
        SGML_WORDS + TABLE_WORDS,
    ),
    Reader(
        "documents",
        lambda data: drained(read_documents(member(data))),
        (BadFile,),
        DOCUMENTS,
        "magnitudes.files.documents.read_documents magnitudes.files.parsing.sgml.records",
        SGML_WORDS + TABLE_WORDS,
    ),
    Reader(
        "lengths of documents",
        lambda data: (drained(read_lengths(member(data))), all_lengths([member(data)])),
        (BadFile,),
        LENGTHS + DOCUMENTS,
        "magnitudes.files.lengths.read_lengths magnitudes.files.lengths.all_lengths",
        SGML_WORDS + TABLE_WORDS,
    ),
    Reader(
        "texts of documents",
        lambda data: drained(all_texts([member(data)])),
        (BadFile,),
        DOCUMENTS,
        "magnitudes.files.lengths.all_texts",
        SGML_WORDS,
    ),
    Reader(
        "words of HTML",
        lambda data: text_of(data.decode(errors="replace")),
        (),
        DOCUMENTS[:2],
        "magnitudes.files.parsing.html_tokens.text_of magnitudes.files.parsing.html_tokens.tokens",
        SGML_WORDS,
    ),
    Reader(
        "runs",
        lambda data: (read_run(member(data)), drained(read_runs([member(data)]))),
        (BadFile,),
        RUNS,
        (
            "magnitudes.files.runs.read_run magnitudes.files.runs.read_runs "
            "magnitudes.files.runs.checked_rows "
            "magnitudes.files.parsing.plain.read_plain magnitudes.files.parsing.text.uncommented "
            "magnitudes.files.parsing.text.first_cells magnitudes.files.parsing.text.line_of "
            "magnitudes.files.parsing.text.split_lines magnitudes.files.parsing.text.decoded_lines "
            "magnitudes.files.parsing.text.read_bytes"
        ),
        TABLE_WORDS,
    ),
    Reader(
        "judged runs",
        _judged,
        (BadFile,),
        RUNS,
        "magnitudes.files.judged_runs.read_judged_runs",
        TABLE_WORDS,
    ),
    Reader(
        "labels",
        lambda data: read_qrels([member(data)]).by_topic(),
        (BadFile,),
        LABELS,
        (
            "magnitudes.files.labels.qrels.read_qrels magnitudes.files.parsing.tables.is_table "
            "magnitudes.files.parsing.tables.has_header magnitudes.files.parsing.tables.read_rows"
        ),
        TABLE_WORDS,
    ),
    Reader(
        "opinions by level",
        _opinions(_levels, "gold"),
        (BadFile,),
        OPINIONS,
        (
            "magnitudes.files.labels.opinions.read_opinions "
            "magnitudes.files.labels.opinion_columns.header"
        ),
        TABLE_WORDS,
    ),
    Reader(
        "opinions by whole number",
        _opinions(WholeNumbers, ""),
        (BadFile,),
        OPINIONS,
        "magnitudes.files.labels.opinions.read_opinions",
        TABLE_WORDS,
    ),
    Reader(
        "opinions by magnitude",
        _opinions(_magnitudes, ""),
        (BadFile, BadScale),
        OPINIONS,
        "magnitudes.files.labels.opinions.read_opinions",
        TABLE_WORDS,
    ),
    Reader(
        "near duplicates",
        lambda data: read_classes([member(data)]),
        (BadFile,),
        CLASSES,
        "magnitudes.files.duplicates.read_classes",
        TABLE_WORDS,
    ),
    Reader(
        "session logs",
        lambda data: read_sessions([member(data)]),
        (BadFile,),
        SESSIONS,
        "magnitudes.files.session_logs.read_sessions",
        TABLE_WORDS,
    ),
    Reader(
        "questions",
        lambda data: read_questions(member(data)),
        (BadFile,),
        QUESTIONS,
        "magnitudes.files.questions.read_questions",
        TABLE_WORDS,
    ),
    Reader(
        "values",
        lambda data: read_values([member(data)]),
        (BadFile,),
        VALUES,
        "magnitudes.files.values.read_values",
        TABLE_WORDS,
    ),
    Reader(
        "kinds of files",
        _kind,
        (BadFile,),
        TOPICS + DOCUMENTS + RUNS + LABELS + OPINIONS,
        "magnitudes.files.recognising.kind_of",
        SGML_WORDS + TABLE_WORDS,
    ),
    Reader(
        "other encodings",
        _encoded,
        (BadFile, UnknownEncoding),
        ENCODED,
        (
            "magnitudes.files.containers.recoding.recoded "
            "magnitudes.files.containers.recoding.known_encoding "
            "magnitudes.files.parsing.text.read_lines"
        ),
        split("\x1b$B \x1b ~{ \0 \x0e utf-7 unicode_escape idna", b"\xff\xfe"),
    ),
)
