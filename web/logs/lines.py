"""How a record becomes a line: for people, or as JSON for programs that gather logs."""

import json
import logging
import time
from typing import Any

from celery import current_task

from web.logs import said
from web.logs.requests import request_id


def _facts(record: logging.LogRecord) -> dict[str, str]:
    """What a line says, by name; what there is not is left out."""
    task = current_task.request.id if current_task else None
    fault = record.exc_info[1] if record.exc_info else None
    facts = {
        "level": record.levelname,
        "logger": record.name,
        "request": request_id(),
        "task": task or "",
        "message": said.message(record),
        "trace": said.trace(fault) if fault else "",
    }
    return {name: fact for name, fact in facts.items() if fact}


class Line(logging.Formatter):
    """A line for people: when, how grave, whose, the request or task in brackets, and what."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and below it the trace of an exception."""
        facts = _facts(record)
        which = facts.get("task") or facts.get("request")
        words = [self.formatTime(record), record.levelname, record.name]
        words += [f"[{which}]"] if which else []
        line = " ".join([*words, facts["message"]]) if "message" in facts else " ".join(words)
        return f"{line}\n{facts['trace']}" if "trace" in facts else line


class JsonLine(logging.Formatter):
    """An object on a line of its own: `time` in UTC, then what `Line` has, by name."""

    converter = time.gmtime  # type: ignore[assignment]
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {"time": self.formatTime(record), **_facts(record)}
        return json.dumps(line, ensure_ascii=False)
