"""How old the newest backup is, and whether the record of what happened since gets out."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Min

from judging.models import RecordEntry, Tick, Worker
from operations.backup.making import TICK
from operations.health.finding import Check, Finding, degraded, well
from web import clock

LATE = timedelta(hours=48)  # where no BACKUP_HOURS says how often
WAITS = timedelta(minutes=2)  # a tick every few seconds writes it
LOOK = "Look at the log of the worker of the queue imports, and try `manage.py backup`."
SET_UP = "Set BACKUP_HOURS and BACKUP_URL, or have cron call `manage.py backup`."


def backups() -> Finding:
    """How old the newest is. Before people have judged all can be made anew."""
    made_at = Tick.objects.filter(name=TICK).values_list("ran_at", flat=True).first()
    if made_at is None:
        if Worker.objects.filter(simulated=False).exists():
            return degraded("People have judged, and no backup was made here yet.", SET_UP)
        return well("No backup was made here yet, and no person has judged.")
    age = clock.now() - made_at
    says = f"The newest is {age / timedelta(hours=1):,.1f} hours old."
    late = 2 * timedelta(hours=settings.BACKUP_HOURS) or LATE
    return degraded(says, LOOK if settings.BACKUP_HOURS else SET_UP) if age > late else well(says)


def record() -> Finding:
    """Whether what is taken back, deleted and paid is written outside the database."""
    waiting = RecordEntry.objects.filter(written_at=None)
    oldest = waiting.aggregate(at=Min("at"))["at"]
    if oldest is None:
        return well("All of it is written.")
    age = clock.now() - oldest
    if age < WAITS:
        return well("It is being written.")
    return degraded(
        f"What was taken back or paid has not been written for {age / timedelta(minutes=1):,.0f} "
        "minutes: a restore would not know of it.",
        "Look whether BACKUP_URL can be written to by the worker of the queue expiry.",
    )


CHECKS = (
    Check("backups", "Backups", backups, needs="database"),
    Check("record", "Record beside the backups", record, needs="database"),
)
