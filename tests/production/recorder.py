"""A web process that writes down what it is sent: what a proxy makes of a request."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.config.compose import HOST

CHECKS = ("/healthz", "/readyz", "/health/")


class Recorder(ThreadingHTTPServer):
    """A web process that writes down what it is sent, and perhaps dies of it."""

    daemon_threads = True

    def __init__(self, port: int, *, dies: bool = False) -> None:
        super().__init__((HOST, port), Recording)
        self.dies = dies
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.connections: list[socket.socket] = []

    def get_request(self) -> tuple[socket.socket, Any]:
        """A connection, which ends with this web process."""
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address


class Recording(BaseHTTPRequestHandler):
    """One connection to it."""

    protocol_version = "HTTP/1.1"
    server: Recorder

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            with suppress(OSError):
                while size := int(self.rfile.readline() or b"0", 16):
                    body += self.rfile.read(size + 2)[:size]
        if self.path not in CHECKS:
            self.server.seen.append((self.command, self.path, dict(self.headers), body))
            if self.server.dies:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
        else:
            self.close_connection = True  # so that nothing is left of it when it ends
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_POST = do_DELETE = do_GET  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        """Nothing."""


@contextmanager
def recorder(port: int, *, dies: bool = False) -> Iterator[Recorder]:
    """One at work on a port of 127.0.0.1; `dies`: of each request."""
    with Recorder(port, dies=dies) as server:
        threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
            for connection in server.connections:
                with suppress(OSError):  # closed already
                    connection.shutdown(socket.SHUT_RDWR)
