"""docker-compose.yml and the Dockerfile without an engine: read, and run as processes from here.

What an engine would give a container, its process here has as well: the image's files, variables
and command, the variables and command of the compose file and no others, the health check, and a
host name of its own. Three things are replaced. `postgres:5432` and `redis:6379`, names that only
an engine's network knows, become addresses on 127.0.0.1; PORT, which a web process listens on,
differs between the web processes, as they share the one address; and VAR_DIR and the folder of the
secrets are folders of the test's.
"""

import compileall
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg2
import yaml
from docker.utils import exclude_paths

from embedded import locks, postgres, valkey
from embedded.account import Account

from .helpers import kill_session

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
GIVEN = {"SITE": HOST, "HTTPS": "off"}  # for processes that have no proxy before them
IMAGE = "magnitudes"  # the one that is built from here
# Of any characters, as they come from files.
SECRETS = {
    "secret_key": "of these tests alone, and longer than fifty $characters: 'é",
    "encryption_key": "the key of these tests by which ids are encrypted and no other",
    "database_password": "$p4ss w/:@#?%41'\"\\ö",
    "admin_password": "the first admin's, of these tests alone",
}
MOUNTED = "/run/secrets/"  # where an engine puts them
VARIABLE = re.compile(r"\$\{(?P<name>\w+):[-?](?P<rest>[^${}]*)\}")
# Docker gives every container a host name, and says it in HOSTNAME. Celery's workers are told
# apart by it.
HOST_NAMES = 'import os, socket\nsocket.gethostname = lambda: os.environ["HOSTNAME"]\n'


def interpolate(text: str, given: Mapping[str, str]) -> str:
    """`text` with the values of its variables; an empty one counts as unset."""

    def value(match: re.Match[str]) -> str:
        return given.get(match["name"]) or match["rest"]

    if "$" in VARIABLE.sub("", text):
        raise ValueError(f"{text}: only ${{NAME:?message}} and ${{NAME:-default}} are known here.")
    return VARIABLE.sub(value, text)


def resolve(tree: Any, given: Mapping[str, str]) -> Any:
    """Every text of a YAML tree, interpolated; keys are left as they are."""
    if isinstance(tree, dict):
        return {key: resolve(value, given) for key, value in tree.items()}
    if isinstance(tree, list):
        return [resolve(value, given) for value in tree]
    return interpolate(tree, given) if isinstance(tree, str) else tree


@dataclass(frozen=True)
class Service:
    """What the files say of a service."""

    name: str
    environment: dict[str, str]
    command: list[str]
    check: list[str]  # empty: has none


def read(given: Mapping[str, str]) -> dict[str, Service]:
    """The services by name; `given` is what stands in .env."""
    return {name: _service(name, said) for name, said in services(given).items()}


