"""Commands of the product as processes, which begin with their work at once."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

from django.conf import settings
from django.core.management import execute_from_command_line
from django.db import connection

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["tests.faults.cut.preloaded"])


def load() -> None:
    """Load what commands need, which takes seconds the first time."""
    process = _server.Process(target=_nothing)
    process.start()
    process.join()


def _nothing() -> None:
    """A process that has loaded all, and ends."""


def begin(
    words: Sequence[str], database: str, changed: Mapping[str, str], log: Path
) -> BaseProcess:
    """Begin `manage.py WORDS` on a database; it has a session of its own.

    changed: settings that differ. log: what it says is added there.
    """
    process = _server.Process(target=_run, args=(words, database, dict(changed), log), daemon=True)
    process.start()
    return process


def _run(words: Sequence[str], database: str, changed: dict[str, str], log: Path) -> None:
    os.setsid()
    said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, sys.stdout.fileno())
    os.dup2(said, sys.stderr.fileno())
    connection.settings_dict["NAME"] = database
    for name, value in changed.items():
        setattr(settings, name, value)
    execute_from_command_line(["manage.py", *words])


def kill(process: BaseProcess) -> None:
    assert process.pid
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
