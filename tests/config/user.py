"""A process that uses the embedded servers until its standard input ends.

It answers each line, a command, with a line of JSON.
"""

import json
import os
import sys
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.config.site"

from django.db import connection

from config.celery import app


def query(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0] if cursor.description else None


def ask(statement: str) -> Any:
    """As at the beginning of a request: a connection that broke before is replaced."""
    connection.close_if_unusable_or_obsolete()
    return query(statement)


def servers(_: str) -> dict[str, int]:
    postmaster = ask(r"SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)")
    with app.connection_for_write() as broker:
        valkey = broker.default_channel.client.info("server")["process_id"]
    return {"postgres": int(postmaster), "valkey": valkey}


def broker(setting: str) -> Any:
    with app.connection_for_write() as connected:
        return connected.default_channel.client.config_get(setting)[setting]


def fork(_: str) -> int:
    """A child connects for itself and leaves; it runs the exit functions that it inherited."""
    child = os.fork()
    if child == 0:
        connection.connection = None
        query("SELECT 1")
        sys.exit()
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        sys.stdout.write(json.dumps(globals()[command](rest)) + "\n")
        sys.stdout.flush()
