"""The web server by itself: bounds of bodies, probes while all pages wait, an end in order."""

import http.client
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from django.conf import settings

from tests.config.test_secret import load

from .helpers import ROOT, environment, free_port, until

HOST = "127.0.0.1"
TIMEOUT = 60  # seconds: a busy machine is slow
AT_ONCE = settings.MAX_REQUESTS
CLIENTS = AT_ONCE + 1  # fewer than there are threads
HEADERS = b"Host: localhost\r\n"
NOTHING = b""


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
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=TIMEOUT)) as client:
            client.request(method, path, body, headers, encode_chunked=True)
            answer = client.getresponse()
            return answer.status, answer.read().decode()

    def connect(self, sent: bytes = NOTHING) -> socket.socket:
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


def test_a_body_has_its_bounds_by_its_address(server: Server) -> None:
    assert server.ask("POST", "/", bytes(1000)) == (200, "1000 None")
    assert server.ask("POST", "/large/", bytes(1001)) == (200, "1001 None")
    assert server.ask("POST", "/", bytes(1001))[0] == 413


def test_a_body_of_no_known_length_is_refused(server: Server) -> None:
    for method in ("POST", "GET"):
        assert server.ask(method, "/", iter([b"body"]))[0] == 411


def test_a_body_too_long_is_refused_unread(server: Server) -> None:
    """The answer is there before the body is."""
    with server.connect(b"POST / HTTP/1.1\r\n" + HEADERS + b"Content-Length: 1001\r\n\r\n") as late:
        assert late.recv(1024).startswith(b"HTTP/1.1 413 ")


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
    assert server.ask("POST", "/large/", bytes(100_001), **headers)[0] == 413


@pytest.mark.parametrize("headers", STRANGERS.values(), ids=STRANGERS)
def test_a_stranger_may_send_little_anywhere(server: Server, headers: dict) -> None:
    assert server.ask("POST", "/large/", bytes(2000), **headers) == (200, "2000 None")
    assert server.ask("POST", "/large/", bytes(2001), **headers)[0] == 413


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
        b"GET / HTTP/1.1\r\nX: " + b"x" * 40_000 + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\n\r\n",
        b"OPTIONS * HTTP/1.0\r\n\r\n",
    ):
        with server.connect(nonsense) as connection:
            assert connection.recv(1024).split()[1][:1] == b"4", nonsense[:40]


def test_what_is_under_way_is_answered_before_it_stops(tmp_path: Path) -> None:
    server = Server(tmp_path)
    request = b"GET /wait/ HTTP/1.1\r\n" + HEADERS + b"\r\n"
    with server.connect(request) as connection:
        until(lambda: "waits" in server.log.read_text(), TIMEOUT)
        os.kill(server.process.pid, signal.SIGTERM)
        assert b"waited" in b"".join(iter(lambda: connection.recv(1024), b""))
    assert server.process.wait(TIMEOUT) == 0


def test_probes_are_answered_while_all_pages_wait(tmp_path: Path) -> None:
    """Who comes meanwhile waits, too, as it is not the database that is slow."""
    gate = tmp_path / "gate"
    server = Server(tmp_path, "--workers=1", GATE=str(gate))
    request = b"GET /wait/at-the-gate/ HTTP/1.1\r\n" + HEADERS + b"\r\n"
    with ExitStack() as stack:
        stack.callback(server.stop)
        clients = [stack.enter_context(server.connect(request)) for _ in range(CLIENTS)]
        until(lambda: server.log.read_text().count("stands at the gate") == AT_ONCE, TIMEOUT)
        for _ in range(3):
            assert server.ask("GET", "/healthz") == (200, "ok")
            assert not select.select(clients, [], [], 1)[0]
        gate.touch()
        assert {client.recv(12) for client in clients} == {b"HTTP/1.1 200"}


@pytest.mark.nightly
def test_proxies_know_that_it_stops_before_it_does(tmp_path: Path) -> None:
    server = Server(tmp_path, DRAIN_SECONDS="6")
    ready = "this process is about to end"
    os.kill(server.process.pid, signal.SIGTERM)
    until(lambda: server.ask("GET", "/readyz") == (503, ready), TIMEOUT)
    assert server.ask("GET", "/healthz") == (200, "ok")
    assert server.ask("GET", "/")[0] == 200
    assert server.process.wait(TIMEOUT) == 0


@pytest.mark.parametrize(
    ("variables", "is_refused"),
    [
        ({}, False),
        ({"HOST": "[::1]"}, False),
        ({"HOST": "0.0.0.0"}, True),
        ({"HOST": "0.0.0.0", "PROXY": "yes"}, False),
    ],
)
def test_without_a_proxy_it_is_for_this_machine_alone(
    tmp_path: Path, variables: dict[str, str], is_refused: bool
) -> None:
    loaded = load(tmp_path, script="import config.settings", **variables)
    assert ("PROXY=yes" in loaded.stderr) is is_refused, loaded.stderr
