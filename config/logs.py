"""What is logged, and where to: no address, user agent or query string, nor what anybody typed."""

from typing import Any

CONSOLE = {"handlers": ["console"], "level": "INFO", "propagate": False}


def logging(level: str, form: str, *, letters: bool) -> dict[str, Any]:
    """What Python's logging is told.

    Args:
        form: `line` or `json` (web.logs.lines); letters: whether errors are told by e-mail.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"()": "web.logs.lines.LineFormatter"},
            "json": {"()": "web.logs.lines.JsonFormatter"},
        },
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": form},
            "letters": {"class": "operations.errors.letters.Letters"},
        },
        "loggers": {
            "waitress.queue": {"level": "ERROR"},  # it says whenever all threads are busy
            "httpx": {"level": "WARNING"},  # it writes down every address it asks
            # Their own handlers would write in their own way, and e-mail whole requests to admins.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.server": {"handlers": [], "propagate": True},
            "django.db.backends": {"level": "INFO"},  # at DEBUG it has every statement
            "gunicorn.access": CONSOLE,
            "gunicorn.error": CONSOLE,
            # It tells of every tick.
            "celery": {"level": level if level == "DEBUG" else "WARNING"},
        },
        "root": {"handlers": ["console", "letters"] if letters else ["console"], "level": level},
    }
