"""What the processes of a site have used: seconds of processor, and memory."""

from collections.abc import Iterable

import psutil
from django.db import connection


def postgres() -> psutil.Process:
    """The process that all of PostgreSQL's others are children of."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return psutil.Process(cursor.fetchone()[0]).parent()


def family(*heads: psutil.Process) -> list[psutil.Process]:
    """Processes with all that they have started."""
    return [process for head in heads for process in (head, *head.children(recursive=True))]


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """Seconds of processor time that they have used so far, in user and in system mode."""
    times = [process.cpu_times() for process in processes]
    return sum(spent.user + spent.system for spent in times)
