"""What docker-compose.yml says works on servers of their own, and goes on when parts of it die.

There is no engine here: see `compose` for what stands in for it.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from pathlib import Path

import httpx
import psycopg2
import pytest
from django.test import override_settings

from judging.studies.configuration.settings import read_config
from tests.http_worker import HttpWorker, Page, Seen, plain
from web.encryption import digests

from . import compose
from .compose import GIVEN, HOST, ROOT, Container, Stack
from .helpers import servers_left, until

DEMO = ROOT / "demo"
SLUG = "demo"
AT_ONCE = 4  # judges
TIMEOUT = 60  # seconds: a busy machine is slow
STOP_SECONDS = 25  # what an engine gives a web process before it kills it
HOME = -1  # where judges are let go when the test is over

ROLES = """
    SELECT d.title, d.text, p.role FROM judging_document d
    JOIN judging_pooleddocument p ON p.document_id = d.id ORDER BY p.role = 'other' DESC
"""
STORED = """
    SELECT account.external_id_hash, j.score_text FROM judging_judgment j
    JOIN judging_assignment a ON a.id = j.assignment_id
    JOIN judging_platformaccount account USING (worker_id)
"""
UNITS = "SELECT id FROM judging_unit"
DONE = "SELECT completion_code FROM judging_assignment WHERE state = 'completed'"
TICKS = "SELECT name FROM judging_tick WHERE ran_at > now() - interval '5 s'"
TIME_PASSES = "UPDATE judging_tick SET ran_at = ran_at - interval '1 minute'"
BROKEN = f"""
import json, sys
sys.path.append("{ROOT}")  # tests are not in the image
from tests.judging.invariants import broken
print(json.dumps(broken()))
"""
pytestmark = pytest.mark.nightly


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    stack = Stack(tmp_path, GIVEN)
    try:
        stack.start(TIMEOUT)
        yield stack
    finally:
        stack.kill()
    until(lambda: not stack.left(), STOP_SECONDS)


def healthy(parts: Sequence[Container]) -> list[Container]:
    """Those whose health check says so; all are asked at once."""
    asked = [(part, part.ask()) for part in parts]
    return [part for part, check in asked if check.wait(TIMEOUT) == 0]


def wait_until_healthy(parts: Sequence[Container], but: Sequence[Container] = ()) -> None:
    """Wait until all of them are, `but` for some, which are not.

    Whose answer was right is not asked again: each asking starts a process.
    """
    wrong = list(parts)

    def are_right() -> bool:
        well = healthy(wrong)
        wrong[:] = [part for part in wrong if (part in well) == (part in but)]
        return not wrong

    until(are_right, TIMEOUT)


def make_study(stack: Stack) -> None:
    """The demo study, but that nobody has to wait, and smaller."""
    config = (DEMO / "study.toml").read_text()
    for old, new in (
        ("minimum_seconds = 5", "minimum_seconds = 0"),
        ("redundancy = 5", "redundancy = 2"),
    ):
        assert config.count(old) == 1
        config = config.replace(old, new)
    (stack.folder / "study.toml").write_text(config)
    files = ["--topics", f"{DEMO}/topics.trec", "--documents", f"{DEMO}/documents.trec"]
    files += ["--qrels", f"{DEMO}/qrels.txt", "--runs", f"{DEMO}/runs"]
    config_file = str(stack.folder / "study.toml")
    stack.manage_in_turn(
        ["import_collection", SLUG, *files],
        ["create_study", SLUG, "--collection", SLUG, "--config", config_file],
        ["plan_units", SLUG, "--seed", "5"],
        ["open_study", SLUG],
    )


class Proxy(httpx.BaseTransport):
    """The proxy in front of the web processes: to each in turn, past one that is down."""

    def __init__(self, ports: Sequence[int], served: Counter[int]) -> None:
        self.turn = cycle(ports)
        self.served = served
        self.network = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._pass_on(request, next(self.turn))
        except httpx.ConnectError:
            return self._pass_on(request, next(self.turn))

    def _pass_on(self, request: httpx.Request, port: int) -> httpx.Response:
        passed = httpx.Request(
            request.method,
            request.url.copy_with(port=port),
            headers=request.headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        response = self.network.handle_request(passed)
        self.served[port] += 1
        return response

    def close(self) -> None:
        self.network.close()


class StoppedError(Exception):
    """The judges are to go home."""


class Judge(HttpWorker):
    """A worker who never fails, types no number twice, and comes again when the line breaks."""

    def __init__(self, crowd: "Crowd", number: int) -> None:
        self.crowd, self.name = crowd, f"judge-{number}"
        self.typed = ""
        super().__init__(
            f"http://{HOST}",
            SLUG,
            self._score,
            lambda question, options: crowd.answers[question],
            parameters={"PROLIFIC_PID": self.name},
        )
        self.http.close()
        turn = number % 2  # so that each process gets the forms of some and the pages of others
        ports = crowd.stack.ports[turn:] + crowd.stack.ports[:turn]
        self.http = httpx.Client(
            base_url=f"http://{HOST}",
            transport=Proxy(ports, crowd.served),
            follow_redirects=True,
            timeout=TIMEOUT,
            event_hooks={"response": [self._heard]},
        )

    def _score(self, seen: Seen) -> str:
        self.typed = self.crowd.number(self.crowd.roles[seen.text])
        return self.typed

    def _heard(self, response: httpx.Response) -> None:
        """A form that leads on has been acknowledged, whatever becomes of the page it leads to."""
        if response.request.method == "POST" and response.is_redirect and self.typed:
            self.crowd.acknowledged.add((self.name, self.typed))
            self.typed = ""

    def come(self) -> Page:
        """Open the study's address, again and again while a process dies with the request."""
        until(self._arrive, TIMEOUT)
        return self.page

    def _arrive(self) -> bool:
        try:
            super().come()
        except httpx.TransportError:
            if self.crowd.allowed == HOME:
                raise
            return False
        return True

    def press(self, button: str, **typed: str) -> Page:
        try:
            return super().press(button, **typed)
        except httpx.TransportError:
            self.typed = ""
            return self.come()


