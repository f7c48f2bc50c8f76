"""Topics: NIST's SGML, the XML of TREC's web track, lines, JSONL, CSV, TSV."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place
from magnitudes.files.parsing.fields import identifier, language
from magnitudes.files.parsing.markup import folded, paragraphs
from magnitudes.files.parsing.sgml import records
from magnitudes.files.parsing.tables import Column, read_rows
from magnitudes.files.parsing.text import read_lines
from magnitudes.files.web_topics import Texts, is_numbered, is_web_xml, numbered_topics, web_topics

COLUMNS = (
    Column("query_id", ("num", "number", "topic", "qid", "id", "_id")),
    Column("title", ("query", "text")),
    Column("description", ("desc",), required=False),
    Column("narrative", ("narr",), required=False),
    Column("language", ("lang",), required=False),
)
_MS_MARCO = ("query_id", "title")

# Fields end where the next begins; the later ones are of the first TREC years and are not kept.
_FIELD = re.compile(
    r"<(/?)(num|title|query|desc|narr|head|dom|smry|con|fac|def|nat|time)>", re.IGNORECASE
)
_SAME = {"query": "title"}
_LABEL = re.compile(r"\s*(?:number|topic|description|narrative)\s*:", re.IGNORECASE)


@dataclass(frozen=True)
class Topic:
    """A topic as its file has it: white space folded, paragraphs of the narrative kept.

    language: a tag, as `pt-BR`; empty: it does not say.
    """

    query_id: str
    title: str
    description: str = ""
    narrative: str = ""
    language: str = ""


def read_topics(member: Member) -> list[Topic]:
    """Read the topics of one file, in its order.

    SGML as NIST writes it: `<top>`, then `<num> Number:`, `<title>` (with or without `Topic:`),
    `<desc> Description:`, `<narr> Narrative:`, `</top>`; closing tags of fields may be missing, and
    entities are decoded. Or a table with the columns query_id, title, and perhaps description,
    narrative and language (of BEIR: _id and text); or two tab-separated columns without a header,
    as in MS MARCO. Or XML as of TREC's web track (see `web_topics`), or its lines of
    `number:text`.
    An id keeps its text ('051').

    Raises BadFile for a topic without number, title or end, for a number that comes twice, and for
    a file without topics.
    """
    topics: dict[str, tuple[Topic, int]] = {}
    for place, topic in _places(member):
        if topic.query_id in topics:
            earlier = topics[topic.query_id][1]
            problem = f"topic {topic.query_id} again (first in line {earlier})"
            raise place.bad(problem, "each topic once")
        topics[topic.query_id] = topic, place.line
    if not topics:
        raise BadFile(member.name, "no topics in it", "at least one topic")
    return [topic for topic, _ in topics.values()]


def _places(member: Member) -> Iterator[tuple[Place, Topic]]:
    """All topics of a file, and where each begins."""
    head = member.head().lstrip(b"\xef\xbb\xbf \t\r\n")
    if is_web_xml(head):
        topics = _as_topics(web_topics(member))
    elif head.startswith(b"<"):
        topics = _from_sgml(member)
    elif is_numbered(head):
        topics = _as_topics(numbered_topics(member))
    else:
        topics = _from_table(member)
    return ((place, _validate(place, topic)) for place, topic in topics)


def _as_topics(texts: Iterable[tuple[Place, Texts]]) -> Iterator[tuple[Place, Topic]]:
    return ((place, Topic(*of_topic)) for place, of_topic in texts)


def _from_table(member: Member) -> Iterator[tuple[Place, Topic]]:
    for line, row in read_rows(member.name, read_lines(member), COLUMNS, _MS_MARCO):
        place = Place(member.name, line)
        texts = {name: text.strip() for name, text in row.items() if name != "query_id"}
        yield place, Topic(row["query_id"], **texts)


def _validate(place: Place, topic: Topic) -> Topic:
    query_id = identifier(topic.query_id, "topic number", place)
    if not topic.title:
        raise place.bad(f"topic {query_id} has no title", "a title for every topic")
    tag = language(topic.language, place)
    return Topic(query_id, topic.title, topic.description, topic.narrative, tag)


def _from_sgml(member: Member) -> Iterator[tuple[Place, Topic]]:
    tops = records(member.name, read_lines(member), "top", "topic", any_case=True)
    for place, content in tops:
        fields = _fields(place, content)
        if "num" not in fields:
            raise place.bad("a topic without number", "<num> in every <top>")
        yield place, Topic(*(_read(fields, *field) for field in _READERS))


def _fields(place: Place, content: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    tags = list(_FIELD.finditer(content))
    for number, tag in enumerate(tags):
        if tag[1]:
            continue
        name = _SAME.get(tag[2].lower(), tag[2].lower())
        if name in fields:
            raise place.bad(f"two <{tag[2]}> in one topic", "<top> before every topic")
        end = tags[number + 1].start() if number + 1 < len(tags) else len(content)
        fields[name] = content[tag.end() : end]
    return fields


def _one_line(text: str) -> str:
    return folded(paragraphs(text))


_READERS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("num", _one_line),
    ("title", _one_line),
    ("desc", _one_line),
    ("narr", paragraphs),
)


def _read(fields: dict[str, str], name: str, reader: Callable[[str], str]) -> str:
    """The field's text without the label that it may begin with."""
    text = fields.get(name, "")
    label = _LABEL.match(text)
    return reader(text[label.end() :] if label else text)
