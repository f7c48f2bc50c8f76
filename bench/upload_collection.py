"""How long a collection of 129 runs on 50 topics takes to be uploaded, and who waits meanwhile.

    python -m bench.upload_collection DATA

DATA is the folder that holds trec8/, whose topics and labels are sent; the runs are made up. Web
server, clock and the worker for imports run as the product runs them. A researcher sends topics,
labels and runs in pieces, as a browser does, and waits until they are imported; the command imports
the same files. In turns, nothing is imported and a collection is uploaded, and all the time
somebody opens the page of a document, as workers do, with a short pause after each answer.

Ends with 1 when an upload, until all is ready, takes more than 1.5 times as long as the command,
or when the 99th percentile of the worker's page is more than 2 times as high while something is
uploaded or imported as while nothing is.
"""

import http.client
import logging
import re
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import httpx
import numpy as np
from django.contrib.auth import get_user_model
from django.utils import timezone

from bench.site.command import options, verdict
from bench.site.processes import go_first
from bench.site.running import HOST, fetch, scratch_database, session, web_server, workers
from judging.flow.admission import Arrival
from judging.pages import identity
from tests.cast import Person
from tests.factory import make_study
from tests.run_files import write_runs

OPTIONS = options(__doc__)
TURNS = 2
IDLE_SECONDS = 25.0
SETTLES = 3.0  # seconds after an import, in which the database writes what it still has to
PIECE = 1 << 20
TUS = {"Tus-Resumable": "1.0.0"}
LOOK_SECONDS = 0.2
MOST_TIME, MOST_WAITING = 1.5, 2.0
WORDS, DOCUMENTS, TOPICS = 504, 20, 50
PAUSE = 0.04  # seconds between an answer and the next request of the worker


def files(data: Path, folder: Path) -> dict[Path, str]:
    """What is imported, each with what the command calls it."""
    (folder / "runs").mkdir()
    write_runs(folder / "runs", TOPICS)
    return {
        data / "topics.401-450.txt": "topics",
        data / "qrels.trec8.adhoc.txt": "qrels",
        Path(shutil.make_archive(str(folder / "made_up"), "gztar", folder / "runs")): "runs",
    }


def document_page() -> tuple[str, str]:
    """The address of a worker's page with a document, and the cookie of that worker."""
    study = make_study(documents=DOCUMENTS, words=WORDS)
    Person(study, "reader", now=timezone.now()).come_to_documents()
    cookie = identity.signed_cookie(study.pk, Arrival("reader"))
    return f"/study/{study.slug}/1/", f"{identity.cookie_name(study.pk)}={cookie}"


class Reader:
    """A worker who opens a page again and again, in a process of their own, until it is ended."""

    def __init__(self, *page: object) -> None:
        context = get_context("spawn")
        self._answers, there = context.Pipe(duplex=False)
        self._opened: list[tuple[float, float]] = []  # when, by the common clock, and milliseconds
        self.process = context.Process(target=_read, args=(*page, there), daemon=True)
        self.process.start()

    def during(self, begin: float, end: float) -> list[float]:
        """The milliseconds of the pages that were asked for in a time."""
        while self._answers.poll():
            self._opened.append(self._answers.recv())
        return [took for at, took in self._opened if begin <= at < end]


def _read(port: int, page: str, cookie: str, answers: Connection) -> None:
    go_first()
    client = http.client.HTTPConnection(HOST, port)
    while True:
        at = time.monotonic()
        fetch(client, page, {"Cookie": cookie})
        answers.send((at, 1000 * (time.monotonic() - at)))
        time.sleep(PAUSE)


def high(milliseconds: list[float]) -> tuple[float, float]:
    """Median and 99th percentile."""
    median, highest = np.quantile(milliseconds, [0.5, 0.99])
    return float(median), float(highest)