class Crowd:
    """Judges at work, several at once, for as long as there are units and they are let."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.roles = {plain(f"{title} {text}"): role for title, text, role in stack.query(ROLES)}
        self.answers = {
            topic["question"]: topic["answer"]
            for topic in read_config(stack.folder / "study.toml")["topics"].values()
        }
        self.acknowledged: set[tuple[str, str]] = set()  # judge, number as typed
        self.codes: set[str] = set()
        self.served: Counter[int] = Counter()
        self.names, self.numbers = count(1), count(1)
        self.allowed: float = 0
        self.gate = threading.Condition()
        self.pool = ThreadPoolExecutor(AT_ONCE)

    def __enter__(self) -> "Crowd":
        self.judges = [self.pool.submit(self._judge) for _ in range(AT_ONCE)]
        return self

    def __exit__(self, *fault: object) -> None:
        self.let(HOME)
        self.pool.shutdown()

    def let(self, judgments: float) -> None:
        """Let them give so many judgments, all in all."""
        with self.gate:
            self.allowed = judgments
            self.gate.notify_all()

    def wait_for(self, judgments: float) -> None:
        """Wait until they have given so many, and none of them has failed."""
        until(lambda: self.unharmed() and len(self.acknowledged) >= judgments, TIMEOUT)

    def unharmed(self) -> bool:
        """Whether no judge has failed so far; if one has, its failure is raised."""
        return all(judge.result() is None for judge in self.judges if judge.done())

    def number(self, role: str) -> str:
        """Another number whenever it is asked for; that of an H_k is above that of any N_k."""
        with self.gate:
            self.gate.wait_for(
                lambda: self.allowed == HOME or len(self.acknowledged) < self.allowed
            )
            if self.allowed == HOME:
                raise StoppedError
            number = next(self.numbers)
        return {"h_k": f"{number}.5", "n_k": f"0.{number:04}"}.get(role, f"{number}")

    def _judge(self) -> None:
        """One judge after another, until one finds no work."""
        while True:
            with Judge(self, next(self.names)) as judge:
                code = judge.complete()
                if code is None:
                    return
                while code:
                    self.codes.add(code)
                    code = judge.complete()


class Reader:
    """A researcher with a token."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        who = ["--username", "ada", "--email", "ada@example.org"]
        said = stack.manage_in_turn(
            ["createsuperuser", "--no-input", "--verbosity", "0", *who], ["create_token", "ada"]
        )
        token = said.strip()
        self.headers = {"Authorization": f"Token {token}"}

    def wait_for_ranking(self, port: int) -> None:
        """Wait until the ranking that one of the web processes gives counts all that is done."""
        until(lambda: self._units(port) == len(self.stack.query(DONE)), TIMEOUT)

    def _units(self, port: int) -> int | None:
        address = f"http://{HOST}:{port}/api/v1/studies/{SLUG}/rankings/"
        answer = httpx.get(address, headers=self.headers, trust_env=False, timeout=TIMEOUT)
        source = answer.raise_for_status().json()["source"]
        return source and source["units"]


