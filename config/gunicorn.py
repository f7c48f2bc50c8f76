"""How gunicorn serves the web application, wherever it runs."""

import gc
import logging
import re

from django.urls import resolve
from gunicorn import glogging  # type: ignore[import-untyped]


def anonymous(record: logging.LogRecord) -> bool:
    """Take addresses and query strings out of what gunicorn says of a request that failed."""
    record.msg = re.sub(r" from ip=\S*:", ":", str(record.msg))
    if isinstance(record.args, tuple):
        record.args = tuple(
            value.partition("?")[0] if isinstance(value, str) else value for value in record.args
        )
    return True


class Logger(glogging.Logger):
    """Gunicorn's logger, of which `anonymous` sees every error first."""

    def setup(self, cfg: object) -> None:
        """Set up as usual, then filter."""
        super().setup(cfg)
        self.error_log.addFilter(anonymous)


worker_class = "gthread"
workers = 2
preload_app = True
threads = 8
graceful_timeout = 8  # seconds that requests under way get when it stops
logger_class = Logger
accesslog = "-"
access_log_format = "%(m)s %(U)s %(s)s %(D)s"
control_socket_disable = True


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
