"""Classes of near duplicates: documents that say the same."""

from collections.abc import Iterable, Iterator

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place
from magnitudes.files.parsing.fields import identifier
from magnitudes.files.parsing.tables import Column, is_table, read_rows
from magnitudes.files.parsing.text import decoded_lines, first_cells, read_bytes, split_lines
from magnitudes.files.words import count

_COLUMNS = (
    Column("query_id", ("num", "number", "topic", "qid"), required=False),
    Column("doc_id", ("docno", "docid", "document")),
    Column("class", ("cluster", "group")),
)
# Classes by document, for each topic; the topic "" stands for all.
Classes = dict[str, dict[str, str]]


def read_classes(members: Iterable[Member]) -> Classes:
    """Read which documents are near duplicates of one another: those of the same class.

    `document class` a line, or `topic document class`, apart by blanks or tabs; or a table with
    the columns doc_id and class, and perhaps query_id. All lines have topics, or none has. A class
    is any word. Documents that are not named have no duplicates.

    Raises BadFile for a document in two classes of one topic (naming both, and both lines), for a
    line that cannot be read, and where there is no class at all.
    """
    classes: Classes = {}
    seen: dict[tuple[str, str], Place] = {}
    for member in members:
        for place, query_id, doc_id, name in _rows(member.name, read_bytes(member)):
            if classes and (query_id == "") != ("" in classes):
                raise place.bad("lines with and without a topic", "a topic in all, or in none")
            earlier = classes.setdefault(query_id, {}).setdefault(doc_id, name)
            where = seen.setdefault((query_id, doc_id), place)
            if earlier != name:
                raise _contradiction(place, where, doc_id, (earlier, name))
    if not seen:
        raise BadFile("duplicates", "no classes", "documents and their classes")
    return classes


def _contradiction(place: Place, earlier: Place, doc_id: str, names: tuple[str, str]) -> BadFile:
    file = "" if earlier.file == place.file else f"{earlier.file}, "
    problem = (
        f"document {doc_id} in the class {names[1]}, and in the class {names[0]} "
        f"({file}line {earlier.line})"
    )
    return place.bad(problem, "one class for each document")


def _rows(file: str, data: bytes) -> Iterator[tuple[Place, str, str, str]]:
    if is_table(data, _COLUMNS[1:]):
        for line, row in read_rows(file, decoded_lines(file, data), _COLUMNS):
            place = Place(file, line)
            query_id = row["query_id"].strip()
            doc_id = identifier(row["doc_id"], "document id", place)
            yield place, query_id, doc_id, identifier(row["class"], "class", place)
        return
    columns = _width(file, data)
    for line, (*topic, doc_id, name) in split_lines(file, data, columns):
        yield Place(file, line), topic[0] if topic else "", doc_id, name


def _width(file: str, data: bytes) -> tuple[str, ...]:
    """The columns of a file without a header, by its first line."""
    number, cells = first_cells(data)
    if cells and len(cells) not in (2, 3):
        expected = "2 or 3: perhaps topic, then document, class"
        raise BadFile(file, count(len(cells), "column"), expected, number)
    return ("topic", "document", "class")[-len(cells) :]
