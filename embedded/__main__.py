"""`python -m embedded [--demo]`: the whole site on one machine, until INT, TERM or HUP.

supervisord keeps the web server and the workers running, this process supervisord, PostgreSQL and
Valkey. If it is killed, all end by themselves on Linux; elsewhere they must be stopped by hand.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

from embedded import locks, sharing
from embedded.server import UnavailableError
from embedded.starting import is_ready, prepare, python
from embedded.tied import caught_by_make

SUPERVISORD = ["-m", "supervisor.supervisord", "--configuration", "embedded/supervisord.conf"]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
READY_SECONDS, STOP_SECONDS, CHECK_SECONDS = 120.0, 15.0, 1.0


def leave(number: int, frame: object) -> None:
    """End, whatever signal follows; at an alarm only if make was asked to."""
    if number != signal.SIGALRM or caught_by_make() != CAUGHT:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(0)


def run(lines: list[str]) -> None:
    """Run the site, print `lines` and `ready` once it answers, and start again what has ended."""
    began, waiting = time.monotonic(), True
    # It prints what it cannot log, and ends where that fails too: a full disk must not do so.
    command = python(*SUPERVISORD) | {"stderr": subprocess.DEVNULL}
    supervisord = subprocess.Popen(**command)
    try:
        while True:
            time.sleep(CHECK_SECONDS)
            with suppress(UnavailableError, OSError):
                sharing.start(settings.EMBEDDED_SERVERS)
            if supervisord.poll() is not None:
                supervisord = subprocess.Popen(**command)
            if waiting and is_ready():
                print(*lines, "ready", sep="\n", flush=True)  # noqa: T201
                waiting = False
            if waiting and time.monotonic() - began > READY_SECONDS:
                sys.exit(f"No answer in {READY_SECONDS:.0f} s: see the logs.")
    finally:
        supervisord.terminate()
        with suppress(subprocess.TimeoutExpired):
            supervisord.wait(STOP_SECONDS)
        supervisord.kill()


CAUGHT = caught_by_make()
for each in SIGNALS:
    signal.signal(each, leave)
signal.setitimer(signal.ITIMER_REAL, CHECK_SECONDS, CHECK_SECONDS)
try:
    with locks.exclusive(settings.VAR_DIR / "locks" / "processes", fcntl.LOCK_NB):
        run(prepare(demo="--demo" in sys.argv))
except BlockingIOError:
    sys.exit(f"It is running already on {settings.VAR_DIR}. Choose another folder with VAR_DIR=.")
finally:
    signal.setitimer(signal.ITIMER_REAL, 0)  # Python ends with signals as they were
