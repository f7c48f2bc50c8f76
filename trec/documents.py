"""Documents: TREC's SGML, web pages among them, JSONL, CSV, TSV. One at a time, as a stream."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trec.archives import Member
from trec.errors import BadFile, Place
from trec.fields import identifier
from trec.markup import decoded, folded, paragraphs
from trec.tables import Column, read_rows
from trec.text import read_lines

_COLUMNS = (
    Column("doc_id", ("docno", "id", "docid")),
    Column("title", required=False),
    Column("text", ("contents", "body", "content"), required=False),
    Column("html", required=False),
)
_MS_MARCO = ("doc_id", "text")

_FIRST_DOC = re.compile(rb"<(DOC|doc)>")
_DOCNO = re.compile(r"<DOCNO>([^<]*)(?:</DOCNO>)?", re.IGNORECASE)
_WEB_HEADER = re.compile(r"<DOCHDR>.*?(?:</DOCHDR>|\Z)", re.IGNORECASE | re.DOTALL)
# The atomic groups keep a thousand comments from being tried in every combination.
_HTML = re.compile(r"\s*+(?><!--.*?-->\s*)*+<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_TITLES = ("title", "headline", "hl", "ti", "doctitle", "head", "h1", "h2", "h3")
_BODIES = "text abstract contents content body lp leadpara graphic correction"
# What surrounds the text in the collections of TREC: numbers, dates, places, authors.
_ASIDES = """docno docid docoldno fileid profile date date1 dateline pub page section length
    byline type ht header parent first second dd so co in gv au dochdr"""


def _elements(names: str, end: str = "") -> re.Pattern[str]:
    tags = "|".join(names.split())
    pattern = rf"<({tags})(?:\s[^<>]*)?>(.*?)(?:</\1\s*>{end})"
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_TITLE = [_elements(name) for name in _TITLES]
_BODY = _elements(_BODIES, end=r"|\Z")
_ASIDE = _elements(_ASIDES + " " + " ".join(_TITLES))


@dataclass(frozen=True)
class Document:
    """A document to be read: plain text, paragraphs apart by a blank line, or HTML as it came."""

    doc_id: str
    title: str
    text: str
    is_html: bool = False


def read_documents(member: Member) -> Iterator[Document]:
    """Yield the documents of one file as they come, holding one at a time.

    SGML: `<DOC> <DOCNO> X </DOCNO> ... </DOC>`. The title is the first there is of TITLE,
    HEADLINE, HL, TI, DOCTITLE, HEAD, H1, H2, H3; the text is what stands in TEXT, ABSTRACT,
    LP, GRAPHIC and their like, or, where there is none of them, all but header fields. Tags
    become paragraphs, entities are decoded. A page from the web (a DOCHDR, or HTML after the
    DOCNO) keeps its HTML and is marked. Or a table with the columns doc_id, title, text, html;
    or two tab-separated columns without a header, as in MS MARCO.

    A document that comes twice with the same content is yielded once. Raises BadFile for one
    without DOCNO or without title and text, for a DOC without end, for an id that comes again
    with other content, and for a file without documents.
    """
    # Of each document only its id and a hash stay in memory.
    seen: dict[str, int] = {}
    for place, document in _found(member):
        content = hash(document)
        if document.doc_id not in seen:
            seen[document.doc_id] = content
            yield _checked(place, document)
        elif seen[document.doc_id] != content:
            problem = f"document {document.doc_id} again, with another text"
            raise place.bad(problem, "each document once")
    if not seen:
        raise BadFile(member.name, "no documents in it", "at least one document")


def _checked(place: Place, document: Document) -> Document:
    if not document.title and not document.text:
        problem = f"document {document.doc_id} is empty"
        raise place.bad(problem, "a title or a text for every document")
    return document


def _found(member: Member) -> Iterator[tuple[Place, Document]]:
    head = member.head().lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<"):
        # In one case or the other throughout: a page may speak of <doc>.
        first = _FIRST_DOC.search(head)
        tag = re.compile("<(/?)doc>" if first and first[1] == b"doc" else "<(/?)DOC>")
        return (
            (place, _from_sgml(place, content))
            for place, content in _documents(member.name, read_lines(member), tag)
        )
    rows = read_rows(member.name, read_lines(member), _COLUMNS, _MS_MARCO)
    return (_from_row(Place(member.name, line), row) for line, row in rows)


def _from_row(place: Place, row: dict[str, str]) -> tuple[Place, Document]:
    page = row.get("html", "").strip()
    return place, Document(
        identifier(row["doc_id"], "document id", place),
        row.get("title", "").strip(),
        page or row["text"].strip(),
        is_html=bool(page),
    )


def _documents(
    file: str, lines: Iterator[str], tag: re.Pattern[str]
) -> Iterator[tuple[Place, str]]:
    """Yield what stands between each <DOC> and its </DOC>, and the place of the <DOC>."""
    opened: Place | None = None
    parts: list[str] = []
    for number, line in enumerate(lines, 1):
        here = Place(file, number)
        start = 0
        for mark in tag.finditer(line):
            before = line[start : mark.start()]
            start = mark.end()
            if not mark[1]:
                _refuse_nested(here, opened)
                _refuse_loose_text(here, before)
                opened, parts = here, []
            elif opened is None:
                raise here.bad("</DOC> without <DOC>", "<DOC> before it")
            else:
                yield opened, "".join((*parts, before))
                opened = None
        if opened is None:
            _refuse_loose_text(here, line[start:])
        else:
            parts.append(line[start:])
    if opened is not None:
        raise opened.bad("<DOC> without </DOC>", "</DOC> before the end of the file")


def _refuse_nested(here: Place, opened: Place | None) -> None:
    if opened is not None:
        raise opened.bad("<DOC> without </DOC>", f"</DOC> before the next, in line {here.line}")


def _refuse_loose_text(here: Place, text: str) -> None:
    """A root element or an XML declaration may surround the documents; words may not."""
    if text.strip() and not text.lstrip().startswith("<"):
        raise here.bad("text outside a document", "<DOC> before it")


def _from_sgml(place: Place, content: str) -> Document:
    docno = _DOCNO.search(content)
    if docno is None:
        raise place.bad("a document without DOCNO", "<DOCNO> in every <DOC>")
    doc_id = identifier(decoded(docno[1]), "DOCNO", place)
    header = _WEB_HEADER.search(content)
    rest = content[(header or docno).end() :]
    if header or _HTML.match(rest):
        return Document(doc_id, _title(rest, _TITLE[:1]), rest.strip(), is_html=True)
    return Document(doc_id, _title(content, _TITLE), _text(content))


def _title(content: str, elements: list[re.Pattern[str]]) -> str:
    """The first element of the first kind that has words in it."""
    for element in elements:
        found = element.search(content)
        if found and (title := folded(paragraphs(found[2]))):
            return title
    return ""


def _text(content: str) -> str:
    bodies = (paragraphs(found[2]) for found in _BODY.finditer(content))
    return "\n\n".join(filter(None, bodies)) or paragraphs(_ASIDE.sub("\n\n", content))
