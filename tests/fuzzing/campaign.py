"""Hostile inputs for many readers, each of which has them in a process that is watched.

There the memory of other readers hides nothing, and libFuzzer ends the process it is in. What the
process is about stands in memory that both have: an input that ends it, or from which it does not
come back, is known by it.
"""

import atexit
import gc
import hashlib
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import psutil
from django.conf import settings
from django.db import connection

from tests.fuzzing import reader as readers_folder
from tests.fuzzing.mutations import LONGEST, Mutations
from tests.fuzzing.reader import Reader
from tests.fuzzing.watching import MEMORY, Watch, peak, smaller

STUCK = 60.0  # seconds of processor time on one input, after which the process is killed
LOOK = 0.1  # seconds between two looks at it
ROOM = 4 << 30  # bytes of address space beside what there is at first: a bomb ends in MemoryError
NOW = struct.Struct("<QIdQ")  # inputs so far, bytes of the present one, slowest, growth of memory
Note = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What to do. inputs: of all readers together; seconds: of the wall, for all of it.

    guided: by the lines of code that inputs reach; the folder keeps those that reach new ones.
    """

    folder: Path
    inputs: int
    seed: int = 0
    seconds: float = 3600.0
    processes: int = 1
    guided: bool = False


class Board:
    """What a process is about, for whoever looks after it."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, NOW.size + 16 * LONGEST)

    def write(self, inputs: int, data: bytes, slowest: float, growth: int) -> None:
        data = data[: 16 * LONGEST]
        self._map[NOW.size : NOW.size + len(data)] = data
        NOW.pack_into(self._map, 0, inputs, len(data), slowest, growth)

    def read(self) -> tuple[int, bytes, float, int]:
        """Inputs so far, the present one, the slowest in seconds, the growth in bytes."""
        inputs, length, slowest, growth = NOW.unpack_from(self._map)
        return inputs, self._map[NOW.size : NOW.size + length], slowest, growth


