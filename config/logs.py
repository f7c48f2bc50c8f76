"""LOGGING: no address, user agent or query string, nor what anybody typed."""

from typing import Any

CONSOLE = {"handlers": ["console"], "level": "INFO", "propagate": False}


def logging(level: str, form: str, *, by_email: bool) -> dict[str, Any]:
    """form: `line` or `json` (web.logs.lines); by_email: whether errors are sent by e-mail."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"()": "web.logs.lines.LineFormatter"},
            "json": {"()": "web.logs.lines.JsonFormatter"},
        },
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": form},
            "emails": {"class": "operations.errors.emails.ErrorMailHandler"},
        },
        "loggers": {
            "httpx": {"level": "WARNING"},  # it logs all addresses
            # Their own handlers have another format, and e-mail whole requests to admins.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.server": {"handlers": [], "propagate": True},
            "django.db.backends": {"level": "INFO"},  # at DEBUG it has every statement
            "gunicorn.access": CONSOLE,
            "gunicorn.error": CONSOLE,
            # It logs every tick.
            "celery": {"level": level if level == "DEBUG" else "WARNING"},
        },
        "root": {"handlers": ["console", "emails"] if by_email else ["console"], "level": level},
    }
