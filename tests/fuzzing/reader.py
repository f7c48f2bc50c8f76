"""What is said of a reader: how it is given bytes, how it refuses them, what good bytes are."""

import atexit
import io
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from magnitudes.files.containers.archives import Member

BUFFER = 1 << 16


@dataclass(frozen=True)
class Reader:
    """A reader of bytes that come from outside.

    read: gives it bytes; refuses: its own errors, any other is a fault; seeds: what it takes, each
    form of it once; of: the functions of the product that are read by, with dots; words: what it
    looks for, which mutations put where it does not belong.
    """

    name: str
    read: Callable[[bytes], object]
    refuses: tuple[type[Exception], ...]
    seeds: tuple[bytes, ...]
    of: str
    words: tuple[bytes, ...] = ()


def split(text: str, *others: bytes) -> tuple[bytes, ...]:
    """The words of a text, as bytes, and others that a text cannot have or that have blanks."""
    return (*text.encode().split(), *others)


def member(data: bytes) -> Member:
    return Member("file", io.BufferedReader(io.BytesIO(data), BUFFER))


@cache
def folder() -> Path:
    """Where files lie that are read from the disk; each process has its own, until it ends."""
    made = Path(tempfile.mkdtemp(prefix="fuzzed-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def drained(rows: Iterable[object]) -> None:
    for _ in rows:
        pass


def text_of(data: bytes) -> str:
    """Bytes as a text; what is none of UTF-8 is left out, for whoever decodes has refused it."""
    return data.decode(errors="ignore")
