"""The web server by itself: slow clients hold up nobody, and a body has its bounds."""

import http.client
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from waitress import wasyncore
from waitress.adjustments import Adjustments

from config.server import Server as LateServer

from .helpers import ROOT, environment, until
from .small_site import count
from .test_processes import free_port

HOST = "127.0.0.1"
CLIENTS = 24  # more than the 16 threads
TIMEOUT = 60  # seconds: a busy machine is slow
HEADERS = b"Host: localhost\r\n"
HALF_HEADERS = b"GET / HTTP/1.1\r\n" + HEADERS + b"X-a: "
HALF_BODY = b"POST / HTTP/1.1\r\n" + HEADERS + b"Content-Length: 900\r\n\r\nhalf"
NOTHING = b""
POUR = b"GET /pour/ HTTP/1.1\r\n" + HEADERS + b"\r\n"


class Server:
    """gunicorn, as the product runs it, with a small site."""

    def __init__(
        self,
        var_dir: Path,
        *options: str,
        settings: str = "tests.config.small_site",
        **variables: str,
    ) -> None:
        self.port = free_port()
        self.log = var_dir / "web.log"
        gunicorn = ["-m", "gunicorn", "--config", "config/gunicorn.py", "config.wsgi"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *gunicorn, "--bind", f"{HOST}:{self.port}", *options],
                cwd=ROOT,
                env=environment(var_dir, DJANGO_SETTINGS_MODULE=settings, **variables),
                stdout=log,
                stderr=log,
            )
        try:
            until(self._answers, TIMEOUT)
        except BaseException:
            self.stop()
            raise

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        try:
            return self.ask("GET", "/")[0] == 200
        except OSError:
            return False

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        """Status and text of the answer to one request."""
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=TIMEOUT)) as client:
            client.request(method, path, body, headers, encode_chunked=True)
            answer = client.getresponse()
            return answer.status, answer.read().decode()

    def connect(self, sent: bytes = NOTHING) -> socket.socket:
        """A connection on which something was sent."""
        connection = socket.create_connection((HOST, self.port), timeout=TIMEOUT)
        connection.sendall(sent)
        return connection

    def stop(self) -> int:
        """Stop it in order; the exit status."""
        self.process.terminate()
        return self.process.wait(TIMEOUT)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("var"))
    yield running
    assert running.stop() == 0


def wait_until_closed(connections: Sequence[socket.socket], trickle: bytes = NOTHING) -> None:
    """Until the server closes them, however much is sent in the meantime, a byte at a time."""
    left = list(connections)
    deadline = time.monotonic() + TIMEOUT
    while left and time.monotonic() < deadline:
        told, _, _ = select.select(left, [], [], 0.2)
        for connection in left.copy():
            with suppress(OSError):
                if connection not in told or connection.recv(1024):
                    connection.sendall(trickle)
                    continue
            left.remove(connection)
    assert not left, "the server keeps connections"


@pytest.mark.nightly
def test_who_sends_slowly_holds_up_nobody(server: Server) -> None:
    """Nothing, half the headers, half the body: of each more than there are threads."""
    with ExitStack() as stack:
        slow = [
            stack.enter_context(server.connect(sent))
            for sent in (NOTHING, HALF_HEADERS, HALF_BODY)
            for _ in range(CLIENTS)
        ]
        for _ in range(10):
            assert server.ask("GET", "/")[0] == 200
        wait_until_closed(slow)


