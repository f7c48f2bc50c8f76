"""Redaction of log records: nothing that a person typed or is known by.

The message of an exception may contain input (PostgreSQL names duplicate values, int() the text
that is no number), and so may an address. So exceptions are logged by type and traceback, and
requests by route.
"""

import logging
import re
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

# What follows these in an address is a secret (of an invitation, a feed, a password reset), or was
# typed by a person and may identify them: their name, the name of a token or of a run, which is
# often that of a team; a page of the help that there may not be.
PRIVATE = re.compile(
    r"^((?:https?://[^/]*)?"  # some clients send absolute addresses
    r"(?:/invitation/|/feeds/alerts/|/password/(?!sent/|changed/)"
    r"|/account/tokens/|(?:/api/v1)?/studies/[^/]+/(?:share/)?team/"
    r"|/collections/[^/]+/topics/[^/]+/runs/|/help/))(?:(?<=/help/).+|[^/]+)"
)
MAX_CAUSES = 5


def redacted_path(path: str) -> str:
    """An address for the access log, without secrets and names.

    >>> redacted_path("/invitation/s3cret/"), redacted_path("/studies/demo/team/rosa/")
    ('/invitation/…/', '/studies/demo/team/…/')
    """
    return PRIVATE.sub(r"\1…", path)


def redacted_message(record: logging.LogRecord) -> str:
    if record.name.startswith("django.security"):
        return f"refused as suspicious: {record.name.rpartition('.')[2]}"
    if request := getattr(record, "request", None):
        return f"{getattr(record, 'status_code', '')} at {route(request)}".strip()
    data = getattr(record, "data", None)
    if record.name == "celery.app.trace" and isinstance(data, Mapping) and record.exc_info:
        return f"task {data.get('name')} {data.get('description', 'failed')}"
    if record.name == "gunicorn.error" and str(record.msg).startswith("Invalid request"):
        return "refused a request that cannot be read"  # the message has it, and the address
    if not record.args:
        return str(record.msg)
    args = record.args
    arguments = (
        {name: _redacted_argument(value) for name, value in args.items()}
        if isinstance(args, Mapping)
        else tuple(_redacted_argument(value) for value in args)
    )
    text = str(record.msg) % arguments
    # Celery appends the whole message of an unknown task.
    return text.partition("\n")[0] if record.name.startswith("celery.") else text


def route(request: Any) -> str:
    match = getattr(request, "resolver_match", None)
    return f"/{match.route}" if match else "no address of the site"


def _redacted_argument(value: object) -> object:
    """An exception by its type, a user by the id, a path without its query."""
    if isinstance(value, BaseException):
        return exception_name(value)
    if isinstance(value, str) and value.startswith("/"):
        return redacted_path(value.partition("?")[0])
    if getattr(value, "is_authenticated", False):
        return f"user {getattr(value, 'pk', '')}"
    return value


def exception_name(fault: BaseException) -> str:
    """The type of an exception; for PostgreSQL's, with its code, table and constraint."""
    name = type(fault).__qualname__
    diag = getattr(fault, "diag", None)
    parts = [
        str(part)
        for part in (
            getattr(fault, "pgcode", None),
            getattr(diag, "table_name", None),
            getattr(diag, "constraint_name", None),
        )
        if part
    ]
    return f"{name} ({', '.join(parts)})" if parts else name


def redacted_trace(fault: BaseException) -> str:
    """The traceback of an exception and its causes, without their messages."""
    lines = list[str]()
    for number, each in enumerate(_causes(fault)):
        if number:
            lines.append("caused by:")
        lines += [line.rstrip() for line in traceback.format_tb(each.__traceback__)]
        lines.append(exception_name(each))
    return "\n".join(lines)


def _causes(fault: BaseException) -> Iterator[BaseException]:
    seen, each = set[int](), fault
    while each is not None and id(each) not in seen and len(seen) < MAX_CAUSES:
        yield each
        seen.add(id(each))
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)  # type: ignore[assignment]
