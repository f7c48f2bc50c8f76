"""What is done in the background: which tasks, how often, for how long, and by which worker."""

from typing import Any

SECONDS_OF_TASKS = {
    "judging.tasks.tick": 60,
    "workspace.recruiting.tasks.follow": 60,
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
    "recruit": "workspace.recruiting.tasks.follow",
    "evaluate": "evaluation.tasks.bring_up_to_date",
    "analyse": "evaluation.tasks.analyse",
    "report": "evaluation.tasks.write_reports",
    "import": "workspace.tasks.import_files",
    "plan": "workspace.planning.tasks.plan",
    "forecast": "workspace.planning.tasks.forecast",
}
ALERT_SECONDS = 30.0  # between two looks at the lights of studies whose alerts go somewhere
HOUSEKEEPING_SECONDS = 3600.0  # between two looks at what is kept for a time
RECORD_SECONDS = 5.0  # until what was taken back is outside the database as well
HEARTBEAT_SECONDS = 60.0
BACKUP_LOOK_SECONDS = (
    300.0  # between two looks at which backups are too old, and whether one is due
)
# Each has a worker of its own: no evaluation delays the tick, no import an evaluation. A worker
# loads the tasks of its queue alone, as the mathematics take seconds and memory. That of `expiry`
# has two processes: while one waits for a participant platform, the other ticks. What waits for
# servers of the researchers' choice is in `chores`, which nobody waits for. A backup is made where
# files are imported, at the lowest priority: each waits for the other.
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


def limits() -> dict[str, dict[str, int]]:
    """For how long each task may work, as Celery is told.

    Then it is asked to end, by an exception, and half a minute later killed; the next tick finds
    what it has left undone.
    """
    return {
        task: {"soft_time_limit": seconds, "time_limit": seconds + 30}
        for task, seconds in SECONDS_OF_TASKS.items()
    }


def schedule(tick_seconds: float, *, heartbeat: bool) -> dict[str, dict[str, Any]]:
    """How often each task is sent, in seconds.

    A tick that comes late does no harm: one that finds nothing to do, or another at work, ends at
    once. So none is thrown away for its age, which Celery would take by the clock of another host;
    what keeps queues short is their length (config.beat).
    """
    entries = {name: (task, tick_seconds) for name, task in AT_EACH_TICK.items()}
    entries["alert"] = "workspace.alerts.tasks.alert", ALERT_SECONDS
    entries["housekeeping"] = "workspace.housekeeping.tasks.purge", HOUSEKEEPING_SECONDS
    entries["record"] = "operations.record.tasks.write_record", RECORD_SECONDS
    entries["back up"] = "operations.backup.tasks.back_up", BACKUP_LOOK_SECONDS
    if heartbeat:
        entries["heartbeat"] = "operations.heartbeat.tasks.heartbeat", HEARTBEAT_SECONDS
    return {name: {"task": task, "schedule": period} for name, (task, period) in entries.items()}


def routes() -> dict[str, dict[str, str]]:
    """To which queue each task goes."""
    return {
        f"{tasks}.*": {"queue": queue}
        for queue, known in TASKS_OF_QUEUES.items()
        for tasks in known
    }
