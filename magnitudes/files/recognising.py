"""What a file holds, by its first bytes: topics, documents, labels, a run, or opinions."""

import re
from collections.abc import Callable

from magnitudes.files import documents, runs, topics
from magnitudes.files.containers.archives import Member
from magnitudes.files.kinds import Kind
from magnitudes.files.labels import opinions, qrels
from magnitudes.files.labels.opinion_columns import header
from magnitudes.files.parsing.fields import is_number
from magnitudes.files.parsing.tables import Column
from magnitudes.files.parsing.text import first_cells, uncommented
from magnitudes.files.web_topics import is_numbered, is_web_xml

LONG_TEXT = 120  # characters: two columns of texts this long on average are documents
_TOPIC_NAME = re.compile(r"topic|quer", re.IGNORECASE)
_TOPIC_TAG = re.compile(rb"<top[\s>]", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def kind_of(member: Member) -> Kind | None:
    """What a file holds, as its first bytes have it; None where that is none of the known formats.

    Where two formats look alike, as texts of MS MARCO and BEIR do, the name of the file and the
    length of the texts decide. Raises BadFile where the archive around the file is damaged.
    """
    head = member.head().removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if not head or _CONTROL.search(head):
        return None
    if head.startswith(b"<"):
        return _of_markup(head)
    known = _of_table(head, member.name) or _of_columns(head, member.name)
    return known or (Kind.TABLE if _names_columns(head) else None)


def _of_markup(head: bytes) -> Kind | None:
    if is_web_xml(head) or _TOPIC_TAG.search(head):
        return Kind.TOPICS
    return Kind.DOCUMENTS if re.search(rb"<doc[\s>]", head, re.IGNORECASE) else None


def _of_table(head: bytes, name: str) -> Kind | None:
    """Of a file whose columns have names."""
    names = set(header(head))

    def has(*columns: Column) -> bool:
        return all(names.intersection(column.names) for column in columns)

    worker, query_id, doc_id, label = (
        Column(field, opinions.FIELDS[field]) for field in ("worker", "query_id", "doc_id", "label")
    )
    if has(worker, query_id, doc_id, label):
        return Kind.OPINIONS
    if has(*runs.COLUMNS[:2], *runs.COLUMNS[3:]):
        return Kind.RUNS
    if has(*qrels.COLUMNS) or has(*qrels.BEIR_HEADER):
        return Kind.LABELS
    return _of_texts(names, has, name)


def _names_columns(head: bytes) -> bool:
    """Whether the first line may be the names of three columns or more."""
    names = header(head)
    return len(set(names)) == len(names) >= 3 and not any(map(is_number, names))


def _of_texts(names: set[str], has: Callable[..., bool], name: str) -> Kind | None:
    """Topics or documents: both have an id and a text, which go by the same names in BEIR."""
    as_topics = has(*topics.COLUMNS[:2])
    as_documents = has(documents.COLUMNS[0]) and any(map(has, documents.COLUMNS[2:]))
    if as_topics and as_documents:
        as_topics = bool(_TOPIC_NAME.search(name)) or "title" not in names
        return Kind.TOPICS if as_topics else Kind.DOCUMENTS
    if as_topics:
        return Kind.TOPICS
    return Kind.DOCUMENTS if as_documents else None


def _of_columns(head: bytes, name: str) -> Kind | None:
    """Of a file whose columns have no names."""
    line = head.split(b"\n", 1)[0]
    tabbed = line.split(b"\t")
    _, cells = first_cells(uncommented(head))
    numbers = [is_number(cell.decode(errors="replace")) for cell in cells]
    if len(cells) == 6 and numbers[3] and numbers[4]:
        return Kind.RUNS
    if len(cells) == 4 and numbers[3]:
        return Kind.LABELS
    if len(cells) == 3 and cells[2].isdigit():
        return Kind.RUNS
    if len(tabbed) == 4 and tabbed[1].startswith(b"http"):
        return Kind.DOCUMENTS
    if len(tabbed) == 2:
        return _of_two_columns(head, name)
    return Kind.TOPICS if is_numbered(head) else None


def _of_two_columns(head: bytes, name: str) -> Kind:
    """An id and a text, as MS MARCO has topics and passages."""
    if _TOPIC_NAME.search(name):
        return Kind.TOPICS
    lines = head.split(b"\n")
    texts = [len(line.partition(b"\t")[2]) for line in lines if line.strip()]
    return Kind.DOCUMENTS if sum(texts) > LONG_TEXT * len(texts) else Kind.TOPICS
