"""What a record of a log says, without anything that a person typed or is known by.

The message of an exception may hold a person's words (PostgreSQL names the value that stood there
already, int() the text that is no number), and so may an address. So of an exception its kind and
its places in the code are told, and of a request the route that it took.
"""

import logging
import re
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

# What follows these in an address is a secret (an invitation, a feed's, a way to a new password),
# or was typed by a person and may be what they are known by: their name, the name of a token.
PRIVATE = re.compile(
    r"^((?:https?://[^/]*)?"  # which a proxy may be asked for, and so we
    r"(?:/invitation/|/feeds/alerts/|/password/(?!sent/|changed/)"
    r"|/account/tokens/|(?:/api/v1)?/studies/[^/]+/team/))[^/]+"
)
MOST_CAUSES = 5


def without_names(path: str) -> str:
    """An address as the access log may have it, without secrets as well.

    >>> without_names("/invitation/s3cret/"), without_names("/studies/demo/team/rosa/")
    ('/invitation/…/', '/studies/demo/team/…/')
    """
    return PRIVATE.sub(r"\1…", path)


def message(record: logging.LogRecord) -> str:
    """A record's message."""
    if record.name.startswith("django.security"):
        return f"refused as suspicious: {record.name.rpartition('.')[2]}"
    if request := getattr(record, "request", None):
        return f"{getattr(record, 'status_code', '')} at {route(request)}".strip()
    data = getattr(record, "data", None)
    if record.name == "celery.app.trace" and isinstance(data, Mapping) and record.exc_info:
        return f"task {data.get('name')} {data.get('description', 'failed')}"
    if not record.args:
        return str(record.msg)
    given = record.args
    arguments = (
        {name: _named(value) for name, value in given.items()}
        if isinstance(given, Mapping)
        else tuple(_named(value) for value in given)
    )
    text = str(record.msg) % arguments
    # Celery goes on with the whole message of a task that it does not know.
    return text.partition("\n")[0] if record.name.startswith("celery.") else text


def route(request: Any) -> str:
    """Where a request went, as the site writes down its addresses: without what stands in them."""
    match = getattr(request, "resolver_match", None)
    return f"/{match.route}" if match else "no address of the site"


def _named(value: object) -> object:
    """An argument of a message: an exception by its kind, who logged in by a number."""
    if isinstance(value, BaseException):
        return kind(value)
    if getattr(value, "is_authenticated", False):
        return f"user {getattr(value, 'pk', '')}"
    return value


def kind(fault: BaseException) -> str:
    """What an exception is; of PostgreSQL's, its code and the constraint, which are ours."""
    name = type(fault).__qualname__
    told = getattr(fault, "diag", None)
    parts = [
        str(part)
        for part in (
            getattr(fault, "pgcode", None),
            getattr(told, "table_name", None),
            getattr(told, "constraint_name", None),
        )
        if part
    ]
    return f"{name} ({', '.join(parts)})" if parts else name


def trace(fault: BaseException) -> str:
    """An exception with its causes: kinds and places in the code, and none of their messages."""
    lines = list[str]()
    for number, each in enumerate(_causes(fault)):
        if number:
            lines.append("caused by:")
        lines += [line.rstrip() for line in traceback.format_tb(each.__traceback__)]
        lines.append(kind(each))
    return "\n".join(lines)


def _causes(fault: BaseException) -> Iterator[BaseException]:
    seen, each = set[int](), fault
    while each is not None and id(each) not in seen and len(seen) < MOST_CAUSES:
        yield each
        seen.add(id(each))
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)  # type: ignore[assignment]
