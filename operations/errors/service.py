"""Errors to a service that speaks Sentry's protocol: kinds and places in the code alone."""

import logging
from typing import Any

import sentry_sdk
from celery import current_task
from sentry_sdk.integrations.logging import LoggingIntegration

from web.logs.redaction import redacted_message
from web.logs.requests import request_id

# What is sent of an event; everything else that the library gathers stays here.
KEPT = ("event_id", "timestamp", "level", "logger", "platform", "release", "sdk", "exception")
OF_FRAMES = ("filename", "function", "module", "lineno", "in_app")


def start(dsn: str) -> None:
    """Report what is logged as an error from now on, to the project that `dsn` names."""
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
        before_send=reduced,
    )


def reduced(event: Any, hint: Any) -> Any:
    """An event with what the log may say of it, and no more."""
    record = hint.get("log_record")
    small = {name: event[name] for name in KEPT if name in event}
    for fault in small.get("exception", {}).get("values", ()):
        frames = (fault.get("stacktrace") or {}).get("frames", ())
        places = [{name: frame.get(name) for name in OF_FRAMES} for frame in frames]
        kept = {"type": fault.get("type"), "module": fault.get("module")}
        fault.clear()
        fault.update(kept, value="", stacktrace={"frames": places})
    task = current_task.request.id if current_task else ""
    return {
        **small,
        "server_name": "",
        "logentry": {"formatted": redacted_message(record) if record else ""},
        "tags": {"request": request_id(), "task": task or ""},
    }