@pytest.mark.nightly
def test_who_reads_nothing_holds_up_nobody(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(CLIENTS):
            stack.enter_context(server.connect(POUR))
        for _ in range(10):
            assert server.ask("GET", "/")[0] == 200


def test_a_server_that_was_late_itself_ends_nobodys_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The request came in time, and was not read in time."""
    connections: dict[int, object] = {}
    limits = Adjustments(host=HOST, port=0, cleanup_interval=0)
    late = LateServer(count, connections, adj=limits)
    clock = [0.0]
    monkeypatch.setattr("config.server.time.monotonic", lambda: clock[0])
    look = partial(wasyncore.loop, 0.1, use_poll=True, map=connections, count=1)
    with socket.create_connection(late.socket.getsockname()) as client:
        look()  # accepts
        (channel,) = late.active_channels.values()
        client.sendall(HALF_HEADERS)
        clock[0] = 1.5 * settings.HEADER_SECONDS
        look()
        assert channel.connected
        assert channel.request is not None
        clock[0] *= 2
        for _ in range(2):
            look()
        assert not channel.connected
    late.close()
    late.task_dispatcher.shutdown()


def say_ok(environ: object, start_response: Callable[..., object]) -> list[bytes]:
    """A site."""
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]


def test_a_clock_that_is_set_ends_nobodys_connection(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It changes nothing either of how long an answer is said to have taken."""
    hour = 3600

    def jump(environ: object, start_response: Callable[..., object]) -> list[bytes]:
        now = time.time() + hour
        monkeypatch.setattr("waitress.channel.time.time", lambda: now)
        return say_ok(environ, start_response)

    connections: dict[int, object] = {}
    limits = Adjustments(host=HOST, port=0, cleanup_interval=0)
    jumping = LateServer(jump, connections, adj=limits)
    jumping.access_log = logging.getLogger("access")
    caplog.set_level("INFO", "access")
    look = partial(wasyncore.loop, 0.1, use_poll=True, map=connections, count=1)
    with socket.create_connection(jumping.socket.getsockname()) as client:
        client.sendall(b"GET / HTTP/1.1\r\n" + HEADERS + b"\r\n")
        look()
        (channel,) = jumping.active_channels.values()
        until(lambda: look() or (not channel.requests and channel.latest), TIMEOUT)
        for _ in range(3):
            look()
        assert channel.connected
    assert int(caplog.messages[0].rpartition(" ")[2]) < 1_000_000 * hour
    jumping.close()
    jumping.task_dispatcher.shutdown()


@pytest.mark.nightly
def test_a_body_may_take_its_time_while_it_comes_on_and_a_trickle_may_not(server: Server) -> None:
    """More than twice the seconds in which some of it must come."""

    def pieces() -> Iterator[bytes]:
        for _ in range(25):
            time.sleep(0.2)
            yield bytes(30)

    with (
        ThreadPoolExecutor(1) as meanwhile,
        server.connect(HALF_HEADERS) as headers,
        server.connect(HALF_BODY) as body,
    ):
        answer = meanwhile.submit(server.ask, "POST", "/", pieces())
        wait_until_closed([headers, body], trickle=b"a")
        assert answer.result() == (200, "750 None")


def test_a_body_has_its_bounds_by_its_address(server: Server) -> None:
    assert server.ask("POST", "/", bytes(1000)) == (200, "1000 None")
    assert server.ask("POST", "/large/", bytes(1001)) == (200, "1001 None")
    assert server.ask("POST", "/", bytes(1001))[0] == 413
    assert server.ask("POST", "/", iter([bytes(600), bytes(600)]))[0] == 413


@pytest.mark.parametrize(
    "length",
    [b"Content-Length: 1001", b"Transfer-Encoding: chunked"],
    ids=["by its length", "chunked"],
)
def test_a_body_too_long_is_refused_unread(server: Server, length: bytes) -> None:
    """The answer is there before the body is; chunked, once there is too much of it."""
    begin = b"3e9\r\n" + bytes(1001) if b"chunked" in length else b""
    request = b"POST / HTTP/1.1\r\n" + HEADERS + length + b"\r\n\r\n" + begin
    with server.connect(request) as connection:
        assert connection.recv(1024).startswith(b"HTTP/1.1 413 ")


KNOWN = {
    "token": {"Authorization": "Bearer abc"},
    "session": {"Cookie": "text=large; sessionid=abc"},
}
STRANGERS = {
    "nothing": {},
    "other cookies": {"Cookie": "notsessionid=abc; xsessionid=abc; sessionid="},
    "empty token": {"Authorization": ""},
}


@pytest.mark.parametrize("headers", KNOWN.values(), ids=KNOWN)
def test_who_shows_a_session_or_a_token_may_send_much(server: Server, headers: dict) -> None:
    assert server.ask("POST", "/large/", bytes(100_000), **headers) == (200, "100000 None")
    assert server.ask("POST", "/large/", iter([bytes(49_000)] * 2), **headers)[0] == 200
    assert server.ask("POST", "/large/", bytes(100_001), **headers)[0] == 413


@pytest.mark.parametrize("headers", STRANGERS.values(), ids=STRANGERS)
def test_a_stranger_may_send_little_anywhere(server: Server, headers: dict) -> None:
    assert server.ask("POST", "/large/", bytes(2000), **headers) == (200, "2000 None")
    assert server.ask("POST", "/large/", iter([bytes(900)] * 2), **headers)[0] == 200
    assert server.ask("POST", "/large/", bytes(2001), **headers)[0] == 413
    assert server.ask("POST", "/large/", iter([bytes(1500)] * 2), **headers)[0] == 413


@pytest.mark.parametrize(
    "length",
    [b"Content-Length: 90000", b"Transfer-Encoding: chunked"],
    ids=["by its length", "chunked"],
)
def test_a_stranger_is_refused_before_the_body_is_here(server: Server, length: bytes) -> None:
    begin = b"7d1\r\n" + bytes(2001) if b"chunked" in length else b""
    request = b"POST /large/ HTTP/1.1\r\n" + HEADERS + length + b"\r\n\r\n" + begin
    with server.connect(request) as connection:
        assert connection.recv(1024).startswith(b"HTTP/1.1 413 ")


def test_who_sends_all_of_it_reads_the_refusal(server: Server) -> None:
    """The server closes only when it has read the rest, or the answer would be lost with it."""
    assert server.ask("POST", "/", bytes(5_000_000))[0] == 413


def test_one_connection_serves_many_requests(server: Server) -> None:
    with closing(http.client.HTTPConnection(HOST, server.port, timeout=TIMEOUT)) as client:
        for _ in range(5):
            client.request("POST", "/", b"body")
            assert client.getresponse().read() == b"4 None"
            connection = client.sock
        assert client.sock is connection


def test_headers_are_not_believed(server: Server) -> None:
    """What a proxy adds, from anybody else; and a name that belongs to WSGI."""
    said = {"X-Forwarded-Proto": "https", "SCRIPT_NAME": "/x", "Script-Name": "/x"}
    assert server.ask("GET", "/", **said) == (200, "0 None")
    assert server.ask("TRACE", "/")[0] == 405


def test_what_is_no_request_is_refused(server: Server) -> None:
    for nonsense in (
        b"NONSENSE\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + bytes(40_000),
        b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\n\r\n",
        b"OPTIONS * HTTP/1.0\r\n\r\n",
    ):
        with server.connect(nonsense) as connection:
            assert connection.recv(1024).split()[1][:1] == b"4", nonsense[:40]


def test_what_is_under_way_is_answered_before_it_stops(tmp_path: Path) -> None:
    server = Server(tmp_path)
    request = b"GET /wait/ HTTP/1.1\r\n" + HEADERS + b"\r\n"
    with server.connect(request) as connection, server.connect(), server.connect(HALF_HEADERS):
        until(lambda: "waits" in server.log.read_text(), TIMEOUT)
        os.kill(server.process.pid, signal.SIGTERM)
        assert b"waited" in b"".join(iter(lambda: connection.recv(1024), b""))
    assert server.process.wait(TIMEOUT) == 0


def hears(connection: socket.socket, words: bytes) -> bool:
    """Whether the answer, which may come in pieces, has these words in one of them."""
    return any(words in piece for piece in iter(lambda: connection.recv(1024), b""))


@pytest.mark.parametrize(
    ("busy", "threads", "answered"),
    [
        ("/wait/at-the-gate/", 8, {"/healthz": "ok", "/status": "0 None"}),
        ("/metrics", 1, {"/healthz": "ok", "/": "0 None"}),
    ],
)
def test_nobody_waits_for_threads_of_others(
    tmp_path: Path, busy: str, threads: int, answered: dict[str, str]
) -> None:
    """All threads of one kind are at work, and others wait; the other kinds answer."""
    gate = tmp_path / "gate"
    server = Server(tmp_path, "--workers=1", GATE=str(gate))
    request = f"GET {busy} HTTP/1.1\r\n".encode() + HEADERS + b"\r\n"
    with ExitStack() as stack:
        stack.callback(server.stop)
        waiting = [stack.enter_context(server.connect(request)) for _ in range(CLIENTS)]
        until(lambda: server.log.read_text().count("stands at the gate") == threads, TIMEOUT)
        for path, says in [*answered.items()] * 3:
            assert server.ask("GET", path) == (200, says)
        assert not select.select(waiting, [], [], 0)[0]
        gate.touch()
        assert all(hears(connection, b"let through") for connection in waiting)


@pytest.mark.nightly
def test_proxies_know_that_it_stops_before_it_does(tmp_path: Path) -> None:
    server = Server(tmp_path, DRAIN_SECONDS="6")
    ready = "this process is about to end"
    os.kill(server.process.pid, signal.SIGTERM)
    until(lambda: server.ask("GET", "/readyz") == (503, ready), TIMEOUT)
    assert server.ask("GET", "/healthz") == (200, "ok")
    assert server.ask("GET", "/")[0] == 200
    assert server.process.wait(TIMEOUT) == 0
