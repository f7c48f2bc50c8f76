"""Background tasks: how often they run, for how long, and in which queue."""

from typing import Any

SECONDS_OF_TASKS = {
    "judging.tasks.tick": 60,
    "workspace.recruiting.tasks.sync_studies": 60,
    "workspace.alerts.tasks.alert": 100,
    "workspace.housekeeping.tasks.purge": 600,
    "evaluation.tasks.bring_up_to_date": 900,
    "evaluation.tasks.analyse": 3600,
    "evaluation.tasks.write_reports": 3600,
    "workspace.tasks.import_files": 4 * 3600,
    "workspace.planning.tasks.plan": 900,
    "workspace.planning.tasks.forecast": 3600,
    "operations.record.tasks.write_record": 60,
    "operations.heartbeat.tasks.heartbeat": 15,
    "operations.backup.tasks.back_up": 6 * 3600,
}
AT_EACH_TICK = {
    "expire": "judging.tasks.tick",
    "recruit": "workspace.recruiting.tasks.sync_studies",
    "evaluate": "evaluation.tasks.bring_up_to_date",
    "analyse": "evaluation.tasks.analyse",
    "report": "evaluation.tasks.write_reports",
    "import": "workspace.tasks.import_files",
    "plan": "workspace.planning.tasks.plan",
    "forecast": "workspace.planning.tasks.forecast",
}
ALERT_SECONDS = 30.0  # between two checks of studies with alerts
HOUSEKEEPING_SECONDS = 3600.0
RECORD_SECONDS = 5.0  # until entries of the record are outside the database
HEARTBEAT_SECONDS = 60.0
BACKUP_CHECK_SECONDS = 300.0  # between two checks for expired backups and due ones
# Each queue has its own worker, so that evaluations do not delay ticks, nor imports evaluations. A
# worker loads only the tasks of its queue, as the mathematics take seconds and memory. The worker
# of `expiry` has two processes: while one waits for a participant platform, the other ticks.
# `chores` has what waits for servers that researchers choose. Backups share the queue `imports`, at
# the lowest priority.
TASKS_OF_QUEUES = {
    "celery": ["evaluation.tasks", "workspace.planning.tasks"],
    "expiry": [
        "judging.tasks",
        "workspace.recruiting.tasks",
        "operations.record.tasks",
        "operations.heartbeat.tasks",
    ],
    "chores": ["workspace.alerts.tasks", "workspace.housekeeping.tasks"],
    "imports": ["workspace.tasks", "operations.backup.tasks"],
}


def time_limits() -> dict[str, dict[str, int]]:
    """The time limits of each task, for Celery.

    At the soft limit it gets an exception, and half a minute later it is killed; the next tick
    continues its work.
    """
    return {
        task: {"soft_time_limit": seconds, "time_limit": seconds + 30}
        for task, seconds in SECONDS_OF_TASKS.items()
    }


def schedule(tick_seconds: float, *, heartbeat: bool) -> dict[str, dict[str, Any]]:
    """The beat schedule, in seconds.

    Late ticks do no harm, as they end at once if there is nothing to do. So tasks do not expire,
    which Celery would decide by the clock of another host; config.beat limits the length of queues.
    """
    entries = {name: (task, tick_seconds) for name, task in AT_EACH_TICK.items()}
    entries["alert"] = "workspace.alerts.tasks.alert", ALERT_SECONDS
    entries["housekeeping"] = "workspace.housekeeping.tasks.purge", HOUSEKEEPING_SECONDS
    entries["record"] = "operations.record.tasks.write_record", RECORD_SECONDS
    entries["back up"] = "operations.backup.tasks.back_up", BACKUP_CHECK_SECONDS
    if heartbeat:
        entries["heartbeat"] = "operations.heartbeat.tasks.heartbeat", HEARTBEAT_SECONDS
    return {name: {"task": task, "schedule": period} for name, (task, period) in entries.items()}


def routes() -> dict[str, dict[str, str]]:
    """The queue of each task."""
    return {
        f"{module}.*": {"queue": queue}
        for queue, modules in TASKS_OF_QUEUES.items()
        for module in modules
    }
