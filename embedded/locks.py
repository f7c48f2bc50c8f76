"""Locks between processes: flock on files, so that the kernel frees them however a process ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_descriptors: set[int] = set()


def acquire(path: Path, mode: int) -> int:
    """Lock `path` through an open file of its own, and give that file's descriptor.

    The lock lasts until every copy of the descriptor is closed: a program that is passed one
    shares it, a forked child does not. With `LOCK_NB` in `mode`, BlockingIOError where another
    holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, mode)
    except BaseException:
        os.close(descriptor)
        raise
    _descriptors.add(descriptor)
    return descriptor


def release(descriptor: int) -> None:
    """Close this process's copy."""
    _descriptors.remove(descriptor)
    os.close(descriptor)


@contextmanager
def exclusive(path: Path, mode: int = 0) -> Iterator[int]:
    """The lock held by one process, and one thread, at a time."""
    descriptor = acquire(path, fcntl.LOCK_EX | mode)
    try:
        yield descriptor
    finally:
        release(descriptor)


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock just now."""
    try:
        with exclusive(path, fcntl.LOCK_NB):
            return True
    except BlockingIOError:
        return False


def _after_fork() -> None:
    """The child's are copies of its parent's, whose locks must not depend on it."""
    while _descriptors:
        os.close(_descriptors.pop())


os.register_at_fork(after_in_child=_after_fork)
