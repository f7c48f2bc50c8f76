"""PgBouncer as deploy/pgbouncer.ini has it, before whatever PostgreSQL a test has."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg2

from embedded.account import Account
from tests.config.compose import HOST, ROOT, free_ports
from tests.config.helpers import until

PROGRAM = shutil.which("pgbouncer", path=f"{os.defpath}:/usr/sbin:/usr/local/sbin")
FILE = ROOT / "deploy/pgbouncer.ini"


def written() -> ConfigParser:
    file = ConfigParser(interpolation=None)
    file.read(FILE)
    return file


@contextmanager
def pooler(server: Mapping[str, Any], var_dir: Path, of: str = "magnitudes") -> Iterator[int]:
    """PgBouncer at work; the port that it listens on, at 127.0.0.1.

    Any name of a database is that database of the server. A pool has four sessions, which take
    turns, so that what is left behind in one is missed, or found, by the next transaction.

    Args:
        server: as an entry in DATABASES.
        var_dir: of the embedded server, whose account this runs as; any folder for another.
        of: the database of the file whose limits hold.
    """
    (port,) = free_ports(1)
    file, account = written(), Account.serving(var_dir)
    limits = "".join(file["databases"][of].partition(" connect_query=")[1:])
    secret = server.get("PASSWORD", "").replace("'", "''")
    password = f" password='{secret}'" if secret else ""
    file["databases"] = {
        "*": f"host={server['HOST']} port={server['PORT']} user={server['USER']}{password}{limits}"
    }
    file["pgbouncer"].update(
        {
            "listen_port": f"{port}",
            "auth_type": "any",
            "default_pool_size": "4",
            "server_round_robin": "1",
            "unix_socket_dir": "",
        }
    )
    del file["pgbouncer"]["auth_file"]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        place = Path(folder, "pgbouncer.ini")
        with place.open("w") as text:
            file.write(text)
        shutil.chown(folder, account.uid, account.gid)
        shutil.chown(place, account.uid, account.gid)
        assert PROGRAM, "PgBouncer is not installed"
        who = {} if os.geteuid() == account.uid else {"user": account.uid, "group": account.gid}
        process = subprocess.Popen(
            [PROGRAM, str(place)], stdout=log, stderr=log, cwd="/", **who, extra_groups=[]
        )
        try:
            until(lambda: _answers(port, server, process, Path(log.name)), 30)
            yield port
        finally:
            process.kill()
            process.wait()


def _answers(
    port: int, server: Mapping[str, Any], process: subprocess.Popen[bytes], log: Path
) -> bool:
    assert process.poll() is None, log.read_text()
    with suppress(psycopg2.OperationalError):
        address = {"host": HOST, "port": port, "user": server["USER"]}
        with closing(psycopg2.connect(dbname="postgres", connect_timeout=5, **address)):
            return True
    return False
