"""Requests that may be sent again: with an Idempotency-Key their work is done once."""

from collections.abc import Callable, Sequence
from functools import wraps
from hashlib import sha256
from typing import Any

from django.db import connection, transaction
from django.http import HttpResponse, HttpResponseBase
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import StoredResponse
from web import clock
from web.rest.problems import BadParameter

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
MAX_KEY_LENGTH = 200
_LOCK_SPACE = 0x6F6E6365  # the first key of the advisory locks of this module


class InProgress(APIException):
    status_code = 409
    default_detail = "The first request is still in progress"
    wait = 1  # seconds until it is worth asking again


class KeyReused(APIException):
    status_code = 422
    default_detail = "The key was of another request"


def idempotent(method: Callable[..., Response]) -> Callable[..., HttpResponseBase]:
    """Run a method of a view once for each Idempotency-Key of a user.

    For a day, the same request gets the stored response of the first. Work and response are stored
    in one transaction: a failed or interrupted request leaves neither.

    Raises:
        InProgress: the first request is not done.
        KeyReused: the first request was another one.
        BadParameter: the key is not valid.
    """

    @wraps(method)
    def answer(view: APIView, request: Request, **kwargs: Any) -> HttpResponseBase:
        key = request.headers.get(HEADER)
        if key is None:
            return method(view, request, **kwargs)
        if not (1 <= len(key) <= MAX_KEY_LENGTH and key.isascii() and key.isprintable()):
            raise BadParameter({HEADER: [f"expected 1 to {MAX_KEY_LENGTH} printable characters"]})
        with transaction.atomic():
            digest = _digest(request, getattr(view, "identifying_headers", ()))
            return _run_or_replay(request, key, digest, lambda: method(view, request, **kwargs))

    return answer


def _run_or_replay(
    request: Request, key: str, digest: str, work: Callable[[], Response]
) -> HttpResponseBase:
    lookup = {"user": request.user, "key_digest": sha256(key.encode()).hexdigest()}
    _lock_key(f"{request.user.pk} {key}")
    if stored := StoredResponse.objects.filter(**lookup).first():
        if stored.request_digest != digest:
            raise KeyReused(f"This {HEADER} was of another request: choose a new one.")
        return _replay(stored)
    row = StoredResponse.objects.create(**lookup, request_digest=digest, at=clock.now())
    response = work()
    if response.data is not None:
        row.content = JSONRenderer().render(response.data).decode()
    row.status = response.status_code
    row.headers = {name: response[name] for name in ("Location",) if name in response}
    row.save()
    return response


def _lock_key(name: str) -> None:
    """Lock the key until the transaction ends; an INSERT would wait for the other one."""
    number = int.from_bytes(sha256(name.encode()).digest()[:4], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK_SPACE, number])
        if not cursor.fetchone()[0]:
            raise InProgress(f"A request with this {HEADER} is at work: ask again in a moment.")


def _digest(request: Request, headers: Sequence[str]) -> str:
    header_lines = [f"{name}: {request.headers.get(name)}" for name in headers]
    address = "\n".join([f"{request.method} {request.get_full_path()}", *header_lines, ""])
    return sha256(address.encode() + request._request.body).hexdigest()


def _replay(stored: StoredResponse) -> HttpResponseBase:
    headers = {**stored.headers, REPLAYED: "true"}
    if not stored.content:
        return Response(status=stored.status, headers=headers)
    return HttpResponse(
        stored.content, status=stored.status, headers=headers, content_type="application/json"
    )
