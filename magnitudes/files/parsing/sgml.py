"""SGML as TREC has it, read in one pass: records in a stream, elements in a record.

Closing tags may be missing and tags may be anything, so this looks for known tags alone. The time
it takes is linear in the length of the text, whatever is left open in it.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from magnitudes.files.errors import BadFile, Place
from magnitudes.files.limits import LONGEST_RECORD
from magnitudes.files.parsing.markup import without_comments

_TAG = re.compile(r"<[?!/]?[A-Za-z][^<>]*>")
_WORD = re.compile(r"\w")
_DOCTYPE = re.compile(r"<!DOCTYPE[^<>\[]*\[", re.IGNORECASE)


def records(
    file: str,
    lines: Iterable[str],
    tag: str,
    what: str,
    *,
    any_case: bool = False,
    attributes: bool = False,
) -> Iterator[tuple[Place, str]]:
    """Yield what stands between each `<tag>` and its `</tag>`, and the place of the `<tag>`.

    A root element, XML declarations and comments may surround the records; words may not. Where
    the tag may have `attributes`, each content begins with them and the end of the tag.

    Raises BadFile for a record without an end or a beginning, for words outside a record, for more
    of either than `files.limits` allows, and where there is no record but words. Messages call a
    record `what`.
    """
    end = r"(?=[\s>])" if attributes else ">"
    marks = re.compile(f"<(/?){tag}{end}", re.IGNORECASE if any_case else 0)
    return _Records(file, tag, what).read(lines, marks)


class _Records:
    """Where in a file a reader of records stands."""

    def __init__(self, file: str, tag: str, what: str) -> None:
        self._file, self._tag, self._what = file, tag, what
        self._opened: Place | None = None
        self._any = False
        self._parts: list[str] = []  # of the record, or of what stands outside of records
        self._length = 0
        self._first_line = 1  # of the parts

    def read(self, lines: Iterable[str], marks: re.Pattern[str]) -> Iterator[tuple[Place, str]]:
        for number, line in enumerate(lines, 1):
            start = 0
            for mark in marks.finditer(line):
                self._take(line[start : mark.start()])
                start = mark.end()
                if mark[1]:
                    yield self._close(Place(self._file, number))
                else:
                    self._open(Place(self._file, number))
            self._take(line[start:])
        if self._opened:
            raise self._unclosed(f"</{self._tag}> before the end of the file")
        self._refuse_words()

    def _take(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length > LONGEST_RECORD:
            tag = f"</{self._tag}>" if self._opened else f"<{self._tag}>"
            problem = f"more than {LONGEST_RECORD:,} characters without {tag}"
            raise Place(self._file, self._first_line).bad(problem, f"shorter {self._what}s")

    def _taken(self, line: int) -> str:
        text = "".join(self._parts)
        self._parts, self._length, self._first_line = [], 0, line
        return text

    def _open(self, place: Place) -> None:
        if self._opened:
            raise self._unclosed(f"</{self._tag}> before the next, in line {place.line}")
        self._any = True
        self._refuse_words()
        self._taken(place.line)
        self._opened = place

    def _close(self, place: Place) -> tuple[Place, str]:
        if self._opened is None:
            raise place.bad(f"</{self._tag}> without <{self._tag}>", f"<{self._tag}> before it")
        opened, self._opened = self._opened, None
        return opened, self._taken(place.line)

    def _unclosed(self, expected: str) -> BadFile:
        assert self._opened is not None  # noqa: S101  callers have looked
        return self._opened.bad(f"<{self._tag}> without </{self._tag}>", expected)

    def _refuse_words(self) -> None:
        """Refuse words among the parts, which stand outside of records."""
        text = without_comments("".join(self._parts), _line_ends)
        text = _TAG.sub(lambda tag: _line_ends(tag[0]), _without_doctype(text))
        if word := _WORD.search(text):
            if not self._any:
                expected = f"SGML with <{self._tag}>, JSONL, CSV or TSV"
                raise BadFile(self._file, f"no <{self._tag}> in it", expected)
            place = Place(self._file, self._first_line + text.count("\n", 0, word.start()))
            raise place.bad(f"text outside a {self._what}", f"<{self._tag}> before it")


def _without_doctype(text: str) -> str:
    """`text` without the declarations that stand in brackets in a DOCTYPE, but for line ends."""
    doctype = _DOCTYPE.search(text)
    end = text.find("]", doctype.end()) if doctype else -1
    if doctype is None or end < 0:
        return text
    declarations = _line_ends(text[doctype.end() : end])
    return "".join((text[: doctype.end() - 1], declarations, text[end + 1 :]))


def _line_ends(text: str) -> str:
    """Nothing of `text` but its line ends, so that lines can still be counted."""
    return "\n" * text.count("\n")


class Element(NamedTuple):
    """One element of a text: where it begins and ends, tags included, and what is in it."""

    start: int
    end: int
    content: str


class _Mark(NamedTuple):
    start: int
    end: int
    name: str
    closing: bool


class Elements:
    """The elements of a text that have one of some names; case does not count."""

    def __init__(self, text: str, names: Iterable[str]) -> None:
        self._text = text
        self._marks = [
            _Mark(tag.start(), tag.end(), tag[2].lower(), bool(tag[1]))
            for tag in _tags(frozenset(names)).finditer(text)
            if not (tag[1] and tag[3].strip())  # an end tag has no attributes
        ]
        # For each mark the next end tag of its name, found in one pass from behind.
        following: dict[str, _Mark] = {}
        self._ends: list[_Mark | None] = []
        for mark in reversed(self._marks):
            self._ends.append(following.get(mark.name))
            if mark.closing:
                following[mark.name] = mark
        self._ends.reverse()

    def named(self, names: Iterable[str], *, open_ended: bool = False) -> Iterator[Element]:
        """The elements with these names in their order, none within another.

        One without an end tag is no element; or, if `open_ended`, goes on to the end of the text.
        """
        wanted, position = frozenset(names), 0
        for mark, end in zip(self._marks, self._ends, strict=True):
            if mark.closing or mark.name not in wanted or mark.start < position:
                continue
            if end:
                yield Element(mark.start, end.end, self._text[mark.end : end.start])
                position = end.end
            elif open_ended:
                yield Element(mark.start, len(self._text), self._text[mark.end :])
                return


@cache
def _tags(names: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"<(/?)({'|'.join(sorted(names))})((?:\s[^<>]*)?)>", re.IGNORECASE)
