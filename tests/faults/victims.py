"""The processes of a site, by what they are. None of anybody else's is ever among them."""

import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from embedded import locks
from tests.faults.site import Site

# What each kind is, and how many of it a whole site has at least; backends come and go, as do
# children of compute, which has none when there is nothing to do.
WHOLE = {
    "web": 1,
    "web worker": 2,
    "io": 1,
    "compute": 1,
    "compute child": 0,
    "supervisord": 1,
    "valkey": 1,
    "postgres": 1,
    "backend": 1,
}
KINDS = tuple(WHOLE)
PARTS = {
    "web": "embedded.tied gunicorn",
    "io": "config.worker io",
    "compute": "config.worker compute",
}
CHILDREN = {
    "web worker": "web",
    "compute child": "compute",
    "backend": "postgres",
}
PID_FILES = {"postgres": "postmaster.pid", "valkey": "valkey.pid"}
FINDS = 5.0  # seconds in which there should be somebody of a kind
LOOKS = 0.05


class Process(NamedTuple):
    """A line of `ps`."""

    pid: int
    parent: int
    group: int
    command: str


def processes() -> list[Process]:
    """All that run on this machine, but for those that have ended already."""
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,pgid=,stat=,args="],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = (line.split(maxsplit=4) for line in listing.stdout.splitlines())
    return [
        Process(int(row[0]), int(row[1]), int(row[2]), row[4])
        for row in rows
        if len(row) == 5 and not row[3].startswith("Z")
    ]


def find(site: Site) -> dict[str, list[int]]:
    running = processes()
    supervisord = _children(running, [site.process.pid], "supervisor.supervisord")
    by_kind = {kind: _children(running, supervisord, words) for kind, words in PARTS.items()}
    by_kind["supervisord"] = supervisord
    by_kind |= {kind: _server(site, running, kind) for kind in PID_FILES}
    for kind, parent in CHILDREN.items():
        by_kind[kind] = _children(running, by_kind[parent])
    return by_kind


def wait_for(site: Site, kind: str) -> list[int]:
    """The processes of a kind, as soon as there is one; empty: none came in some seconds."""
    ends = time.monotonic() + FINDS
    while not (found := find(site)[kind]) and time.monotonic() < ends:
        time.sleep(LOOKS)
    return found


def missing(found: dict[str, list[int]]) -> list[str]:
    return [kind for kind, least in WHOLE.items() if len(found[kind]) < least]


def _children(running: Sequence[Process], parents: Sequence[int], words: str = "") -> list[int]:
    return [one.pid for one in running if one.parent in parents and words in one.command]


def _server(site: Site, running: Sequence[Process], name: str) -> list[int]:
    """The process that its file names: only while its lock is held, and only if it is what it says.

    What a killed server leaves behind may name a process of somebody else's.
    """
    places = (str(site.folder), str(site.sockets))
    with suppress(OSError, ValueError, IndexError):
        number = int(_pid_file(site.folder, name).read_text().split()[0])
        if not locks.is_free(site.folder / "locks" / name):
            return [
                one.pid
                for one in running
                if one.pid == number and any(place in one.command for place in places)
            ]
    return []


def _pid_file(folder: Path, name: str) -> Path:
    return folder / name / PID_FILES[name]
