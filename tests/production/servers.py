"""The site on servers from Debian's packages, started as docker-compose.yml says, each for a test.

All are context managers, and leave nothing running:

    with site(folder, release="15") as stack, proxy(folder, stack.ports) as front:
        front.client().get("/")

`site` is PostgreSQL of a release ("15": Debian's; "18": the wheel's), Debian's redis-server and the
application's processes, with the variables and commands of docker-compose.yml, as
`tests.config.compose` says. `postgres` and `redis` are these servers alone: `.url` is what
DATABASE_URL or REDIS_URL would be, `.stop()` and `.ensure(seconds)` stop them and start them again
with their data. `proxy` is Debian's Caddy with deploy/Caddyfile before any ports of 127.0.0.1.

`make production-test` installs what is missing, and runs the tests of this folder, which are marked
`production` by tests/production/conftest.py.
"""

import os
import signal
import ssl
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import quote

import httpx

from tests.config import compose
from tests.config.compose import HOST, ROOT, Stack, free_ports
from tests.config.helpers import until

START_SECONDS = 90  # a busy machine is slow
STOP_SECONDS = 15
NAME = "localhost"  # of the site, which its certificate is for
RELEASES = ("15", "18")  # of PostgreSQL: the oldest and the newest that are supported
GIVEN = {"SITE": NAME}  # what stands in .env


class Postgres(compose.Postgres):
    """The wheel's PostgreSQL 18, over TCP with a password."""

    @property
    def url(self) -> str:
        given = self.service.environment
        whose = f"{given['POSTGRES_USER']}:{quote(self.secret, safe='')}"
        return f"postgres://{whose}@{HOST}:{self.port}/{given['POSTGRES_DB']}"

    @property
    def programs(self) -> Path:
        return self._program().parent


class DebianPostgres(Postgres):
    """PostgreSQL 15, as Debian has it."""

    def _program(self) -> Path:
        return Path("/usr/lib/postgresql/15/bin/postgres")


class DebianRedis(compose.Redis):
    """redis-server, as Debian has it."""

    @property
    def url(self) -> str:
        return f"redis://{HOST}:{self.port}/0"

    def _program(self) -> Path:
        return Path("/usr/bin/redis-server")


CONFIG = ("--config", str(ROOT / "deploy/Caddyfile"), "--adapter", "caddyfile")
AnyServer = TypeVar("AnyServer", Postgres, DebianRedis)
POSTGRES = {"15": DebianPostgres, "18": Postgres}


@contextmanager
def postgres(folder: Path, release: str = "15") -> Iterator[Postgres]:
    """PostgreSQL with an empty database; `folder` takes its data."""
    folder.mkdir(parents=True, exist_ok=True)
    (port,) = free_ports(1)
    with _running(POSTGRES[release](compose.read(GIVEN)["postgres"], folder, port)) as server:
        yield server


@contextmanager
def redis(folder: Path) -> Iterator[DebianRedis]:
    """redis-server; `folder` takes its data."""
    folder.mkdir(parents=True, exist_ok=True)
    (port,) = free_ports(1)
    with _running(DebianRedis(compose.read(GIVEN)["redis"], folder, port)) as server:
        yield server


@contextmanager
def _running(server: AnyServer) -> Iterator[AnyServer]:
    try:
        server.ensure(START_SECONDS)
        yield server
    finally:
        server.stop()


@contextmanager
def site(folder: Path, release: str = "15", **given: str) -> Iterator[Stack]:
    """Both servers, two web processes, the workers and the beat; `given` stands in .env."""
    folder.mkdir(parents=True, exist_ok=True)
    stack = Stack(folder, GIVEN | given, POSTGRES[release], DebianRedis)
    try:
        stack.manage("collectstatic", "--no-input")  # as the image does when it is built
        stack.start(START_SECONDS)
        yield stack
    finally:
        stack.kill()
        until(lambda: not stack.left(), STOP_SECONDS)


@dataclass
class Proxy:
    """Caddy at work."""

    port: int
    folder: Path
    variables: dict[str, str]
    process: subprocess.Popen[bytes] = field(init=False)

    @property
    def origin(self) -> str:
        return f"https://{NAME}:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "caddy.log"

    def trust(self) -> ssl.SSLContext:
        """What a client needs that is to believe its certificate."""
        root = self.folder / "caddy/caddy/pki/authorities/local/root.crt"
        return ssl.create_default_context(cafile=str(root))

    def client(self, **options: Any) -> httpx.Client:
        """A client that believes its certificate, and no other, and says as browsers do whose
        form it sends."""
        options = {"follow_redirects": True, "timeout": 30, "trust_env": False} | options
        options["headers"] = {"Origin": self.origin} | options.get("headers", {})
        return httpx.Client(base_url=self.origin, verify=self.trust(), **options)

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(["caddy", "run", *CONFIG], **self._run_with(log))
        until(self._answers, START_SECONDS)

    def lead(self, ports: Sequence[int]) -> None:
        """Have it send people to web processes on these ports from now on."""
        self.variables["WEBS"] = webs(ports)
        socket = f"unix/{self.variables['CADDY_ADMIN']}"
        with self.log.open("ab") as log:
            asked = ["caddy", "reload", *CONFIG, "--address", socket]
            subprocess.run(asked, check=True, **self._run_with(log))

    def _run_with(self, log: IO[bytes]) -> dict[str, Any]:
        variables = {"PATH": os.defpath, "HOME": str(self.folder)} | self.variables
        return {"env": variables, "stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        with suppress(httpx.HTTPError, OSError), self.client() as client:
            return client.get("/healthz").status_code < 600
        return False

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def proxy(folder: Path, ports: Sequence[int], **variables: str) -> Iterator[Proxy]:
    """Caddy before web processes on `ports`, with a certificate that it makes for itself."""
    folder.mkdir(parents=True, exist_ok=True)
    plain, port = free_ports(2)
    front = Proxy(
        port,
        folder,
        {
            "SITE": NAME,
            "CERTIFICATES": "internal",
            "BODIES": bodies(),
            "HTTP_PORT": f"{plain}",
            "HTTPS_PORT": f"{port}",
            "WEBS": webs(ports),
            "CADDY_ADMIN": str(folder / "caddy.sock"),
            "XDG_DATA_HOME": str(folder / "caddy"),
            "XDG_CONFIG_HOME": str(folder / "caddy"),
        }
        | variables,
    )
    try:
        front.start()
        yield front
    finally:
        front.stop()


def webs(ports: Sequence[int]) -> str:
    """The names of web processes, as deploy/Caddyfile takes them."""
    return " ".join(f"{HOST}:{port}" for port in ports)


def bodies() -> str:
    """Which words this machine's Caddy has for reading a body whole (see deploy/Caddyfile)."""
    said = subprocess.run(["caddy", "version"], capture_output=True, text=True, check=True).stdout
    release = tuple(int(part) for part in said.split()[0].lstrip("v").split("."))
    return "whole-2.6.2" if release < (2, 6, 4) else "whole"
