"""Errors to a service with Sentry's protocol: only types and tracebacks."""

import logging
from typing import Any

import sentry_sdk
from celery import current_task
from sentry_sdk.integrations.logging import LoggingIntegration

from web.logs.redaction import redacted_message
from web.logs.requests import request_id

# The fields of an event that are sent; all others are dropped.
SENT_FIELDS = (
    *("event_id", "timestamp", "level", "logger"),
    *("platform", "release", "sdk", "exception"),
)
SENT_OF_FRAMES = ("filename", "function", "module", "lineno", "in_app")


def start(dsn: str) -> None:
    """Report logged errors from now on, to the project of `dsn`."""
    sentry_sdk.init(
        dsn=dsn,
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[LoggingIntegration(level=None, event_level=logging.ERROR)],
        send_default_pii=False,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
        before_send=redacted_event,
    )


def redacted_event(event: Any, hint: Any) -> Any:
    """An event with only what may be logged of it."""
    record = hint.get("log_record")
    reduced = {name: event[name] for name in SENT_FIELDS if name in event}
    for fault in reduced.get("exception", {}).get("values", ()):
        frames = (fault.get("stacktrace") or {}).get("frames", ())
        places = [{name: frame.get(name) for name in SENT_OF_FRAMES} for frame in frames]
        sent = {"type": fault.get("type"), "module": fault.get("module")}
        fault.clear()
        fault.update(sent, value="", stacktrace={"frames": places})
    task = current_task.request.id if current_task else ""
    return {
        **reduced,
        "server_name": "",
        "logentry": {"formatted": redacted_message(record) if record else ""},
        "tags": {"request": request_id(), "task": task or ""},
    }
