"""How long a collection of 129 runs on 50 topics takes to be uploaded, and who waits meanwhile.

    python -m bench.upload_collection DATA

DATA is the folder that holds trec8/, whose runs are on 18 topics; the lists of the other topics are
copies of these, made the first time and kept in VAR_DIR. Web server, clock and the worker for
imports run as the product runs them. A researcher sends topics, labels and runs in pieces, as a
browser does, and waits until they are imported; the command imports the same files. In turns,
nothing is imported and a collection is uploaded, and all the time somebody opens the page of a
document, as workers do, with a short pause after each answer.

Ends with 1 when an upload, until all is ready, takes more than 1.5 times as long as the command,
or when the 99th percentile of the worker's page is more than 2 times as high while something is
uploaded or imported as while nothing is.
"""

import logging
import re
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import httpx
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from bench.site import making
from bench.site.fifty_topics import make_runs
from bench.site.reader import Reader, high, reading
from bench.site.running import HOST, scratch_database, web_server, workers
from bench.site.verdict import verdict
from judging.flow.admission import Arrival
from judging.models import Study
from judging.pages import identity
from judging.studies.conduct import opening

TURNS = 2
IDLE_SECONDS = 25.0
SETTLES = 3.0  # seconds after an import, in which the database writes what it still has to
PIECE = 4 << 20
TUS = {"Tus-Resumable": "1.0.0"}
LOOK_SECONDS = 0.2
MOST_TIME, MOST_WAITING = 1.5, 2.0
WORDS, DOCUMENTS = 500, 20


def files(data: Path) -> dict[Path, str]:
    """What is imported, each with what the command calls it."""
    runs = Path(settings.VAR_DIR) / "runs_129_50topics.tar.gz"
    if not runs.exists():
        make_runs(data / "runs_129_18topics_depth1000.tar.xz", runs)
    return {
        data / "topics.401-450.txt": "topics",
        data / "qrels.trec8.adhoc.txt": "qrels",
        runs: "runs",
    }


def document_page() -> tuple[str, str]:
    """The address of a worker's page with a document, and the cookie of that worker."""
    doc_ids = [f"D{number}" for number in range(DOCUMENTS)]
    collection = making.make_collection(["401"], "judged")
    making.add_documents(collection, doc_ids, WORDS)
    study: Study = making.make_study(collection, {"401": doc_ids})
    opening.open_study(study.slug)
    arrival = Arrival("reader")
    making.begin_unit(study, arrival, timezone.now())
    cookie = f"{identity.cookie_name(study.pk)}={identity.signed_cookie(study.pk, arrival)}"
    return f"/study/{study.slug}/1/", cookie


class Researcher:
    """Somebody with a browser, logged in."""

    def __init__(self, site: str) -> None:
        client = Client()
        client.force_login(get_user_model().objects.create_user("rosa"))
        name = settings.SESSION_COOKIE_NAME
        self.browser = httpx.Client(
            base_url=site,
            timeout=120,
            follow_redirects=True,
            cookies={name: client.cookies[name].value},
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
        while "Everything is in" not in answer.text:
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
    named = files(Path(sys.argv[1]) / "trec8")
    with (
        scratch_database(),
        web_server() as port,
        workers(),
        reading(port, *document_page()) as reader,
    ):
        time.sleep(SETTLES)
        researcher = Researcher(f"http://{HOST}:{port}")
        time_ratio, waiting_ratio = take_turns(reader, researcher, named)
    print("time, of the command's:")
    failed = verdict(time_ratio, MOST_TIME)
    print("99% of the worker's page, of that while nothing is imported:")
    return failed | verdict(waiting_ratio, MOST_WAITING)


if __name__ == "__main__":
    sys.exit(main())
