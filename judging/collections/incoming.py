from __future__ import annotations  # which would load pyarrow

from collections.abc import Callable, Iterable, Sequence

from trec.containers.archives import Source
from trec.lazy import pa, pc
from trec.parsing.fields import LONGEST_ID, UNPRINTABLE

Paths = Sequence[Source]
Progress = Callable[[int], object]


class CannotImport(ValueError):
    """The files are well formed, but contradict what the collection has."""


def check_ids(what: str, ids: pa.Array | Iterable[str]) -> None:
    array = ids if isinstance(ids, pa.Array) else pa.array(ids, pa.string())
    is_invalid = pc.or_(
        pc.greater(pc.utf8_length(array), LONGEST_ID), pc.match_substring_regex(array, UNPRINTABLE)
    )
    for text in array.filter(is_invalid).to_pylist():
        shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text[:40])
        if len(text) > LONGEST_ID:
            raise CannotImport(
                f"The {what} {shown}… has {len(text)} characters; expected at most {LONGEST_ID}."
            )
        raise CannotImport(f"The {what} {shown} holds a control character; expected none.")