class Process:
    """A reader at its inputs."""

    def __init__(self, reader: Reader, plan: Plan, share: int, ends: float) -> None:
        self.reader, self.ends = reader, ends
        self.board, self.began = Board(), time.monotonic()
        self.at, self.spent = -1, 0.0
        self.status: int | None = None
        self._room = tempfile.TemporaryDirectory(prefix="fuzzed-")
        self.pid = os.fork()
        if not self.pid:
            tempfile.tempdir = self._room.name
            _give_and_end(reader, plan, self.board, share, ends - self.began)

    def has_ended(self) -> bool:
        """Whether it has; it is killed when it does not come back from an input."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            self.status = status
            self._room.cleanup()
            return True
        inputs, used = self.board.read()[0], _processor_time(self.pid)
        if inputs != self.at:
            self.at, self.spent = inputs, used
        if (inputs and used - self.spent > STUCK) or time.monotonic() > self.ends + STUCK:
            os.kill(self.pid, signal.SIGKILL)
        return False

    def __str__(self) -> str:
        inputs, _, slowest, growth = self.board.read()
        return (
            f"{self.reader.name:32}{inputs:10,} inputs{time.monotonic() - self.began:8.1f} s  "
            f"slowest {1000 * slowest:5.0f} ms  memory +{growth / 2**20:4.0f} MiB"
        )


def run(plan: Plan, readers: Sequence[Reader], tell: Callable[[str], None]) -> list[Note]:
    """Give each reader its share of the inputs; what was found, as notes."""
    share = -(-plan.inputs // len(readers))
    ends = time.monotonic() + plan.seconds
    waiting, at_work, found = deque(readers), list[Process](), list[Note]()
    (plan.folder / "finds").mkdir(parents=True, exist_ok=True)
    for note in (plan.folder / "finds").glob("*.json"):  # what was found before is given first
        note.unlink()
    while waiting or at_work:
        while waiting and len(at_work) < plan.processes:
            in_turn = plan.seconds * plan.processes / len(readers)
            until = min(ends, time.monotonic() + 1.5 * in_turn)
            at_work.append(Process(waiting.popleft(), plan, share, until))
        time.sleep(LOOK)
        for process in [one for one in at_work if one.has_ended()]:
            at_work.remove(process)
            tell(str(process))
            inputs, data, _, growth = process.board.read()
            name = process.reader.name
            if process.status:
                keep(plan.folder, name, "death", str(inputs), data)
            if inputs < share:
                found.append({"reader": name, "what": f"had {inputs:,} of {share:,} inputs"})
            if growth > MEMORY:
                found.append({"reader": name, "what": "memory over the run"})
    for note in sorted((plan.folder / "finds").glob("*.json")):
        found.append(json.loads(note.read_text()) | {"file": str(note.with_suffix(""))})
    return found


def notes(finds: Sequence[Note]) -> Iterator[str]:
    for find in finds:
        where = f" at {find['where']}" if find.get("where") else ""
        yield f"{find['reader']}: {find['what']}{where}; {find.get('file', '')}"


def keep(folder: Path, reader: str, what: str, where: str, data: bytes) -> None:
    """Keep an input that did what none should, with a note beside it."""
    key = hashlib.sha1(f"{reader} {what} {where}".encode()).hexdigest()[:8]
    path = folder / "finds" / f"{_file_name(reader)}-{what}-{key}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    note = {"reader": reader, "what": what, "where": where, "bytes": len(data)}
    path.with_name(f"{path.name}.json").write_text(json.dumps(note))


def _file_name(reader: str) -> str:
    return reader.replace(" ", "-")


def _processor_time(pid: int) -> float:
    with suppress(psutil.Error):
        times = psutil.Process(pid).cpu_times()
        return times.user + times.system
    return 0.0


def _give_and_end(reader: Reader, plan: Plan, board: Board, share: int, seconds: float) -> NoReturn:
    try:
        atexit._clear()  # what ends there is the parent's
        readers_folder.folder.cache_clear()
        settings.ALLOWED_HOSTS = ["*"]  # requests are read beyond the name of the host
        connection.ensure_connection = _no_database  # type: ignore[method-assign]
        gc.freeze()
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * mmap.PAGESIZE + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        given = Given(reader, plan, board)
        given.guided(share, seconds) if plan.guided else given.plain(share, seconds)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _no_database() -> None:
    raise RuntimeError("a reader asks the database")


class Given:
    """Inputs for one reader, in its process."""

    def __init__(self, reader: Reader, plan: Plan, board: Board) -> None:
        self._reader, self._plan, self._board = reader, plan, board
        self._watch = Watch(reader)
        self._known: set[tuple[str, str, str]] = set()
        draw = random.Random(f"{plan.seed} {reader.name}")
        self._made = Mutations(reader.seeds, reader.words, draw)
        self.inputs, self._first = 0, peak()
        found = sorted((plan.folder / "finds").glob(f"{_file_name(reader.name)}-*-????????"))
        for data in (*reader.seeds, *(path.read_bytes() for path in found)):
            self._give(data)
        self.inputs = 0
        self._tell()

    def plain(self, share: int, seconds: float) -> None:
        ends = time.monotonic() + seconds
        while self.inputs < share and time.monotonic() < ends:
            self._give(self._made.next())

    def guided(self, share: int, seconds: float) -> None:
        """By libFuzzer, which keeps what reaches new lines, and ends the process."""
        import atheris

        name = _file_name(self._reader.name)
        corpus, seeds = (self._plan.folder / kind / name for kind in ("corpus", "seeds"))
        for path in (corpus, seeds):
            path.mkdir(parents=True, exist_ok=True)
        for seed in self._reader.seeds:
            (seeds / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
        words = seeds.with_name(f"{name}.words")
        words.write_text("".join(f'"{_escaped(word)}"\n' for word in self._reader.words if word))
        options = {
            "runs": share,
            "seed": self._plan.seed + 1,
            "max_len": LONGEST // 4,
            "len_control": 0,
            "dict": words,
            "max_total_time": max(1, int(seconds)),
            "artifact_prefix": f"{self._plan.folder}/finds/",
            "rss_limit_mb": 0,
        }
        arguments = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items())]

        def mutate(data: bytes, longest: int, seed: int) -> bytes:
            if seed % 2:
                return bytes(atheris.Mutate(data, longest))
            return self._made.changed(data)[:longest]

        atheris.Setup([*arguments, str(corpus), str(seeds)], self._give, custom_mutator=mutate)
        atheris.Fuzz()

    def _give(self, data: bytes) -> None:
        self._tell(data)
        find = self._watch.give(data)
        self.inputs += 1
        self._tell()
        if find and find.same not in self._known:
            self._known.add(find.same)
            find = smaller(self._reader, find)
            keep(self._plan.folder, find.reader, find.what, find.where, find.data)

    def _tell(self, data: bytes = b"") -> None:
        self._board.write(self.inputs, data, self._watch.slowest, peak() - self._first)


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word[:64])
