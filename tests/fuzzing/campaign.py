"""Inputs for many readers, by processes that are watched; it goes on where it was stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import psutil

from tests.fuzzing.child import Board, keep
from tests.fuzzing.reader import Reader
from tests.fuzzing.watching import OURS

STUCK = 60.0  # seconds of processor time on one input, after which the process is killed
LOOK = 0.5  # seconds between two looks at it
# What inputs are led through beside our own code; of what is written in C nothing is seen.
LIBRARIES = frozenset("trec tomllib tarfile zipfile jwt".split())
ROOT = Path(__file__).parent.parent.parent
SECONDS, MEMORY = 1.0, 200 << 20  # of an input; over the run of a reader


@dataclass
class Told:
    """How reading went. seconds: of the wall; slowest: of processor time; growth: in bytes."""

    reader: str
    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    growth: int = 0

    def __str__(self) -> str:
        return (
            f"{self.reader:32}{self.inputs:10,} inputs{self.seconds:8.1f} s  slowest "
            f"{1000 * self.slowest:5.0f} ms  memory +{self.growth / 2**20:4.0f} MiB"
        )


@dataclass(frozen=True)
class Plan:
    """What to do. inputs: of all readers together; seconds: of the wall, for all of it."""

    folder: Path
    inputs: int
    seed: int = 0
    seconds: float = 3600.0
    processes: int = 1
    guided: bool = False


def can_be_guided() -> bool:
    """Whether atheris is there, which has wheels for Linux alone."""
    return find_spec("atheris") is not None


def product_digest() -> str:
    """Of all that decides how inputs are read: the product, its readers here, and the libraries."""
    digest = sha256()
    rooms = (ROOT / room for room in (*OURS, "tests/fuzzing"))
    for path in sorted(
        [ROOT / "requirements.txt", *(p for room in rooms for p in room.rglob("*.py"))]
    ):
        digest.update(f"{path.relative_to(ROOT)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Campaign:
    """The readers' inputs, and what came of them, kept in a folder.

    How far it is, and what was found, belongs to one product, seed and way; the corpus to all. What
    was found before is the first to be given, whatever has been mended since.
    """

    def __init__(self, plan: Plan, readers: Sequence[Reader], tell: Callable[[str], None]) -> None:
        self.plan, self.readers, self.tell = plan, list(readers), tell
        # What was given to another product, by another seed or in the other way does not count.
        way = "guided" if plan.guided else "plain"
        self.folder = plan.folder / f"{product_digest()[:12]}-{plan.seed}-{way}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._state = self.folder / "state.json"
        self._found = _found(plan.folder)
        self._lock = Lock()
        self.told = {reader.name: Told(reader.name) for reader in readers}
        if self._state.exists():
            for row in json.loads(self._state.read_text()):
                self.told[row["reader"]] = Told(**row)
        self._ends = time.monotonic() + plan.seconds

    def run(self) -> list[dict[str, Any]]:
        """Give the readers what they have not had yet; returns the finds, as their notes."""
        share = -(-self.plan.inputs // len(self.readers))
        due = [r for r in self.readers if self.told[r.name].inputs < share]
        groups = _parts(due, self.plan.processes)
        with ThreadPoolExecutor(self.plan.processes) as pool:
            list(
                pool.map(lambda place: self._group(place, groups[place], share), range(len(groups)))
            )
        return self.finds()

    def finds(self) -> list[dict[str, Any]]:
        """The notes of all finds, and of readers whose memory grew too much."""
        notes = sorted((self.folder / "finds").glob("*.json"))
        grown = [told for told in self.told.values() if told.growth > MEMORY]
        return [
            *(json.loads(note.read_text()) | {"file": str(note.with_suffix(""))} for note in notes),
            *({"reader": told.reader, "what": "memory over the run"} for told in grown),
        ]

    def _group(self, place: int, readers: list[Reader], share: int) -> None:
        """Readers one after the other in a process; in another one after each that ends it."""
        board = self.folder / f"now-{place}"
        while readers and time.monotonic() < self._ends:
            tasks = [self._task(reader, share) for reader in readers]
            done, ended_well = self._process(board, tasks)
            readers = readers[done:]
            if readers and not ended_well:
                self._note_death(board, readers[0])
                readers = readers if self.told[readers[0].name].inputs < share else readers[1:]
        board.unlink(missing_ok=True)

    def _task(self, reader: Reader, share: int) -> dict[str, Any]:
        done, folder = self.told[reader.name].inputs, self.plan.folder
        name = reader.name.replace(" ", "-")
        left = max(1, int(self._ends - time.monotonic()))
        rooms = {".".join(path.split(".")[:2]) for path in reader.of}
        return {
            "reader": reader.name,
            "inputs": share - done,
            "skip": done,
            "seed": self.plan.seed,
            "found": [] if done else self._found.get(reader.name, []),
            "seconds": min(
                left, int(1.5 * self.plan.seconds * self.plan.processes / len(self.readers))
            ),
            "corpus": str(folder / "corpus" / name),
            "seeds": str(folder / "seeds" / name),
            "words": str(folder / "seeds" / f"{name}.words"),
            "instrumented": sorted(rooms | LIBRARIES),
        }

    def _process(self, board: Path, tasks: list[dict[str, Any]]) -> tuple[int, bool]:
        """Run a process to its end; how many tasks it ended, and whether all of them."""
        seen = Board(board)
        seen.write(0, b"", 0.0, 0)
        command = [sys.executable, "-m", "tests.fuzzing.child", str(self.folder), str(board)]
        guided = ["--guided"] if self.plan.guided else []
        began = time.monotonic()
        with (self.folder / f"{board.name}.log").open("wb") as log:
            child = subprocess.Popen(
                [*command, *guided],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
                start_new_session=True,
            )
            assert child.stdin
            assert child.stdout
            child.stdin.write(json.dumps(tasks).encode())
            child.stdin.close()
            with ThreadPoolExecutor(1) as looking:
                looking.submit(self._look_after, child, seen)
                told = [self._add(**json.loads(line)) for line in child.stdout if line[:1] == b"{"]
                child.wait()
            child.stdout.close()
        if len(told) < len(tasks):
            inputs, _, slowest, growth = seen.read()
            seconds = time.monotonic() - began - sum(told)
            self._add(tasks[len(told)]["reader"], inputs, seconds, slowest, growth)
        return len(told), child.returncode == 0

    def _look_after(self, child: Any, seen: Board) -> None:
        """Wait for a process; kill it when it does not come back from an input."""
        at, spent = -1, 0.0
        while child.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                child.wait(LOOK)
            inputs = seen.read()[0]
            used = _processor_time(child.pid)
            if inputs != at:
                at, spent = inputs, used
            elif inputs and used - spent > STUCK:
                os.killpg(child.pid, signal.SIGKILL)
            if time.monotonic() > self._ends + STUCK:
                os.killpg(child.pid, signal.SIGKILL)

    def _note_death(self, board: Path, reader: Reader) -> None:
        """Keep the input at which a process ended that should not have."""
        inputs, data, _, _ = Board(board).read()
        if time.monotonic() < self._ends:
            keep(self.folder / "finds", reader.name, "death", str(inputs), data)
            self.told[reader.name].inputs += 1

    def _add(self, reader: str, inputs: int, seconds: float, slowest: float, growth: int) -> float:
        """Write down what a process has told of a reader; returns its seconds."""
        with self._lock:
            told = self.told[reader]
            told.inputs += inputs
            told.seconds += seconds
            told.slowest = max(told.slowest, slowest)
            told.growth = max(told.growth, growth)
            self._state.write_text(json.dumps([asdict(each) for each in self.told.values()]))
        self.tell(str(told))
        return seconds


def _found(folder: Path) -> dict[str, list[str]]:
    """Inputs that were found in any run, by reader."""
    found: dict[str, list[str]] = {}
    for note in sorted(folder.glob("*/finds/*.json")):
        reader = json.loads(note.read_text())["reader"]
        found.setdefault(reader, []).append(str(note.with_suffix("").resolve()))
    return found


def _parts(readers: list[Reader], count: int) -> list[list[Reader]]:
    return [part for part in (readers[place::count] for place in range(count)) if part]


def _processor_time(pid: int) -> float:
    """Of a process and those that it has forked."""
    total = 0.0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for each in (process, *process.children(recursive=True)):
            times = each.cpu_times()
            total += times.user + times.system
    return total


def notes(finds: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Finds, a line each."""
    for find in finds:
        where = f" at {find['where']}" if find.get("where") else ""
        yield f"{find['reader']}: {find['what']}{where}; {find.get('file', '')}"
