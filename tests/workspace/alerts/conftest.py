"""A study whose alerts go to Rosa and to a webhook, and a server that takes them."""

import socket
import ssl
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from accounts.models import User
from judging.models import Membership, Role
from tests.factory import make_study
from web.findings import Finding, State

HOST = "hooks.example"


class Receiver:
    """An https server on this machine: what it was sent, and the status that it answers."""

    def __init__(self, certificate: Path) -> None:
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((dict(self.headers), body))
                self.send_response(receiver.status)
                self.send_header("Location", "https://hooks.example/elsewhere")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://{HOST}:{self.server.server_port}/alerts?for=us"
        self.trusted = ssl.create_default_context(cafile=str(certificate))
        Thread(target=self.server.serve_forever, daemon=True).start()


class Dripping:
    """An https server that sends its answer a letter every half second.

    shakes_hands: whether it begins to speak TLS at all.
    """

    ANSWER = b"HTTP/1.1 204 No Content\r\nServer: " + b"a" * 10

    def __init__(self, certificate: Path, *, shakes_hands: bool = True) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        self.trusted = ssl.create_default_context(cafile=str(certificate))
        self.shakes_hands, self.over = shakes_hands, Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://{HOST}:{self.listener.getsockname()[1]}/"
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                taken, _ = self.listener.accept()
                Thread(target=self._answer, args=[taken], daemon=True).start()

    def _answer(self, taken: socket.socket) -> None:
        with suppress(OSError), taken:
            if not self.shakes_hands:
                self.over.wait(60)
                return
            with self.context.wrap_socket(taken, server_side=True) as spoken:
                for letter in self.ANSWER:
                    if self.over.wait(0.5):
                        return
                    spoken.sendall(bytes([letter]))

    def close(self) -> None:
        self.over.set()
        self.listener.close()


@pytest.fixture(params=[True, False], ids=["drips", "says nothing"])
def dripping(request, certificate):
    server = Dripping(certificate, shakes_hands=request.param)
    yield server
    server.close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A certificate of HOST's with its key, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(HOST), x509.IPAddress(ip_address("::1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    path.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + made.public_bytes(pem)
    )
    return path


@pytest.fixture
def receiver(certificate):
    there = Receiver(certificate)
    yield there
    there.server.shutdown()
    there.server.server_close()


@pytest.fixture
def rosa(db):
    return User.objects.create_user("rosa", email="rosa@lab.example")


@pytest.fixture
def study(rosa):
    study = make_study()
    Membership.objects.create(study=study, user=rosa, role=Role.OWNER)
    return study


@pytest.fixture
def stopped():
    return Finding(State.DOWN, "Stopped: no form for 19 min, 3 workers at work.", name="Flow")


@pytest.fixture
def flows():
    return Finding(State.OK, "A form came 2 s ago, 3 workers at work.", name="Flow")
