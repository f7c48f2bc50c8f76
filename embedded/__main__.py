"""`python -m embedded [--demo]`: the whole site on one machine, until INT, TERM or HUP.

supervisord keeps the web server and the workers running, this process supervisord, PostgreSQL and
Valkey. If it is killed, all end by themselves on Linux; elsewhere they must be stopped by hand.
It does without the settings, with which it would take four times the memory.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

from embedded import locks, sharing
from embedded.server import UnavailableError
from embedded.tied import caught_by_make, python

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
ROOT = Path(__file__).resolve().parents[1]
VAR_DIR = Path(os.environ.get("VAR_DIR", ROOT / "var")).resolve()
os.environ["VAR_DIR"] = str(VAR_DIR)  # for the others
SERVERS = sharing.servers(
    VAR_DIR,
    postgres=not any(map(os.environ.get, ("DATABASE_URL", "DATABASE_URL_FILE"))),
    valkey=not any(map(os.environ.get, ("REDIS_URL", "REDIS_URL_FILE"))),
)
if "--demo" in sys.argv:
    os.environ.setdefault("WEB_CONCURRENCY", "1")  # web processes: one person looks around
STARTING = ["-m", "embedded.starting", *sys.argv[1:]]
SUPERVISORD = ["-m", "supervisor.supervisord", "--configuration", "embedded/supervisord.conf"]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
STOP_SECONDS, CHECK_SECONDS = 15.0, 1.0
SERVER_CHECKS = 5  # one of so many checks looks at the servers: PostgreSQL forks for it


def leave(number: int, frame: object) -> None:
    """End, whatever signal follows; at an alarm only if make was asked to."""
    if number != signal.SIGALRM or caught_by_make() != CAUGHT:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(0)


def stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
    process.kill()


def prepare() -> tuple[subprocess.Popen[str], str]:
    """The process that waits until the site answers, and what to print then."""
    starting = subprocess.Popen(**python(*STARTING) | {"stdout": subprocess.PIPE, "text": True})
    try:
        assert starting.stdout  # noqa: S101 - a pipe
        if lines := starting.stdout.read():
            return starting, lines
        sys.exit(starting.wait())
    except BaseException:
        stop(starting)
        raise


def run() -> None:
    """Start the site, print what to know once it answers, and start again what has ended."""
    if SERVERS:
        sharing.hold(VAR_DIR)  # so that this process is the last one, which stops them
    starting, lines = prepare()
    # It prints what it cannot log, and ends where that fails too: a full disk must not do so.
    command = python(*SUPERVISORD) | {"stderr": subprocess.DEVNULL, "text": True}
    supervisord = subprocess.Popen(**command)
    try:
        for turn in count():
            time.sleep(CHECK_SECONDS)
            if turn % SERVER_CHECKS == 0:
                with suppress(UnavailableError, OSError):
                    sharing.start(SERVERS)
            if supervisord.poll() is not None:
                supervisord = subprocess.Popen(**command)
            if lines and starting.poll() is not None:
                if starting.returncode:
                    sys.exit(starting.returncode)
                print(lines, "ready", sep="", flush=True)  # noqa: T201
                lines = ""
    finally:
        stop(starting)
        stop(supervisord)


CAUGHT = caught_by_make()
for each in SIGNALS:
    signal.signal(each, leave)
signal.setitimer(signal.ITIMER_REAL, CHECK_SECONDS, CHECK_SECONDS)
try:
    with locks.exclusive(VAR_DIR / "locks" / "processes", fcntl.LOCK_NB):
        run()
except BlockingIOError:
    sys.exit(f"It is running already on {VAR_DIR}. Choose another folder with VAR_DIR=.")
except PermissionError as error:
    sys.exit(str(error))
finally:
    signal.setitimer(signal.ITIMER_REAL, 0)  # Python ends with signals as they were