def test_judging_goes_on_while_parts_die(stack: Stack) -> None:
    """One web process and one worker die and come back; then the others die, and these go on."""
    with pytest.raises(psycopg2.OperationalError, match="password"):
        stack.connect("another")
    make_study(stack)
    reader = Reader(stack)
    wait_until_healthy(stack.parts)
    (web, other_web), (worker, other_worker) = stack.webs, stack.workers
    port, other_port = stack.ports
    judgments = 8 * len(stack.query(UNITS))
    with Crowd(stack) as crowd:
        crowd.let(judgments // 2)
        crowd.wait_for(judgments // 4)
        web.kill()
        worker.kill()
        wait_until_healthy(stack.parts, but=[web, worker])
        crowd.wait_for(judgments // 2)
        reader.wait_for_ranking(other_port)

        web.start()
        worker.start()
        crowd.let(3 * judgments // 4)
        crowd.wait_for(3 * judgments // 4)
        wait_until_healthy([web, worker])
        crowd.let(judgments)
        crowd.wait_for(7 * judgments // 8)
        other_web.kill()
        other_worker.kill()
        until(lambda: all(judge.done() for judge in crowd.judges), TIMEOUT)
    assert crowd.unharmed()

    # More may be stored than was acknowledged: what was under way when a process died.
    with override_settings(ENCRYPTION_KEYS=[compose.SECRETS["encryption_key"]]):
        acknowledged = {(digests(judge)[0], typed) for judge, typed in crowd.acknowledged}
    assert set(stack.query(STORED)) >= acknowledged
    assert {code for (code,) in stack.query(DONE)} == crowd.codes
    assert len(crowd.codes) == len(stack.query(UNITS))
    assert min(crowd.served[port] for port in stack.ports) > judgments // 4
    reader.wait_for_ranking(port)
    assert json.loads(stack.manage("shell", "--no-imports", "--command", BROKEN)) == []

    # The clock is late after 40 seconds, which nobody waits here.
    stack.io.kill()
    until(lambda: not stack.query(TICKS), TIMEOUT)
    stack.query(TIME_PASSES)
    wait_until_healthy([web, worker, stack.io], but=[stack.io])
    stack.io.start()
    until(lambda: stack.query(TICKS), TIMEOUT)
    wait_until_healthy([stack.io])
    for part in (web, worker, stack.io):
        part.terminate()
    assert [part.end(STOP_SECONDS) for part in (web, worker, stack.io)] == [0, 0, 0]
    assert list(stack.var_dir.iterdir()) == []  # where the embedded servers would be
    assert not servers_left(stack.var_dir)
