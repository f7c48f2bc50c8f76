"""How long documents are, in words, from their texts or from a table of numbers."""

from collections.abc import Iterable, Iterator

from magnitudes.files.containers.archives import Member
from magnitudes.files.documents import Document, read_documents
from magnitudes.files.errors import BadFile, Place
from magnitudes.files.parsing.fields import identifier, whole_number
from magnitudes.files.parsing.html_tokens import text_of
from magnitudes.files.parsing.tables import Column, is_table, read_rows
from magnitudes.files.parsing.text import read_lines

_COLUMNS = (Column("doc_id", ("docno", "id", "docid")), Column("words"))


def shown_text(document: Document) -> str:
    """Title and text as a reader sees them, without tags."""
    text = text_of(document.text) if document.is_html else document.text
    return f"{document.title} {text}"


def length(document: Document) -> int:
    """Words of title and text: what stands between blanks."""
    return len(shown_text(document).split())


def read_lengths(member: Member) -> Iterator[tuple[str, int]]:
    """Yield (doc_id, words) of one file, as they come.

    A table with the columns doc_id and words, as JSONL, CSV or TSV; or documents in any of the
    forms that `read_documents` takes. BadFile for a number that is not whole or absurd, and as
    `read_documents` raises it.
    """
    if not _is_of_numbers(member):
        for document in read_documents(member):
            yield document.doc_id, length(document)
        return
    for line, row in read_rows(member.name, read_lines(member), _COLUMNS):
        place = Place(member.name, line)
        words = whole_number(row["words"].strip(), "words", place)
        yield identifier(row["doc_id"], "document id", place), words


def all_lengths(members: Iterable[Member]) -> dict[str, int]:
    """The lengths of all documents of some files.

    Raises BadFile for a document that comes again with another length.
    """
    lengths: dict[str, int] = {}
    for member in members:
        for doc_id, words in read_lengths(member):
            if lengths.setdefault(doc_id, words) != words:
                problem = f"document {doc_id} has {words} words, and {lengths[doc_id]} elsewhere"
                raise BadFile(member.name, problem, "one length for each document")
    return lengths


def all_texts(members: Iterable[Member]) -> Iterator[tuple[str, str]]:
    """(doc_id, title and text) of the documents that have any, each once, as they come.

    Raises BadFile for a table of numbers, which has no texts, and as `read_documents` raises it.
    """
    seen: set[str] = set()
    for member in members:
        if _is_of_numbers(member):
            raise BadFile(member.name, "lengths alone", "documents with their texts")
        for document in read_documents(member):
            if not document.is_empty and document.doc_id not in seen:
                seen.add(document.doc_id)
                yield document.doc_id, shown_text(document)


def _is_of_numbers(member: Member) -> bool:
    head = member.head()
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return b'"words"' in head.split(b"\n", 1)[0]
    return is_table(head, _COLUMNS)
