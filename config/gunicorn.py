import gc
import os
import shutil
import signal
import tempfile

from django.urls import resolve

os.environ["PROCESS"] = "web"  # for the settings, which are read after this
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

from web.middleware.probes import start_draining

bind = f"{settings.HOST}:{settings.PORT}"
worker_class = "gthread"
workers = settings.WEB_CONCURRENCY
threads = settings.MAX_REQUESTS + 2
preload_app = True
keepalive = 75  # seconds between two requests of a connection: longer than in proxies
graceful_timeout = 8 + settings.DRAIN_SECONDS
# A long query, and the cookies of many studies: the proxy takes no more than this.
limit_request_line = 8190
limit_request_field_size = 32 * 1024
forwarded_allow_ips = ""  # web.middleware.proxies decides, by TRUSTED_PROXIES
control_socket_disable = True
# Where Prometheus' client sums the counts of processes: set before it is imported.
metrics = settings.METRICS and tempfile.mkdtemp(prefix="metrics-")
if metrics:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics


def on_exit(server: object) -> None:
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
    """Drain before the end."""
    signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGTERM))
    signal.signal(signal.SIGTERM, drain)


def drain(number: int, frame: object) -> None:
    """Go on for DRAIN_SECONDS, in which proxies learn that this process is about to end."""
    start_draining()
    if settings.DRAIN_SECONDS:
        signal.alarm(settings.DRAIN_SECONDS)
    else:
        signal.raise_signal(signal.SIGALRM)
