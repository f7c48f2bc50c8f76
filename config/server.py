"""The web server: gunicorn looks after the processes, and in each of them waitress serves.

Waitress reads requests and writes answers in one loop, and hands a thread only what has arrived
whole; so whoever sends slowly, or not at all, keeps no thread. What is added here is the time that
it may take (`Channel.is_overdue`), the bytes that its address takes (`Parser`), the access log
(`Task`), threads of their own for probes (`Threads`), and how gunicorn starts and stops it
(`Worker`). docs/decisions/0011 says why.
"""

import os
import re
import resource
import socket
import time
from contextlib import suppress
from copy import copy
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker as GunicornWorker
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import RequestEntityTooLarge

from config.threads import Threads
from web.body_lengths import max_body_bytes
from web.logs.redaction import redacted_path
from web.logs.requests import clear_request_id
from web.probes import start_draining

CONNECTIONS = 4096  # at once in a process, or what the system's limit of open files leaves
FILES_BESIDE = 128  # of the application: connections to PostgreSQL, what it reads
LOOK_SECONDS = 1  # between two looks at whose time is over
LINGER_SECONDS = 2  # that the rest of a refused body is read, so that the client reads the answer
HEADER_BYTES = 32 * 1024
FIRST_LINE = re.compile(rb"[^ ]++ [^ ]++(?: HTTP/[0-9.]++)?+")


class Parser(HTTPRequestParser):
    """A request as it arrives; one whose body is too large ends with its headers.

    The application gets it without a body, and with the length that was said or had come: it
    refuses what is longer than `max_body_bytes`, before it reads anything (`web.limits`).
    """

    adj: Adjustments
    error: Any
    refused = False

    def parse_header(self, header_plus: bytes) -> None:
        """Read the headers, from which follows how long the body may be."""
        # Over one that is none waitress's own pattern takes time in the square of its length.
        if not FIRST_LINE.fullmatch(header_plus.partition(b"\r\n")[0].rstrip()):
            raise ParsingError("The request does not begin as one.")
        try:
            super().parse_header(header_plus)
        except ValueError as fault:  # a length of thousands of digits, an address of no host
            raise ParsingError("The request cannot be read.") from fault
        self.adj = copy(self.adj)
        self.adj.max_request_body_size = 1 + max_body_bytes(
            self.path,
            authorization=self.headers.get("AUTHORIZATION", ""),
            cookies=self.headers.get("COOKIE", ""),
        )

    def received(self, data: bytes) -> int:
        """Take what has arrived; the number of bytes that belonged to this request."""
        count: int = super().received(data)
        if isinstance(self.error, RequestEntityTooLarge):
            came = max(self.content_length, self.body_bytes_received)
            self.close()
            self.headers["CONTENT_LENGTH"] = str(came)
            self.error = self.body_rcv = None
            self.expect_continue = False
            self.connection_close = self.refused = True
            return len(data)  # what follows is its body, and no other request
        return count


def log_access(task: Task, began: float) -> None:
    """A line of the access log: method, path without names and secrets, status, microseconds.

    No address, no query string. began: of time.monotonic, as clocks may be set meanwhile.
    """
    request = task.request
    method = getattr(request, "command", "-")
    path = redacted_path(getattr(request, "request_uri", "-").partition("?")[0])
    taken = 1_000_000 * (time.monotonic() - began)
    task.channel.server.access_log.info(
        "%s %s %s %d", method, path, task.status.partition(" ")[0], taken
    )


class LoggedTask(WSGITask):
    """An answer of the application, logged."""

    def service(self) -> None:
        """Answer."""
        began = time.monotonic()
        try:
            super().service()
        finally:
            log_access(self, began)


class LoggedErrorTask(ErrorTask):
    """An answer to what is no request, logged."""

    def service(self) -> None:
        """Answer."""
        began = time.monotonic()
        clear_request_id()
        try:
            super().service()
        finally:
            log_access(self, began)


