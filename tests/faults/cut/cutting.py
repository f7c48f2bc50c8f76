"""Kill a command at a moment, look at what it has left, call it again, and compare."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

from django.db import connection

from tests.faults.cut import loaded
from tests.faults.cut.commands import Command
from tests.operations.databases import database

COMMAND, CONNECTIONS = WAYS = ("the command", "its connections")
SECONDS = 120  # that a command may take on a busy machine
MISSES = 20  # that are tolerated before a moment is found at which there is something to kill
BACKENDS = """
    SELECT pid FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'
"""


@dataclass
class Cut:
    """A command that was killed in its midst: when, of how many seconds, and what was wrong."""

    command: str
    way: str
    at: float
    of: float
    wrong: list[str]

    def __str__(self) -> str:
        said = "; ".join(self.wrong) or "ok"
        return f"{self.command}: {self.way} at {self.at:.2f} s of {self.of:.2f}: {said}"


def cuts(command: Command, times: int, seed: int, folder: Path) -> Iterator[Cut]:
    """Cut a command that was learnt so many times, in both ways by turns."""
    draw = random.Random(f"{seed} {command.name}")
    first = draw.randrange(len(WAYS))
    for number in range(times):
        way = WAYS[(first + number) % len(WAYS)]
        for attempt in range(MISSES):
            place = folder / f"{number}-{attempt}"
            with database("cut", command.template):
                if made := _cut(command, way, draw.uniform(0, command.seconds), place):
                    yield made
                    break
        else:
            raise AssertionError(f"{command.name} ends before it can be killed")


@contextmanager
def learnt(command: Command, folder: Path) -> Iterator[None]:
    """Call it without killing it: how long it takes, and what it leaves; within, that is there."""
    loaded.load()
    with database("cut", command.template):
        _ready(command, folder)
        began = time.monotonic()
        status = _end(_begin(command))
        assert status == 0, _log(command)
        command.seconds = time.monotonic() - began
        command.expected = command.content()
        yield


def _ready(command: Command, folder: Path) -> None:
    folder.mkdir(parents=True)
    command.folder = folder
    command.ready()
    connection.close()


def _cut(command: Command, way: str, at: float, folder: Path) -> Cut | None:
    """Kill it; None: it had ended before."""
    _ready(command, folder)
    process = _begin(command)
    process.join(at)
    if not _strike(process, way):
        return None
    wrong = [f"after the kill {what}" for what in command.half()]
    connection.close()
    wrong += _again(command)
    if not wrong and (content := command.content()) != command.expected:
        wrong.append(f"it became {command.differences(content)}")
    return Cut(command.name, way, at, command.seconds, wrong)


def _strike(process: BaseProcess, way: str) -> bool:
    if not process.is_alive():
        process.join()
        return False
    if way == COMMAND:
        loaded.kill(process)
        return True
    name = connection.settings_dict["NAME"]
    with connection._nodb_cursor() as cursor:
        cursor.execute(BACKENDS, [name])
        struck = [pid for (pid,) in cursor.fetchall()]
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", [struck])
    _end(process)
    return bool(struck)


def _again(command: Command) -> Iterator[str]:
    """Call it until it ends well: those who were killed may be there for a moment."""
    ends = time.monotonic() + SECONDS
    while not command.is_done():
        status = _end(_begin(command))
        if status == 0:
            return
        if not command.may_try_again(_log(command)) or time.monotonic() > ends:
            yield f"it could not be done again: {_log(command)}"
            return
        time.sleep(0.1)


def _begin(command: Command) -> BaseProcess:
    connection.close()
    log = command.folder / "log"
    log.write_bytes(b"")
    name = connection.settings_dict["NAME"]
    return loaded.begin(command.words(), name, command.settings(), log)


def _end(process: BaseProcess) -> int | None:
    process.join(SECONDS)
    if process.is_alive():
        loaded.kill(process)
    return process.exitcode


def _log(command: Command) -> str:
    return (command.folder / "log").read_text()[-2000:]
