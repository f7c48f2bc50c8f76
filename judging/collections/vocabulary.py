"""The packed columns of runs: codes, ranks, scores, and the ids that the codes stand for."""

from __future__ import annotations  # which would load NumPy

from collections.abc import Iterable
from typing import TYPE_CHECKING

from judging.models import Topic, Vocabulary
from magnitudes.files.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CODES, RANKS, SCORES = "<i4", "<i4", "<f8"
CODE_BYTES = 4


def read(topic: Topic) -> list[str]:
    packed = Vocabulary.objects.filter(topic=topic).values_list("doc_ids", flat=True).first()
    return unpack(packed) if packed else []


def unpack(doc_ids: bytes | memoryview) -> list[str]:
    text = bytes(doc_ids).decode()
    return text.split("\n") if text else []


def doc_ids_of(doc_ids: bytes | memoryview, codes: Iterable[int]) -> list[str]:
    """The ids that some codes stand for, in the order of the codes, from the stored column.

    >>> doc_ids_of(b"D1\\nD22\\nD3", [2, 1])
    ['D22', 'D3']
    """
    packed = bytes(doc_ids)
    ends = np.flatnonzero(np.frombuffer(packed + b"\n", np.uint8) == ord("\n"))
    begins = np.append(0, ends[:-1] + 1)
    indexes = sorted(codes)
    return [
        packed[begin:end].decode()
        for begin, end in zip(begins[indexes].tolist(), ends[indexes].tolist(), strict=True)
    ]


def pack(doc_ids: Iterable[str]) -> bytes:
    return "\n".join(doc_ids).encode()


def write(topic: Topic, doc_ids: list[str]) -> None:
    """The caller has locked the collection."""
    Vocabulary.objects.update_or_create(topic=topic, defaults={"doc_ids": pack(doc_ids)})


def extend(topic: Topic, doc_ids: Iterable[str]) -> dict[str, int]:
    """Add new ids at the end; returns the codes of all. Lock as for `write`."""
    ids = read(topic)
    code = {doc_id: index for index, doc_id in enumerate(ids)}
    for doc_id in doc_ids:
        code.setdefault(doc_id, len(code))
    if len(code) > len(ids):
        write(topic, list(code))
    return code


def codes(packed: bytes | memoryview) -> NDArray[np.int32]:
    return np.frombuffer(packed, dtype=CODES)


def ranks(packed: bytes | memoryview) -> NDArray[np.int32]:
    return np.frombuffer(packed, dtype=RANKS)