class Channel(HTTPChannel):
    """One connection, and how long what is under way on it may take."""

    task_class = LoggedTask
    error_task_class = LoggedErrorTask

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.latest: Parser | None = None  # the request that is arriving, or was the last to
        self.began = time.monotonic()  # the connection, then the latest request
        self.counted = 0  # bytes of its body, so far
        self.counted_at = 0.0
        self.lingers_until: float | None = None
        self.was_overdue = False  # when it was last looked at

    @property
    def last_activity(self) -> float:
        """When something was last read or written, of time.monotonic.

        Waitress takes it from a clock that may be set while it runs.
        """
        return self._active_at

    @last_activity.setter
    def last_activity(self, when: float) -> None:
        self._active_at = time.monotonic()

    def parser_class(self, adj: Adjustments) -> Parser:
        """A request of which the first bytes are here."""
        self.began = time.monotonic()
        self.latest = Parser(adj)
        return self.latest

    def is_overdue(self, now: float) -> bool:
        """Whether whoever is at the other end has had time enough, so that the connection ends."""
        if self.lingers_until is not None:
            return now > self.lingers_until
        idle = now - self.last_activity
        if self.requests or self.total_outbufs_len:
            return bool(self.total_outbufs_len) and idle > settings.ANSWER_SECONDS
        if self.request is None and self.latest:
            return idle > settings.IDLE_SECONDS
        if self.request is None or not self.request.headers_finished:
            return now - self.began > settings.HEADER_SECONDS
        return not self._body_comes_on(now)

    def _body_comes_on(self, now: float) -> bool:
        """Whether as much of it came since it was last counted as must come in that time."""
        if self.counted_at < self.began:  # not counted yet
            self.counted, self.counted_at = 0, now
        if now - self.counted_at < settings.BODY_SECONDS:
            return True
        if self.request.body_bytes_received - self.counted < settings.BODY_BYTES:
            return False
        self.counted, self.counted_at = self.request.body_bytes_received, now
        return True

    # After a refusal the rest of the body is read and forgotten: were the connection closed with
    # it unread, the system would take back the answer.

    def handle_close(self) -> None:
        """Close; after a refusal say at first only that nothing more is coming."""
        if self.connected and self.latest and self.latest.refused and self.lingers_until is None:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                self.lingers_until = time.monotonic() + LINGER_SECONDS
                return
        super().handle_close()

    def readable(self) -> bool:
        """Whether to read."""
        return self.lingers_until is not None or super().readable()

    def writable(self) -> bool:
        """Whether to write, or to close."""
        return self.lingers_until is None and super().writable()

    def handle_read(self) -> None:
        """Read."""
        if self.lingers_until is None:
            super().handle_read()
        else:
            self.recv(self.adj.recv_bytes)


class Server(TcpWSGIServer):
    """The listening socket of a process."""

    channel_class = Channel

    def maintenance(self, now: float) -> None:
        """End the connections whose time is over, at this look and at the one before.

        Between two looks all that has arrived is read and what is ready is sent. So a server that
        was late itself ends nobody's connection.
        """
        monotonic = time.monotonic()
        for channel in list(self.active_channels.values()):
            was_overdue, channel.was_overdue = channel.was_overdue, channel.is_overdue(monotonic)
            if was_overdue and channel.was_overdue:
                channel.lingers_until = channel.lingers_until or monotonic
                channel.handle_close()

    def let_go(self) -> int:
        """Close the connections on which nothing is under way; the number of those that are left.

        Under way is a request that arrives, one that is worked on, and an answer that is sent.
        """
        for channel in list(self.active_channels.values()):
            if not (channel.requests or channel.total_outbufs_len or channel.request):
                channel.handle_close()
        return len(self.active_channels)


class Worker(GunicornWorker):
    """A process of gunicorn's."""

    def run(self) -> None:
        """Serve until asked to stop, and until proxies know; then answer what is under way."""
        threads = Threads(self.cfg.threads)
        connections: dict[int, Any] = {}
        servers = [self._server(listener, connections, threads) for listener in self.sockets]
        while self.alive and os.getppid() == self.ppid:
            self._look(connections)
        start_draining()
        leaves_at = time.monotonic() + settings.DRAIN_SECONDS
        while time.monotonic() < leaves_at and os.getppid() == self.ppid:
            self._look(connections)
        for server in servers:
            wasyncore.dispatcher.close(server)  # the listening socket alone
        deadline = time.monotonic() + self.cfg.graceful_timeout - settings.DRAIN_SECONDS
        while time.monotonic() < deadline and sum(server.let_go() for server in servers):
            self._look(connections, 0.1)
        threads.shutdown(timeout=1)

    def _look(self, connections: dict[int, Any], seconds: float = LOOK_SECONDS) -> None:
        self.notify()
        wasyncore.loop(seconds, use_poll=True, map=connections, count=1)

    def _server(self, listener: Any, connections: dict[int, Any], threads: Threads) -> Server:
        limits = Adjustments(
            threads=self.cfg.threads,
            backlog=self.cfg.backlog,
            connection_limit=_open_files() - FILES_BESIDE,
            cleanup_interval=LOOK_SECONDS,
            max_request_header_size=HEADER_BYTES,
            # What people type goes to no file; of uploads, which are files, what is longer may.
            inbuf_overflow=settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1,
            log_socket_errors=False,
            clear_untrusted_proxy_headers=False,  # web.proxies does, by TRUSTED_PROXIES
            ident="",
        )
        listening = listener.sock
        place = (listening.family, listening.type, listening.proto, listening.getsockname())
        server = Server(
            self.wsgi,
            connections,
            _sock=listening,
            dispatcher=threads,
            adj=limits,
            sockinfo=place,
            bind_socket=False,
        )
        server.access_log = self.log.access_log
        return server


def _open_files() -> int:
    """How many files this process may have open, once it has asked for enough."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + FILES_BESIDE
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    if allowed == resource.RLIM_INFINITY or allowed >= wanted:
        return wanted
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    except (OSError, ValueError):  # macOS has a second limit that it does not tell
        return allowed
    return wanted
