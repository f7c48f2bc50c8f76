import json
import logging
import time
from typing import Any

from celery import current_task

from web.logs.redaction import redacted_message, redacted_trace
from web.logs.requests import request_id


def _facts(record: logging.LogRecord) -> dict[str, str]:
    task = current_task.request.id if current_task else None
    fault = record.exc_info[1] if record.exc_info else None
    facts = {
        "level": record.levelname,
        "logger": record.name,
        "request": request_id(),
        "task": task or "",
        "message": redacted_message(record),
        "trace": redacted_trace(fault) if fault else "",
    }
    return {name: fact for name, fact in facts.items() if fact}


class LineFormatter(logging.Formatter):
    """Time, level, logger, the request or task in brackets, and message."""

    def format(self, record: logging.LogRecord) -> str:
        facts = _facts(record)
        which = facts.get("task") or facts.get("request")
        words = [self.formatTime(record), record.levelname, record.name]
        words += [f"[{which}]"] if which else []
        line = " ".join([*words, facts["message"]]) if "message" in facts else " ".join(words)
        return f"{line}\n{facts['trace']}" if "trace" in facts else line


class JsonFormatter(logging.Formatter):
    """A JSON object a line: `time` in UTC, then the fields of `LineFormatter`."""

    converter = time.gmtime  # type: ignore[assignment]
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {"time": self.formatTime(record), **_facts(record)}
        return json.dumps(line, ensure_ascii=False)
