"""Locks between processes: flock on files, so that the kernel frees them however a process ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def acquire(path: Path, mode: int) -> int:
    """Lock `path` through an open file of its own, and give that file's descriptor.

    The lock lasts until every copy of the descriptor is closed. With `LOCK_NB` in `mode`,
    BlockingIOError where another holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, mode)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def exclusive(path: Path, mode: int = 0) -> Iterator[int]:
    """The lock held by one process, and one thread, at a time."""
    descriptor = acquire(path, fcntl.LOCK_EX | mode)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock just now."""
    try:
        with exclusive(path, fcntl.LOCK_NB):
            return True
    except BlockingIOError:
        return False
