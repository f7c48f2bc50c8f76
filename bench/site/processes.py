"""The processes of a site by what they are for: their seconds of processor, and their memory."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TypeAlias

import psutil
from django.conf import settings
from django.db import connection

from bench.site import environment  # noqa: F401 - before the first connection

# What the command lines have of the processes that this one has started.
COMMANDS = {
    "gunicorn": "web",
    "config.worker io": "io",
    "config.worker compute": "compute",
    "spawn_main": "clients",
}
MIB = 2**20
# The first processes of each part: all its others are their children.
Heads: TypeAlias = Mapping[str, list[psutil.Process]]


def heads() -> Heads:
    """The parts of the site, and the clients, as they run now."""
    found: dict[str, list[psutil.Process]] = {"postgres": [postgres()]}
    for process in psutil.Process().children():
        line = " ".join(process.cmdline())
        for word, part in COMMANDS.items():
            if word in line:
                found.setdefault(part, []).append(process)
    with suppress(OSError):
        found["valkey"] = [valkey()]
    return found


def valkey() -> psutil.Process:
    return psutil.Process(int((settings.VAR_DIR / "valkey" / "valkey.pid").read_text()))


def backend() -> psutil.Process:
    """The process of PostgreSQL that serves this one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return psutil.Process(cursor.fetchone()[0])


def postgres() -> psutil.Process:
    """The process that all of PostgreSQL's others are children of."""
    parent = backend().parent()
    assert parent
    return parent


def family(*heads: psutil.Process) -> list[psutil.Process]:
    """Processes with all that they have started."""
    return [process for head in heads for process in (head, *head.children(recursive=True))]


def seconds(process: psutil.Process) -> float:
    """Of processor, with those of its children that have ended."""
    with suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return times.user + times.system + times.children_user + times.children_system
    return 0.0


def cpu_seconds(*heads: psutil.Process) -> float:
    """Seconds of processor that these have used with all that they have started."""
    return sum(map(seconds, family(*heads)))


def memory(processes: Iterable[psutil.Process]) -> float:
    """MiB, with what several processes share counted once."""
    held = 0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            held += process.memory_full_info().pss
    return held / MIB


def go_first() -> None:
    """Let this process go before others on the processor, if it may."""
    with suppress(psutil.AccessDenied):
        psutil.Process().nice(-10)
