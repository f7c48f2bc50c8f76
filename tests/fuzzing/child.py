"""A process that gives readers their inputs; `campaign` starts it, and looks after it.

    python -m tests.fuzzing.child FOLDER PLACE [--guided] < tasks

What it is about stands in a file that both have mapped: an input that ends the process, or from
which it does not come back, is known by it.
"""

import atexit
import gc
import hashlib
import json
import mmap
import os
import random
import resource
import shutil
import struct
import sys
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from tests.fuzzing.mutations import LONGEST, Mutations

NOW = struct.Struct("<QIdQ")  # inputs so far, bytes of the present one, slowest, growth of memory
ROOM = 4 << 30  # bytes of address space beside what there is at first: a bomb ends in MemoryError
DATABASE = "a reader asks the database"


class Board:
    """What the process is about, for whoever looks after it."""

    def __init__(self, path: Path) -> None:
        size = NOW.size + 16 * LONGEST
        if not path.exists() or path.stat().st_size != size:
            path.write_bytes(bytes(size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), size)

    def write(self, inputs: int, data: bytes, slowest: float, growth: int) -> None:
        """Say which input is the next to be read."""
        data = data[: 16 * LONGEST]
        self._map[NOW.size : NOW.size + len(data)] = data
        NOW.pack_into(self._map, 0, inputs, len(data), slowest, growth)

    def read(self) -> tuple[int, bytes, float, int]:
        """Inputs so far, the present one, the slowest in seconds, the growth in bytes."""
        inputs, length, slowest, growth = NOW.unpack_from(self._map)
        return inputs, self._map[NOW.size : NOW.size + length], slowest, growth


def main() -> None:
    folder, board, guided = Path(sys.argv[1]), Board(Path(sys.argv[2])), "--guided" in sys.argv
    tasks = json.load(sys.stdin)
    if guided:
        import atheris

        parts = {part for task in tasks for part in task["instrumented"]}
        with atheris.instrument_imports(include=sorted(parts)):
            readers = _readers()
    else:
        readers = _readers()
    _bound_memory()
    from tests.fuzzing import reader as temporary

    temporary.folder()  # for all forks, as those of libFuzzer clean up nothing
    for task in tasks:
        told = in_a_fork(readers[task["reader"]], folder, board, task, is_guided=guided)
        print(json.dumps({"reader": task["reader"], **told}), flush=True)  # noqa: T201


def in_a_fork(
    reader: Any, folder: Path, board: Board, task: dict[str, Any], *, is_guided: bool
) -> dict[str, Any]:
    """Give a reader its inputs in a process of its own; returns how it went.

    There the memory of readers before it hides nothing; and libFuzzer ends the process it is in.
    """
    board.write(0, b"", 0.0, 0)
    began = time.monotonic()
    pid = os.fork()
    if not pid:
        _give_and_end(reader, folder, board, task, is_guided=is_guided)
    _, status = os.waitpid(pid, 0)
    if status:
        sys.exit(1)
    inputs, _, slowest, growth = board.read()
    seconds = time.monotonic() - began
    return {"inputs": inputs, "seconds": seconds, "slowest": slowest, "growth": growth}


def _give_and_end(
    reader: Any, folder: Path, board: Board, task: dict[str, Any], *, is_guided: bool
) -> NoReturn:
    try:
        atexit.unregister(shutil.rmtree)  # the folder is the parent's
        run = Run(reader, folder, board, task)
        run.guided(task) if is_guided else run.plain(task)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _readers() -> Any:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    import tests.environment  # noqa: F401

    django.setup()
    from django.conf import settings
    from django.db import connection

    from tests.fuzzing.readers import READERS

    settings.ALLOWED_HOSTS = ["*"]
    connection.ensure_connection = _no_database  # type: ignore[method-assign]
    gc.collect()
    gc.freeze()
    return READERS


def _no_database() -> None:
    raise RuntimeError(DATABASE)


def _bound_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * mmap.PAGESIZE + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


class Run:
    """Inputs for one reader."""

    def __init__(self, reader: Any, folder: Path, board: Board, task: dict[str, Any]) -> None:
        from tests.fuzzing import watching

        self._watching, self._reader, self._board = watching, reader, board
        self._folder = folder / "finds"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._watch = watching.Watch(reader)
        self._known: set[tuple[str, str, str]] = set()
        self.inputs, self.finds = 0, 0
        self._first = watching.peak()
        for data in (*reader.seeds, *(Path(found).read_bytes() for found in task["found"])):
            self._give(data)
        self.inputs = 0
        self._tell()

    def plain(self, task: dict[str, Any]) -> None:
        """Give inputs by mutations of our own."""
        draw = random.Random(f"{task['seed']} {self._reader.name} {task['skip']}")
        made = Mutations(self._reader.seeds, self._reader.words, draw)
        self._all(made.next() for _ in range(task["inputs"]))

    def guided(self, task: dict[str, Any]) -> None:
        """Give inputs by libFuzzer, which keeps what reaches new lines, and ends the process."""
        import atheris

        corpus, seeds, words = (Path(task[name]) for name in ("corpus", "seeds", "words"))
        for path in (corpus, seeds):
            path.mkdir(parents=True, exist_ok=True)
        for seed in self._reader.seeds:
            (seeds / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
        words.write_text("".join(f'"{_escaped(word)}"\n' for word in self._reader.words if word))
        options = {
            "runs": task["inputs"],
            "seed": task["seed"] + task["skip"] + 1,
            "max_len": LONGEST // 4,
            "len_control": 0,
            "dict": words,
            "max_total_time": task["seconds"],
            "artifact_prefix": f"{self._folder}/",
            "rss_limit_mb": 0,
        }
        arguments = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items())]
        draw = random.Random(f"{task['seed']} {self._reader.name} {task['skip']}")
        made = Mutations(self._reader.seeds, self._reader.words, draw)

        def mutate(data: bytes, longest: int, seed: int) -> bytes:
            if seed % 2:
                return bytes(atheris.Mutate(data, longest))
            return made.changed(data)[:longest]

        folders = [str(corpus), str(seeds)]
        atheris.Setup([*arguments, *folders], self._give, custom_mutator=mutate)
        atheris.Fuzz()

    def _all(self, inputs: Iterable[bytes]) -> None:
        for data in inputs:
            self._give(data)

    def _give(self, data: bytes) -> None:
        self._tell(data)
        find = self._watch.give(data)
        self.inputs += 1
        self._tell()
        if find and find.same not in self._known:
            self._known.add(find.same)
            self._keep(self._watching.smaller(self._reader, find))

    def _tell(self, data: bytes = b"") -> None:
        growth = self._watching.peak() - self._first
        self._board.write(self.inputs, data, self._watch.slowest, growth)

    def _keep(self, find: Any) -> None:
        self.finds += 1
        keep(self._folder, find.reader, find.what, find.where, find.data)


def keep(folder: Path, reader: str, what: str, where: str, data: bytes) -> None:
    """Keep an input that did what none should, with a note beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    key = hashlib.sha1(f"{reader} {what} {where}".encode()).hexdigest()[:8]
    path = folder / f"{reader.replace(' ', '-')}-{what}-{key}"
    path.write_bytes(data)
    note = {"reader": reader, "what": what, "where": where, "bytes": len(data)}
    path.with_name(f"{path.name}.json").write_text(json.dumps(note))


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word[:64])


if __name__ == "__main__":
    main()
