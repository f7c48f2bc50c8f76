"""Topics of TREC's web track and of tracks like it: XML, and lines of `number:text`."""

import re
from collections.abc import Iterable, Iterator

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import Place, shown
from magnitudes.files.parsing.markup import decoded, folded, paragraphs, without_comments
from magnitudes.files.parsing.sgml import Elements, records
from magnitudes.files.parsing.text import read_lines

Texts = tuple[str, str, str, str]  # number, title, description, narrative

_FIRST = re.compile(rb"<(topic|top)[\s>]", re.IGNORECASE)
_NUMBER = re.compile(r"""\b(?:number|num|id)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_NUMBERED = re.compile(rb"[\w.-]*\d[ ]*:[^\t\n]*(\n|\Z)")
_NUMBERS = ("number", "num")
_TITLES = ("query", "title", "summary")
_DESCRIPTIONS = ("description", "desc", "question")
_NARRATIVES = ("narrative", "narr", "subtopic")
_NAMES = (*_NUMBERS, *_TITLES, *_DESCRIPTIONS, *_NARRATIVES)


def is_web_xml(head: bytes) -> bool:
    """Whether a file with these first bytes is SGML or XML whose topics are called `<topic>`."""
    first = _FIRST.search(head) if head.startswith(b"<") else None
    return first is not None and first[1].lower() == b"topic"


def web_topics(member: Member) -> Iterator[tuple[Place, Texts]]:
    """Yield the topics of a file in XML, and where each begins.

    `<topic number="1" type="faceted">` with `<query>` (or title, summary), `<description>` (or
    question), `<narrative>` and `<subtopic>`. Subtopics are paragraphs of the narrative, but for
    the one that is the description again. The number may be an element, too. Texts that are not
    there are empty. Raises BadFile for a topic without an end, or with two titles or descriptions.
    """
    contents = records(
        member.name, read_lines(member), "topic", "topic", any_case=True, attributes=True
    )
    for place, content in contents:
        attributes, _, inner = without_comments(content).partition(">")
        elements = Elements(inner, _NAMES)
        number = _NUMBER.search(attributes)
        query_id = decoded(number[1]) if number else _only(elements, _NUMBERS, place)
        title = _only(elements, _TITLES, place)
        description = _only(elements, _DESCRIPTIONS, place)
        yield place, (query_id, title, description, _narrative(elements, description))


def _only(elements: Elements, names: Iterable[str], place: Place) -> str:
    """The text of the first of the names that has any, on one line."""
    for name in names:
        texts = [folded(paragraphs(element.content)) for element in elements.named([name])]
        if len(texts) > 1:
            raise place.bad(f"two <{name}> in one topic", "<topic> before every topic")
        if texts and texts[0]:
            return texts[0]
    return ""


def _narrative(elements: Elements, description: str) -> str:
    """The texts of narrative and subtopics, apart by blank lines."""
    texts = [paragraphs(element.content) for element in elements.named(_NARRATIVES)]
    return "\n\n".join(text for text in texts if text and folded(text) != description)


def is_numbered(head: bytes) -> bool:
    """Whether a file with these first bytes has lines such as `151:403b`."""
    return _NUMBERED.match(head) is not None


def numbered_topics(member: Member) -> Iterator[tuple[Place, Texts]]:
    """Yield the topics of a file of lines `number:text`, and where each stands.

    Raises BadFile for a line without a colon.
    """
    for number, line in enumerate(read_lines(member), 1):
        if line.strip():
            place = Place(member.name, number)
            query_id, colon, text = line.partition(":")
            if not colon:
                raise place.bad(f"no colon in {shown(line.strip())}", "number:text, as in line 1")
            yield place, (query_id, folded(text), "", "")
