"""Somebody who notices whoever calls: by a connection, and by the path that is asked for."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Canary(ThreadingHTTPServer):
    """Listens on loopback; answers everything, and keeps what came."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.connections = 0
        self.paths: list[str] = []
        self.page = b""  # at /page

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def numbers(self) -> set[int]:
        asked = (re.match(r"/(\d+)", path) for path in self.paths)
        return {int(found[1]) for found in asked if found}

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that end early."""


class Answer(BaseHTTPRequestHandler):
    """Whatever is asked for is there, and anybody may read it."""

    server: Canary

    def do_GET(self) -> None:
        body = self.server.page if self.path == "/page" else b""
        if self.path != "/page":
            self.server.paths.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_HEAD = do_GET  # noqa: N815 - as http.server calls them

    def log_message(self, format: str, *arguments: Any) -> None:
        """Keep quiet."""


@contextmanager
def listening() -> Iterator[Canary]:
    with Canary() as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
