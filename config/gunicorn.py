"""How gunicorn runs the web application, wherever it runs."""

import gc
import os
import shutil
import tempfile

from django.urls import resolve
from environ import Env

from web.charts import start_drawing

os.environ["PROCESS"] = "web"  # to the settings, which are read after this
worker_class = "config.server.Worker"
workers = 2
preload_app = True
threads = 8
# Seconds that requests under way get when it stops, after those in which proxies turn to others.
graceful_timeout = 8 + Env().int("DRAIN_SECONDS", default=0)
accesslog = "-"
control_socket_disable = True
# Where Prometheus' client adds up what the processes count: named before it is imported.
metrics = Env().bool("METRICS", default=False) and tempfile.mkdtemp(prefix="metrics-")
if metrics:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics


def on_exit(server: object) -> None:
    """Leave no numbers behind."""
    if metrics:
        shutil.rmtree(metrics, ignore_errors=True)


def when_ready(server: object) -> None:
    """Load everything before the workers are forked, so that they share it in memory.

    Otherwise the first who asks a worker would wait while it imports all views. What was loaded is
    there to stay: the garbage collector, for which all threads stop, need not look at it again. It
    is called less often, too: a request makes thousands of objects and no cycles to speak of.
    """
    resolve("/")  # imports the views of all addresses
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def post_worker_init(worker: object) -> None:
    """Have the worker draw once, so that nobody waits while the drawing program starts.

    It has threads of its own, which a fork would not take along.
    """
    start_drawing()
