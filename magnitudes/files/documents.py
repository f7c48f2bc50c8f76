"""Documents: TREC's SGML, web pages among them, JSONL, CSV, TSV. One at a time, as a stream."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place
from magnitudes.files.parsing.fields import identifier, language
from magnitudes.files.parsing.markup import decoded, folded, paragraphs
from magnitudes.files.parsing.sgml import Elements, records
from magnitudes.files.parsing.tables import Column, read_rows
from magnitudes.files.parsing.text import read_lines

COLUMNS = (
    Column("doc_id", ("docno", "id", "docid", "_id", "pid")),
    Column("title", required=False),
    Column("text", ("contents", "body", "content", "passage"), required=False),
    Column("html", required=False),
    Column("language", ("lang",), required=False),
)
_MS_MARCO = ("doc_id", "text")
_MS_MARCO_PAGES = ("doc_id", "url", "title", "text")

_FIRST_DOC = re.compile(rb"<(DOC|doc)>")
_DOCNO = re.compile(r"<DOCNO>([^<]*)(?:</DOCNO>)?", re.IGNORECASE)
_WEB_HEADER = re.compile(r"<DOCHDR>.*?(?:</DOCHDR>|\Z)", re.IGNORECASE | re.DOTALL)
# The atomic groups keep a thousand comments from being tried in every combination.
_HTML = re.compile(r"\s*+(?><!--.*?-->\s*)*+<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_TITLES = ("title", "headline", "hl", "ti", "doctitle", "head", "h1", "h2", "h3")
_BODIES = "text abstract contents content body lp leadpara graphic correction".split()
# What surrounds the text in the collections of TREC: numbers, dates, places, authors.
_ASIDES = """docno docid docoldno fileid profile date date1 dateline pub page section length
    byline type ht header parent first second dd so co in gv au dochdr""".split()
_NAMES = (*_TITLES, *_BODIES, *_ASIDES)


@dataclass(frozen=True)
class Document:
    """A document to be read: plain text, paragraphs apart by a blank line, or HTML as it came.

    language: a tag, as `pt-BR`; empty: it does not say.
    """

    doc_id: str
    title: str
    text: str
    is_html: bool = False
    language: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.title or self.text)


def read_documents(member: Member) -> Iterator[Document]:
    """Yield the documents of one file as they come, holding one at a time, empty ones too.

    SGML: `<DOC> <DOCNO> X </DOCNO> ... </DOC>`. The title is the first there is of TITLE,
    HEADLINE, HL, TI, DOCTITLE, HEAD, H1, H2, H3; the text is what stands in TEXT, ABSTRACT,
    LP, GRAPHIC and their like, or, where there is none of them, all but header fields. Tags
    become paragraphs, entities are decoded. A page from the web (a DOCHDR, or HTML after the
    DOCNO) keeps its HTML and is marked. Or a table with the columns doc_id (BEIR's _id), title,
    text, html, language; or tab-separated columns without a header, as in MS MARCO: id and text, or
    id, address, title and text.

    A document that comes twice with the same content is yielded once. Raises BadFile for one
    without DOCNO, for a DOC without end, for an id that comes again with other content, and for a
    file without documents.
    """
    # Of each document only its id and a hash stay in memory.
    seen: dict[str, int] = {}
    for place, document in _places(member):
        content = hash(document)
        if document.doc_id not in seen:
            seen[document.doc_id] = content
            yield document
        elif seen[document.doc_id] != content:
            problem = f"document {document.doc_id} again, with another text"
            raise place.bad(problem, "each document once")
    if not seen:
        raise BadFile(member.name, "no documents in it", "at least one document")


def _places(member: Member) -> Iterator[tuple[Place, Document]]:
    """All documents of a file, those that come twice too, and where each begins."""
    head = member.head().lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<"):
        # In one case or the other throughout: a page may speak of <doc>.
        first = _FIRST_DOC.search(head)
        tag = "doc" if first and first[1] == b"doc" else "DOC"
        contents = records(member.name, read_lines(member), tag, "document")
        return ((place, _from_sgml(place, content)) for place, content in contents)
    cells = head.split(b"\n", 1)[0].split(b"\t")
    pages = len(cells) == len(_MS_MARCO_PAGES) and cells[1].startswith(b"http")
    headerless = _MS_MARCO_PAGES if pages else _MS_MARCO
    rows = read_rows(member.name, read_lines(member), COLUMNS, headerless)
    return (_from_row(Place(member.name, line), row) for line, row in rows)


def _from_row(place: Place, row: dict[str, str]) -> tuple[Place, Document]:
    page = row.get("html", "").strip()
    return place, Document(
        identifier(row["doc_id"], "document id", place),
        row.get("title", "").strip(),
        page or row["text"].strip(),
        is_html=bool(page),
        language=language(row.get("language", ""), place),
    )


def _from_sgml(place: Place, content: str) -> Document:
    docno = _DOCNO.search(content)
    if docno is None:
        raise place.bad("a document without DOCNO", "<DOCNO> in every <DOC>")
    doc_id = identifier(decoded(docno[1]), "DOCNO", place)
    header = _WEB_HEADER.search(content)
    rest = content[(header or docno).end() :]
    if header or _HTML.match(rest):
        title = _title(Elements(rest, _TITLES[:1]), _TITLES[:1])
        return Document(doc_id, title, rest.strip(), is_html=True)
    elements = Elements(content, _NAMES)
    return Document(doc_id, _title(elements, _TITLES), _text(content, elements))


def _title(elements: Elements, names: Iterable[str]) -> str:
    """The first element of the first name under which it has words."""
    for name in names:
        for element in islice(elements.named([name]), 1):
            if title := folded(paragraphs(element.content)):
                return title
    return ""


def _text(content: str, elements: Elements) -> str:
    """What stands in the bodies, or, where these are empty, all but titles and header fields."""
    bodies = (paragraphs(body.content) for body in elements.named(_BODIES, open_ended=True))
    if text := "\n\n".join(filter(None, bodies)):
        return text
    parts, position = [], 0
    for aside in elements.named((*_ASIDES, *_TITLES)):
        parts.append(content[position : aside.start])
        position = aside.end
    return paragraphs("\n\n".join((*parts, content[position:])))
