"""Background tasks: the queue, period and time limit of each.

Celery's settings, its workers (config.worker), health and the start-up read this table.
"""

from typing import Any, NamedTuple

# Each queue has one worker. The tasks of IO wait for others, each in a thread of its own, so that
# none of them delays a tick. Those of COMPUTE take processor time, or hours, in up to
# COMPUTE_PROCESSES processes: an import, a backup and a long computation, of each of which there is
# one at a time on the site (web.background.leases), leave one for rankings.
IO, COMPUTE = "io", "compute"
COMPUTE_PROCESSES = 4
FOUND = 0.0  # in place of a period: `workspace.io_tasks.find_work` requests the task


class Periodic(NamedTuple):
    queue: str
    every: float | None  # seconds; None: each TICK_SECONDS; FOUND: when `find_work` finds work
    limit: int  # seconds


TASKS = {
    "judging.tasks.tick": Periodic(IO, 15, 60),
    "workspace.io_tasks.find_work": Periodic(IO, None, 60),
    "workspace.io_tasks.sync_studies": Periodic(IO, FOUND, 60),
    "workspace.io_tasks.send_alerts": Periodic(IO, FOUND, 60),
    "operations.record.tasks.write_record": Periodic(IO, FOUND, 60),
    "crowd.tasks.ask_models": Periodic(IO, FOUND, 60),
    "operations.heartbeat.heartbeat": Periodic(IO, 60, 15),
    # Requested by `find_work` as well: the period shows that the worker of COMPUTE runs.
    "evaluation.tasks.bring_up_to_date": Periodic(COMPUTE, 60, 900),
    "evaluation.tasks.analyse": Periodic(COMPUTE, FOUND, 3600),
    "evaluation.tasks.write_reports": Periodic(COMPUTE, FOUND, 3600),
    "workspace.tasks.plan": Periodic(COMPUTE, FOUND, 900),
    "workspace.tasks.forecast": Periodic(COMPUTE, FOUND, 3600),
    "workspace.tasks.import_files": Periodic(COMPUTE, FOUND, 4 * 3600),
    "workspace.tasks.watch": Periodic(COMPUTE, 60, 60),
    "workspace.tasks.purge": Periodic(COMPUTE, 3600, 600),
    "operations.backup.tasks.back_up": Periodic(COMPUTE, 300, 6 * 3600),
}


def of_queue(queue: str) -> list[str]:
    return [name for name, task in TASKS.items() if task.queue == queue]


def modules_of_queues() -> dict[str, list[str]]:
    """Only those: the mathematics take memory."""
    return {
        queue: sorted({name.rpartition(".")[0] for name in of_queue(queue)})
        for queue in (IO, COMPUTE)
    }


def time_limits() -> dict[str, dict[str, int]]:
    """The time limits of each task, for Celery.

    At the soft limit it gets an exception, and half a minute later its process is killed; the next
    tick continues its work. In threads Celery has no limits: config.celery sets the first.
    """
    return {
        name: {"soft_time_limit": task.limit, "time_limit": task.limit + 30}
        for name, task in TASKS.items()
    }


def schedule(tick_seconds: float, *, heartbeat: bool) -> dict[str, dict[str, Any]]:
    """The beat schedule, in seconds.

    Late ticks do no harm, as they end at once if there is nothing to do. So tasks do not expire,
    which Celery would decide by the clock of another host; config.beat limits the length of queues.
    """
    return {
        name: {"task": name, "schedule": task.every or tick_seconds}
        for name, task in TASKS.items()
        if task.every != FOUND and (heartbeat or not name.endswith(".heartbeat"))
    }


def routes() -> dict[str, dict[str, str]]:
    return {name: {"queue": task.queue} for name, task in TASKS.items()}
