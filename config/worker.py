"""`python -m config.worker QUEUE`: the Celery worker of a queue of config.background."""

import gc
import logging
import os
import signal
import socket
import sys
import threading
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if sys.argv[1:] == ["io"]:
    os.environ["PROCESS"] = "io"  # for the settings, which are read after this
os.environ.setdefault("AUTOSCALE_KEEPALIVE", "10")  # seconds until Celery ends an idle process

from celery import beat
from celery.signals import worker_init, worker_ready
from django.conf import settings

from config.background import COMPUTE, COMPUTE_PROCESSES, IO, of_queue
from config.celery import app

NICENESS = 5  # pages come first, and rankings still come
MAX_MEMORY = 400_000  # KiB of a process that computes, after which another takes its place
POOLS: dict[str, dict[str, Any]] = {
    # A thread for each task, and a task has one run at a time (config.celery): so each finds its
    # thread free.
    IO: {"pool_cls": "threads", "concurrency": len(of_queue(IO))},
    # No process where there is nothing to do, as what it has computed stays in its memory.
    COMPUTE: {"autoscale": (COMPUTE_PROCESSES, 0), "max_memory_per_child": MAX_MEMORY},
}


def main(queue: str) -> None:
    """As `celery worker` does it, without its command line, which takes 10 MiB."""
    os.nice(NICENESS)
    if queue == COMPUTE:
        worker_init.connect(share_memory)
    else:
        worker_ready.connect(start_clock)
    if settings.EMBEDDED_SERVERS:
        from embedded import sharing  # not in the image

        sharing.start(settings.EMBEDDED_SERVERS)
    worker = app.Worker(
        queues=[queue],
        hostname=f"{queue}@{socket.gethostname()}",
        include=settings.TASKS_OF_QUEUES[queue],
        loglevel=logging.WARNING,
        optimization="fair",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        **POOLS[queue],
    )
    worker.start()
    sys.exit(worker.exitcode)


def share_memory(**details: object) -> None:
    """The garbage collector of the processes to come skips what is imported by now."""
    gc.collect()
    gc.freeze()


def start_clock(**details: object) -> None:
    """In a thread, since nobody would see the end of the other process that --beat starts."""
    threading.Thread(target=run_clock, name="clock", daemon=True).start()


def run_clock() -> None:
    """Send tasks when they are due. If that fails, the worker ends, to be started again."""
    try:
        beat.Service(app, scheduler_cls=app.conf.beat_scheduler).start()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(sys.argv[1])
