from datetime import timedelta

from django.conf import settings
from django.db.models import Min

from judging.models import RecordEntry, Tick, Worker
from operations.backup.dumping import TICK
from web import clock
from web.findings import Finding, degraded, ok

LATE = timedelta(hours=48)  # without BACKUP_HOURS
MAX_DELAY = timedelta(minutes=2)  # it is written every few seconds
CHECK_LOG = "Look at the log of the worker of the queue compute, and try `manage.py backup`."
SET_UP = "Set BACKUP_HOURS and BACKUP_URL, or have cron call `manage.py backup`."


def backups() -> Finding:
    """The age of the newest; none is needed before people have judged."""
    made_at = Tick.objects.filter(name=TICK).values_list("ran_at", flat=True).first()
    if made_at is None:
        if Worker.objects.filter(simulated=False).exists():
            return degraded("People have judged, and no backup was made here yet.", SET_UP)
        return ok("No backup was made here yet, and no person has judged.")
    age = clock.now() - made_at
    sentence = f"The newest is {age / timedelta(hours=1):,.1f} hours old."
    late = 2 * timedelta(hours=settings.BACKUP_HOURS) or LATE
    return (
        degraded(sentence, CHECK_LOG if settings.BACKUP_HOURS else SET_UP)
        if age > late
        else ok(sentence)
    )


def record() -> Finding:
    waiting = RecordEntry.objects.filter(written_at=None)
    oldest = waiting.aggregate(at=Min("at"))["at"]
    if oldest is None:
        return ok("All of it is written.")
    age = clock.now() - oldest
    if age < MAX_DELAY:
        return ok("It is being written.")
    return degraded(
        f"What was taken back or paid has not been written for {age / timedelta(minutes=1):,.0f} "
        "minutes: a restore would not know of it.",
        "Look whether BACKUP_URL can be written to by the worker of the queue io.",
    )
