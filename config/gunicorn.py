"""The configuration of gunicorn."""

import gc
import os
import shutil
import tempfile

from django.urls import resolve
from environ import Env

from web.charts import start_drawing

os.environ["PROCESS"] = "web"  # for the settings, which are read after this
worker_class = "config.server.Worker"
workers = 2
preload_app = True
threads = 8
# Seconds for open requests when it stops, after those in which proxies turn to others.
graceful_timeout = 8 + Env().int("DRAIN_SECONDS", default=0)
accesslog = "-"
control_socket_disable = True
# Where Prometheus' client sums the counts of processes: set before it is imported.
metrics = Env().bool("METRICS", default=False) and tempfile.mkdtemp(prefix="metrics-")
if metrics:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics


def on_exit(server: object) -> None:
    """Remove the folder of metrics."""
    if metrics:
        shutil.rmtree(metrics, ignore_errors=True)


def when_ready(server: object) -> None:
    """Import all views before the workers are forked, so that they share the memory.

    Otherwise the first request of a worker would wait for it. The garbage collector, for which all
    threads stop, skips what was imported, and runs less often, as requests make few cycles.
    """
    resolve("/")  # imports the views of all addresses
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def post_worker_init(worker: object) -> None:
    """Draw once, so that nobody waits for the start of the renderer.

    It is done after the fork, which would not copy the renderer's threads.
    """
    start_drawing()
