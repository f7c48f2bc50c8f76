"""What a process has used, as Linux tells it: memory, and seconds of processor. Elsewhere NaN."""

import math
from pathlib import Path

from django.db import connection

from bench.site import environment  # noqa: F401 - before the first connection


def held() -> float:
    """The memory that this process holds, in MiB."""
    return _status("VmRSS")


def peak() -> float:
    """The most memory that this process has held, in MiB."""
    return _status("VmHWM")


def _status(name: str) -> float:
    for line in _told("self/status").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    return math.nan


def cpu_seconds(process: int) -> float:
    """Seconds of processor that the first thread of a process has used, on this machine."""
    told = _told(f"{process}/schedstat")
    return int(told.split()[0]) / 1e9 if told else math.nan


def _told(name: str) -> str:
    path = Path("/proc") / name
    return path.read_text() if path.exists() else ""


def backend() -> int:
    """The process of PostgreSQL that serves this one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])
