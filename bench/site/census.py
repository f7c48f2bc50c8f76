"""The processes of a site by what they are for: their seconds of processor, and their memory."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
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
PARENTS = ("web", "compute")  # parts in which the first process leaves the work to the others
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


def postgres() -> psutil.Process:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return psutil.Process(cursor.fetchone()[0]).parent()


def cpu_seconds(heads: Heads) -> dict[str, float]:
    """Seconds of processor that each part has used, those of its processes that ended as well."""
    return {part: sum(map(seconds, family(*first))) for part, first in heads.items()}


def seconds(process: psutil.Process) -> float:
    """Of processor, with those of its children that have ended."""
    with suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return times.user + times.system + times.children_user + times.children_system
    return 0.0


def family(*heads: psutil.Process) -> list[psutil.Process]:
    """Processes with all that they have started."""
    return [process for head in heads for process in (head, *head.children(recursive=True))]


@dataclass(frozen=True)
class Memory:
    """MiB of some processes: resident, and with what several share counted once among them."""

    processes: int
    resident: float
    proportional: float


def memory(heads: Heads) -> dict[str, Memory]:
    """What each part holds; parents apart from their workers."""
    found = {}
    for part, first in heads.items():
        everybody = family(*first)
        if part in PARENTS:
            found[f"{part}, parent"] = _held(everybody[:1])
            found[f"{part}, children"] = _held(everybody[1:])
        else:
            found[part] = _held(everybody)
    return found


def _held(processes: list[psutil.Process]) -> Memory:
    held = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            held.append(process.memory_full_info())
    return Memory(len(held), sum(one.rss for one in held) / MIB, sum(one.pss for one in held) / MIB)
