"""The site that is to suffer: the product on a folder of its own, looked after by its supervisor.

This process neither starts nor mends anything of it: it reaches PostgreSQL by the socket, as a
stranger, so that what comes to life again does so by the site's own doing.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

from embedded import sharing
from embedded.postgres import DATABASE, PORT, USER
from tests.config.helpers import ROOT, environment, free_port, kill_session, servers_left
from tests.faults.wrong_clocks import WrongClocks

STOP_SECONDS = 40.0
TICK_SECONDS = "0.5"
DOCUMENTS, RUNS, WORDS = 38, 5, 60  # documents of each topic: six units
FIRST_TOPIC = 401
UNIT_SIZE = 8
STUDY = """
title = "What holds when things break"
redundancy = {redundancy}
unit_size = {unit_size}
minimum_seconds = {minimum}
expiry_minutes = {expiry}
contact = "nobody@example.org"
"""
TOPIC = """
[topics.{topic}]
question = "What is asked for?"
options = ["topic {topic}", "The price of coal", "The habits of whales", "None of these"]
answer = "topic {topic}"
"""


def variables(folder: Path) -> dict[str, str]:
    """What a process needs to reach the database of a site without looking after it."""
    return {
        "VAR_DIR": str(folder),
        "DATABASE_URL": f"postgres://{USER}@/{sharing.socket_folder(folder)}/{DATABASE}",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


class Site:
    """The product, running; its environment has what is given beside the usual."""

    clocks: WrongClocks | None = None

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        port: int = 0,
        command: Sequence[str] = (sys.executable, "-m", "embedded"),
        **given: str,
    ) -> None:
        self.folder = folder
        self.sockets = sharing.socket_folder(folder)
        self.port = port or free_port()
        self.address = f"http://localhost:{self.port}"
        self.given = environment(folder, PORT=f"{self.port}", TICK_SECONDS=TICK_SECONDS, **given)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "supervisor.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *arguments],
                cwd=ROOT,
                env=self.given,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def wait_until_ready(self) -> list[str]:
        """What it prints before `ready`."""
        assert self.process.stdout
        said = [line.strip() for line in takewhile("ready\n".__ne__, self.process.stdout)]
        assert self.runs, (self.folder / "supervisor.log").read_text()
        return said

    @property
    def runs(self) -> bool:
        """Whether the supervisor, whom nobody kills, still does."""
        return self.process.poll() is None

    @property
    def database(self) -> dict[str, object]:
        return {"host": str(self.sockets), "port": PORT, "dbname": DATABASE, "user": USER}

    def stop(self) -> list[str]:
        """Stop all of it; what was wrong with that."""
        self.process.terminate()
        try:
            self.process.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            kill_session(self.process)
            self.process.communicate()
            return [f"the site did not stop within {STOP_SECONDS:.0f} s"]
        wrong = [f"a process is left: {number}" for number in servers_left(self.folder)]
        if self.process.returncode:
            wrong.append(f"the supervisor ended with {self.process.returncode}")
        return wrong


@contextmanager
def running(folder: Path, clocks: WrongClocks | None = None) -> Iterator[Site]:
    """A site, stopped in the end whatever happens. clocks: by which its processes go."""
    site = Site(folder, **(clocks.environment if clocks else {}))
    site.clocks = clocks
    try:
        site.wait_until_ready()
        yield site
    finally:
        if site.runs:
            site.stop()


def write_collection(folder: Path, topics: int, seed: int) -> list[str]:
    """Topics, documents, labels and runs, made up; the arguments to import them."""
    draw = random.Random(f"{seed} collection")
    runs = folder / "runs"
    runs.mkdir(parents=True)
    files = {name: folder / f"{name}.jsonl" for name in ("topics", "documents", "qrels")}
    files |= {f"run-{n}": runs / f"run-{n}.jsonl" for n in range(RUNS)}
    rows: dict[str, list[dict[str, object]]] = {name: [] for name in files}
    for topic in range(FIRST_TOPIC, FIRST_TOPIC + topics):
        text = {"title": f"topic {topic}", "description": "What of it?", "narrative": "All of it."}
        rows["topics"].append({"query_id": str(topic), **text})
        ids = [f"D{topic}-{n:03}" for n in range(DOCUMENTS)]
        for n, doc_id in enumerate(ids):
            words = " ".join(draw.choices(["sea", "coal", "whale", "star", "ship"], k=WORDS))
            rows["documents"].append({"doc_id": doc_id, "title": doc_id, "text": words})
            pair = {"query_id": str(topic), "doc_id": doc_id}
            rows["qrels"].append(pair | {"relevance": n % 4})
        for run in range(RUNS):
            for rank, doc_id in enumerate(draw.sample(ids, DOCUMENTS), 1):
                listed = {"query_id": str(topic), "doc_id": doc_id, "rank": rank}
                rows[f"run-{run}"].append(listed | {"score": 1 / rank, "run": f"run-{run}"})
    for name, path in files.items():
        path.write_text("".join(json.dumps(row) + "\n" for row in rows[name]))
    places = {name: files.get(name, runs) for name in ("topics", "documents", "qrels", "runs")}
    return [word for name, path in places.items() for word in (f"--{name}", str(path))]