def services(given: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What stands under `services`, with the values of variables."""
    tree = resolve(yaml.safe_load((ROOT / "docker-compose.yml").read_text()), given)
    return dict(tree["services"])


def _service(name: str, declared: dict[str, Any]) -> Service:
    variables, command = dockerfile() if declared["image"].split(":")[0] == IMAGE else ({}, [])
    return Service(
        name,
        variables | declared.get("environment", {}),
        declared.get("command", command),
        _check(declared.get("healthcheck", {}).get("test", [])),
    )


def _check(test: list[str]) -> list[str]:
    kind, *words = test or ["CMD"]
    return {"CMD": words, "CMD-SHELL": ["/bin/sh", "-c", *words]}[kind]


def dockerfile() -> tuple[dict[str, str], list[str]]:
    """The image's variables, and the command of a container that is given none."""
    variables: dict[str, str] = {}
    command: list[str] = []
    for line in (ROOT / "Dockerfile").read_text().replace("\\\n", "").splitlines():
        instruction, _, rest = line.partition(" ")
        if instruction == "ENV":
            variables |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        elif instruction == "CMD":
            command = json.loads(rest)
    return variables, command


def copy_image(source: Path, image: Path) -> None:
    """Copy what `COPY . .` puts into the image: all that .dockerignore does not name."""
    ignored = (ROOT / ".dockerignore").read_text().split()
    for name in exclude_paths(str(source), ignored):
        if (source / name).is_file():
            (image / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, image / name)


def free_ports(number: int) -> list[int]:
    probes = [socket.create_server((HOST, 0)) for _ in range(number)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class Container:
    """One container of the application's image, as a process and its children."""

    def __init__(self, service: Service, name: str, folder: Path, **replaced: str) -> None:
        self.name, self.service = name, service
        self.image = folder / "image"
        self.log = folder / f"{name}.log"
        hosts = folder / "hosts"
        hosts.mkdir(exist_ok=True)
        (hosts / "sitecustomize.py").write_text(HOST_NAMES)
        self.environment = service.environment | replaced
        self.environment |= {"HOSTNAME": name, "PYTHONPATH": str(hosts)}
        # The programs of the environment that the tests run in, as pip put them into the image.
        self.environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
        self.process: subprocess.Popen[bytes] | None = None
        self.running: list[subprocess.Popen[bytes]] = []  # with what was run in it besides
        self.groups: set[int] = set()  # of all processes that it ever had

    def start(self) -> None:
        """Run its command; what it says is added to its log."""
        with self.log.open("ab") as log:
            self.process = self.run(self.service.command, stdout=log, stderr=log)

    def run(self, command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            cwd=self.image,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that all of it can be killed, and no Ctrl-C goes there
            **options,
        )
        self.running.append(process)
        self.groups.add(process.pid)
        return process

    def ask(self) -> subprocess.Popen[bytes]:
        with self.log.with_suffix(".health").open("ab") as log:
            return self.run(self.service.check, stdout=log, stderr=log)

    def end(self, seconds: float) -> int:
        """Wait until its command has ended; the exit status."""
        assert self.process
        return self.process.wait(seconds)

    def terminate(self) -> None:
        """Ask its command to end, as an engine does first to stop it."""
        assert self.process
        self.process.terminate()

    def kill(self) -> None:
        """Kill all of it at once, as when its machine fails; wait until it is gone."""
        while self.running:
            kill_session(self.running.pop())


class Postgres(postgres.Postgres):
    """The service `postgres`, on a port: what the image makes of its variables."""

    def __init__(self, service: Service, folder: Path, port: int) -> None:
        super().__init__(folder, folder / "run")  # where no socket is made
        self.service, self.port = service, port

    @property
    def secret(self) -> str:
        return SECRETS[self.service.environment["POSTGRES_PASSWORD_FILE"].removeprefix(MOUNTED)]

    def prepare(self, program: Path, account: Account, lock: int) -> None:
        """The cluster, with a password for everybody, and the database."""
        account.own_folder(self.data)
        if (self.data / "PG_VERSION").exists():
            return
        given = self.service.environment
        password = self.var_dir / "password"
        password.write_text(self.secret)
        os.chown(password, account.uid, account.gid)
        initdb = [
            str(program.with_name("initdb")),
            "--pgdata",
            str(self.data),
            "--auth=scram-sha-256",
        ]
        whose = ["--username", given["POSTGRES_USER"], "--pwfile", str(password)]
        single = [str(program), "--single", "-D", str(self.data), "postgres"]
        with self.log.open("ab") as log:
            for command, said in (
                ([*initdb, *whose, "--encoding=UTF8", "--no-locale"], ""),
                (single, f"CREATE DATABASE {given['POSTGRES_DB']};\n"),
            ):
                account.run(
                    command,
                    program,
                    self.data,
                    input=said.encode(),
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    pass_fds=[lock],
                    check=True,
                )

    def command(self, program: Path) -> list[str]:
        options = {"listen_addresses": HOST, "port": self.port, "unix_socket_directories": ""}
        words = [f"--{name}={value}" for name, value in options.items()]
        return [str(program), "-D", str(self.data), *self.service.command[1:], *words]

    def answers(self) -> bool:
        """Its health check, which finds the port in PGPORT."""
        path = f"{self._program().parent}{os.pathsep}{os.defpath}"
        variables = self.service.environment | {"PATH": path, "PGPORT": f"{self.port}"}
        asked = subprocess.run(
            self.service.check, env=variables, stdout=subprocess.DEVNULL, check=False
        )
        return asked.returncode == 0


class Redis(valkey.Valkey):
    """The service `redis`, on a port; Valkey, which takes the same command line."""

    def __init__(self, service: Service, folder: Path, port: int) -> None:
        super().__init__(folder, folder / "run")  # where no socket is made
        self.service, self.port = service, port

    def command(self, program: Path) -> list[str]:
        options = {"bind": HOST, "port": self.port, "dir": self.data, "pidfile": self.pid_file}
        words = [word for name, value in options.items() for word in (f"--{name}", f"{value}")]
        return [str(program), *self.service.command[1:], *words]

    def answers(self) -> bool:
        """What its health check asks: there is no redis-cli among the wheel's programs."""
        with suppress(OSError), socket.create_connection((HOST, self.port), timeout=3) as server:
            server.sendall(b"PING\r\n")
            return server.recv(16).startswith(b"+PONG")
        return False


class Stack:
    """All that the file names: both servers, two web processes and two workers of what computes,
    and the one of what waits, which has the clock."""

    def __init__(
        self,
        folder: Path,
        given: Mapping[str, str],
        database: type[Postgres] = Postgres,
        broker: type[Redis] = Redis,
    ) -> None:
        self.folder, self.var_dir = folder, folder / "var"
        self.var_dir.mkdir()
        (folder / "secrets").mkdir()
        for name, secret in SECRETS.items():
            (folder / "secrets" / name).write_text(f"{secret}\n")
        copy_image(ROOT, folder / "image")
        compileall.compile_dir(folder / "image", quiet=1)
        self.services = read(given)
        self.database, port, *self.ports = free_ports(4)
        self.here = {"postgres:5432": f"{HOST}:{self.database}", "redis:6379": f"{HOST}:{port}"}
        self.servers = [
            database(self.services["postgres"], folder / "postgres", self.database),
            broker(self.services["redis"], folder / "redis", port),
        ]
        self.migrate = self._container("migrate", 1)
        self.webs = [
            self._container("web", number, PORT=f"{port}")
            for number, port in enumerate(self.ports, 1)
        ]
        self.workers = [self._container("compute", number) for number in (1, 2)]
        self.io = self._container("io", 1)
        self.parts = [*self.webs, *self.workers, self.io]

    def _container(self, name: str, number: int, **replaced: str) -> Container:
        service = self.services[name]
        for there, here in self.here.items():
            (variable,) = (key for key, value in service.environment.items() if there in value)
            replaced[variable] = service.environment[variable].replace(there, here)
        for variable, value in service.environment.items():
            if value.startswith(MOUNTED):
                replaced[variable] = str(self.folder / "secrets" / value.removeprefix(MOUNTED))
        replaced["VAR_DIR"] = str(self.var_dir)
        return Container(service, f"{name}-{number}", self.folder, **replaced)

    def start(self, seconds: float) -> None:
        """Start everything in the order that `depends_on` gives."""
        for server in self.servers:
            server.ensure(seconds)
        self.migrate.start()
        assert self.migrate.end(seconds) == 0, self.migrate.log.read_text()
        for part in self.parts:
            part.start()

    def kill(self) -> None:
        with ExitStack() as everything:
            for server in self.servers:
                everything.callback(server.stop)
            for part in (self.migrate, *self.parts):
                everything.callback(part.kill)

    def left(self) -> list[str]:
        listing = ["ps", "-A", "-ww", "-o", "pgid=,stat=,args="]
        said = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
        groups = set().union(*(part.groups for part in (self.migrate, *self.parts)))
        lines = (line.split(maxsplit=2) for line in said.splitlines())
        own = [
            words[0] for group, state, *words in lines if int(group) in groups and state[0] != "Z"
        ]
        return own + [server.name for server in self.servers if not locks.is_free(server.lock)]

    def connect(self, password: str | None = None) -> Any:
        given = self.services["postgres"].environment
        return psycopg2.connect(
            host=HOST,
            port=self.database,
            dbname=given["POSTGRES_DB"],
            user=given["POSTGRES_USER"],
            password=password or SECRETS["database_password"],
        )

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        with closing(self.connect()) as connection, connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def manage(self, *words: str) -> str:
        """What a management command prints, run in a container as the operator would."""
        command = ["python", "manage.py", *words]
        run = self.migrate.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output, errors = run.communicate()
        assert run.returncode == 0, errors.decode()
        return output.decode()

    def manage_in_turn(self, *commands: Sequence[str]) -> str:
        """What several of them print, run one after another by a single process."""
        calls = [f"call_command(*{list(words)!r})" for words in commands]
        script = "\n".join(["from django.core.management import call_command", *calls])
        return self.manage("shell", "--no-imports", "--command", script)