class Researcher:
    """Somebody with a browser, logged in."""

    def __init__(self, site: str) -> None:
        cookie = session(get_user_model().objects.create_user("rosa"))
        self.browser = httpx.Client(
            base_url=site,
            timeout=120,
            follow_redirects=True,
            cookies=dict([cookie.split("=", 1)]),
            headers={"Referer": site},
        )

    def upload(self, slug: str, paths: list[Path]) -> None:
        """Send files, have them imported as a collection, and wait for it."""
        page = self.browser.get("/collections/new/").text
        for path in paths:
            self._send(path, {"X-CSRFToken": token_of(page)})
        page = self.browser.get("/collections/new/").text
        kinds = re.findall(r'<select name="([0-9a-f]+)-kind".*?value="(\w*)" selected', page, re.S)
        form = {f"{key}-kind": kind for key, kind in kinds}
        form |= {"csrfmiddlewaretoken": token_of(page), "name": slug}
        answer = self.browser.post("/collections/new/", data=form)
        while "Import finished" not in answer.text:
            if "Nothing was imported" in answer.text or answer.is_error:
                raise RuntimeError(answer.text)
            time.sleep(LOOK_SECONDS)
            answer = self.browser.get(answer.url)

    def _send(self, path: Path, headers: dict[str, str]) -> None:
        """Send a file in pieces, as tus has it."""
        metadata = f"filename {b64encode(path.name.encode()).decode()}"
        about = {"Upload-Length": str(path.stat().st_size), "Upload-Metadata": metadata}
        answer = self.browser.post("/api/v1/uploads/", headers=TUS | headers | about)
        address, offset = answer.raise_for_status().headers["Location"], 0
        headers = TUS | headers | {"Content-Type": "application/offset+octet-stream"}
        with path.open("rb") as data:
            while piece := data.read(PIECE):
                place = {"Upload-Offset": str(offset)}
                answer = self.browser.patch(address, content=piece, headers=headers | place)
                answer.raise_for_status()
                offset += len(piece)


def token_of(page: str) -> str:
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token, page
    return token[1]


def by_command(slug: str, named: dict[Path, str]) -> None:
    """Import the same files by the command."""
    options = [word for path, part in named.items() for word in (f"--{part}", str(path))]
    command = [sys.executable, "manage.py", "import_collection", slug, *options]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """When some work began, and when it ended."""
    begin = time.monotonic()
    work()
    return begin, time.monotonic()


def take_turns(reader: Reader, researcher: Researcher, named: dict[Path, str]) -> tuple[float, ...]:
    """Measure, and print what was measured: the ratio of times, and that of waiting."""
    idle, busy, spent = [], [], []
    for turn in range(TURNS):
        idle += reader.during(*timed(lambda: time.sleep(IDLE_SECONDS)))
        begin, end = timed(lambda turn=turn: researcher.upload(f"upload-{turn}", list(named)))
        busy += reader.during(begin, end)
        spent.append(end - begin)
        time.sleep(SETTLES)
    begin, end = timed(lambda: by_command("command", named))
    ready = min(spent)
    print(f"upload until ready {ready:.1f} s of {', '.join(f'{s:.1f}' for s in spent)}")
    print(f"command {end - begin:.1f} s")
    for what, taken in (("nothing is imported", idle), ("something is uploaded", busy)):
        median, highest = high(taken)
        print(
            f"worker's page while {what}: median {median:.1f} ms, 99% {highest:.1f} ms, "
            f"n = {len(taken)}"
        )
    return ready / (end - begin), high(busy)[1] / high(idle)[1]


def main() -> int:
    """The exit status."""
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder, scratch_database():
        named = files(OPTIONS.parse_args().data / "trec8", Path(folder))
        with web_server() as port, workers():
            reader = Reader(port, *document_page())
            time.sleep(SETTLES)
            researcher = Researcher(f"http://{HOST}:{port}")
            time_ratio, waiting_ratio = take_turns(reader, researcher, named)
            reader.process.terminate()
    print("time, of the command's:")
    failed = verdict(time_ratio, MOST_TIME)
    print("99% of the worker's page, of that while nothing is imported:")
    return failed | verdict(waiting_ratio, MOST_WAITING)


if __name__ == "__main__":
    sys.exit(main())
