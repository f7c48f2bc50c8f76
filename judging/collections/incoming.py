import re
from collections.abc import Callable, Iterable, Sequence

from magnitudes.files.containers.archives import Source
from magnitudes.files.parsing.fields import LONGEST_ID, UNPRINTABLE

_UNPRINTABLE = re.compile(UNPRINTABLE)

Paths = Sequence[Source]
Progress = Callable[[int], object]


class CannotImport(ValueError):
    """The files are well formed, but contradict what the collection has."""


def check_ids(what: str, ids: Iterable[str]) -> None:
    for text in ids:
        if len(text) <= LONGEST_ID and not _UNPRINTABLE.search(text):
            continue
        shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text[:40])
        if len(text) > LONGEST_ID:
            raise CannotImport(
                f"The {what} {shown}… has {len(text)} characters; expected at most {LONGEST_ID}."
            )
        raise CannotImport(f"The {what} {shown} holds a control character; expected none.")
