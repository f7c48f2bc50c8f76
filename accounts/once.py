"""Requests that may be sent again: who names one by a key has its work done once."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
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

from accounts.models import KeptAnswer
from web import clock
from web.problems import BadParameter
from web.sealing import box

KEPT = timedelta(days=1)
HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
LONGEST_KEY = 200
_LOCK = 0x6F6E6365  # the first key of the advisory locks of this module


class AtWork(APIException):
    """The same key came before, and its request is not done yet."""

    status_code = 409
    default_detail = "The request is at work"
    wait = 1  # seconds until it is worth asking again


class OtherRequest(APIException):
    """The same key came before, with another request."""

    status_code = 422
    default_detail = "The key was of another request"


def once(method: Callable[..., Response]) -> Callable[..., HttpResponseBase]:
    """Let a method of a view do its work once for each Idempotency-Key of a person.

    The same request gets the answer again that was given to the first, for a day. Work and answer
    are stored together: what fails, or is cut off, leaves neither.

    Raises:
        AtWork: the first request is not done.
        OtherRequest: the first request was another one.
        BadParameter: the key is none.
    """

    @wraps(method)
    def answer(view: APIView, request: Request, **given: Any) -> HttpResponseBase:
        key = request.headers.get(HEADER)
        if key is None:
            return method(view, request, **given)
        if not (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
            raise BadParameter({HEADER: [f"expected 1 to {LONGEST_KEY} printable characters"]})
        with transaction.atomic():
            digest = _digest(request, getattr(view, "names_request", ()))
            return _once(request, key, digest, lambda: method(view, request, **given))

    return answer


def _once(
    request: Request, key: str, digest: str, work: Callable[[], Response]
) -> HttpResponseBase:
    mine = {"user": request.user, "key_digest": sha256(key.encode()).hexdigest()}
    _take_turn(f"{request.user.pk} {key}")
    if kept := KeptAnswer.objects.filter(**mine).first():
        if kept.request_digest != digest:
            raise OtherRequest(f"This {HEADER} was of another request: choose a new one.")
        return _again(kept, key)
    row = KeptAnswer.objects.create(**mine, request_digest=digest, at=clock.now())
    response = work()
    content = b"" if response.data is None else JSONRenderer().render(response.data)
    row.status, row.sealed_content = response.status_code, box(key).encrypt(content)
    row.headers = {name: response[name] for name in ("Location",) if name in response}
    row.save()
    return response


def _take_turn(name: str) -> None:
    """Hold the key until the transaction ends; an INSERT would wait for the other to end."""
    number = int.from_bytes(sha256(name.encode()).digest()[:4], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK, number])
        if not cursor.fetchone()[0]:
            raise AtWork(f"A request with this {HEADER} is at work: ask again in a moment.")


def _digest(request: Request, headers: Sequence[str]) -> str:
    """What a request is: its address, its body, and those of its headers that tell what to do."""
    said = [f"{name}: {request.headers.get(name)}" for name in headers]
    address = "\n".join([f"{request.method} {request.get_full_path()}", *said, ""])
    return sha256(address.encode() + request._request.body).hexdigest()


def _again(kept: KeptAnswer, key: str) -> HttpResponseBase:
    content = box(key).decrypt(bytes(kept.sealed_content))
    headers = {**kept.headers, REPLAYED: "true"}
    if not content:
        return Response(status=kept.status, headers=headers)
    return HttpResponse(
        content, status=kept.status, headers=headers, content_type="application/json"
    )


def forget_answers(now: datetime) -> int:
    """Delete the answers that have been kept for a day; returns how many."""
    return KeptAnswer.objects.filter(at__lt=now - KEPT).delete()[0]
