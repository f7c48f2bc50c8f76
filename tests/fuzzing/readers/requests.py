"""Readers of requests: the web server's, bodies and parameters of the API, events of platforms."""

import base64
import io
import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

import httpx
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.wsgi import WSGIRequest
from django.http import QueryDict
from django.http.multipartparser import MultiPartParserError
from gunicorn.config import Config
from gunicorn.http import RequestParser, wsgi
from gunicorn.http.errors import NoMoreData, ParseException
from rest_framework import serializers
from rest_framework.exceptions import APIException

import config.urls
from judging.models import Study
from tests.fuzzing.reader import Reader, drained, split, text_of
from web.display import display
from web.logs.redaction import redacted_path
from web.middleware.limits import limits_middleware
from web.middleware.proxies import client_address
from web.rest.bodies import Body, ModelBody, StorableJson, checked
from web.rest.paging import ByIdPagination, ByMomentPagination
from web.rest.parameters import Parameters
from web.rest.problems import BadParameter
from workspace.models import Upload
from workspace.recruiting.api import Api
from workspace.recruiting.events import parse_event
from workspace.recruiting.faults import Refused, Unreachable

assert config.urls  # every body is declared by then
CONFIG, PLACE = Config(), ("127.0.0.1", 8000)
AT = "begun_at"

REQUESTS = (
    b"GET /study/demo/?id=1&a=%C3%A9 HTTP/1.1\r\nHost: localhost\r\nCookie: worker=a:b; c=d\r\n"
    b"X-Forwarded-For: 1.2.3.4\r\n\r\n",
    b"POST /study/demo/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nscore=1&a",
    b"POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nhello\r\n0\r\n\r\n",
    b"GET http://localhost/a HTTP/1.0\r\n\r\n",
    b"PUT /invitation/abc/ HTTP/1.1\r\nHost: [::1]:80\r\nExpect: 100-continue\r\n"
    b"Connection: close\r\nAccept-Language: de, en;q=0.5\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    b'Content-Length: 61\r\n\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--'
    b"\r\n   ",
)
JSON_WORDS = (
    *(b"null", b"true", b"[", b"{", b"}", b"]", b'"', b",", b":", b"\\u0000", b"\\ud800", b"NaN"),
    *(b"1e400", b"-1", b"1" * 400, b"9" * 4400, b"Infinity", b'"version"', b"9223372036854775808"),
)


Kind = type[serializers.Serializer[Any]]


def kinds(base: type) -> Iterator[Kind]:
    for kind in base.__subclasses__():
        if not kind.__module__.startswith("tests."):
            yield kind
            yield from kinds(kind)


BODIES_OF_API = sorted(
    {*kinds(Body)} - {ModelBody}, key=lambda kind: (kind.__module__, kind.__name__)
)
ASKED = sorted(set(kinds(Parameters)), key=lambda kind: (kind.__module__, kind.__name__))


def _request(data: bytes) -> None:
    """A request from its bytes, by gunicorn, to what a view asks of it."""
    try:
        parsed = next(RequestParser(CONFIG, iter([data]), PLACE))
        client = SimpleNamespace(send=len)  # is told to go on with a body
        environ = wsgi.create(parsed, client, PLACE, PLACE, CONFIG)[1]
    except (ParseException, NoMoreData, StopIteration):
        return
    redacted_path(environ["RAW_URI"].partition("?")[0])
    _asked(WSGIRequest(environ | {"wsgi.errors": io.StringIO()}))


def _asked(request: Any) -> None:
    assert limits_middleware(lambda request: request)(request)
    display(request)
    client_address(request)
    assert (request.GET, request.POST, request.get_full_path()) is not None
    request.get_host()


def _sample(field: serializers.Field[Any, Any, Any, Any]) -> Any:
    if isinstance(field, serializers.ChoiceField):
        return next(iter(field.choices), "a")
    if isinstance(field, serializers.ListField):
        return [_sample(field.child)]
    kinds: list[tuple[type, Any]] = [
        (serializers.BooleanField, True),
        (serializers.IntegerField, 1),
        (serializers.FloatField, 1.5),
        (serializers.DecimalField, "1.5"),
        (serializers.DateTimeField, "2026-01-01T00:00:00Z"),
        (serializers.DictField, {}),
        (serializers.BaseSerializer, {}),
    ]
    return next((value for kind, value in kinds if isinstance(field, kind)), "a")


def _samples(declared: list[Kind]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """For each kind, the byte that chooses it, and values for its fields."""
    for place, kind in enumerate(declared):
        fields = kind().fields
        yield bytes([place]), {name: _sample(field) for name, field in fields.items()}


def _first(data: bytes) -> int:
    return data[0] if data else 0


def _body(data: bytes) -> None:
    """A body as JSON, and as the one that its first byte chooses of those of all addresses."""
    content = io.BytesIO(data[1:])
    value = StorableJson().parse(content, "application/json", {"encoding": "utf-8"})
    kind = BODIES_OF_API[_first(data) % len(BODIES_OF_API)]
    checked(kind, cast("Any", SimpleNamespace(data=value)))


def _parameters(data: bytes) -> None:
    query = QueryDict(data[1:])
    kind: Any = ASKED[_first(data) % len(ASKED)]
    kind.of_request(SimpleNamespace(query_params=query))


def _cursor(data: bytes) -> None:
    """The cursor of a page, as it comes and in the letters that a cursor has; then as a key."""
    written = base64.b64encode(data).decode()
    for text in (text_of(data), written):
        request: Any = SimpleNamespace(query_params={"cursor": text})
        for pages, field in (
            (ByIdPagination(), Study._meta.pk),
            (ByMomentPagination(), Upload._meta.get_field(AT)),
        ):
            try:
                cursor = pages.decode_cursor(request)
            except APIException:
                continue
            if cursor and cursor.position is not None:
                field.to_python(cursor.position)


def _answer(data: bytes) -> None:
    """What Prolific's API may be thought to answer; the first byte chooses what it was asked."""
    content = httpx.MockTransport(lambda request: httpx.Response(200, content=data[1:]))
    api = Api("token", "https://prolific.example", content)
    questions: list[Callable[[], object]] = [
        api.workspaces,
        lambda: api.study("a"),
        lambda: drained(api.submissions("a")),
        lambda: api.study_of("a"),
        lambda: api.cost(1, 1),
        lambda: api.set_up_bonuses("a", {"b": 1}),
        lambda: api.subscribe("a", "b", "https://c"),
        lambda: drained(api.studies("a")),
    ]
    questions[_first(data) % len(questions)]()


SUBMISSION = {
    "id": "a", "participant_id": "p", "status": "APPROVED", "study_code": "c",
    "started_at": "2026-01-01T00:00:00Z", "return_requested": None, "study_id": "s",
    "bonus_payments": [12.5],
}  # fmt: skip
THEIRS = {
    "id": "s", "internal_name": "n", "status": "ACTIVE", "total_available_places": 3, "reward": 120,
    "total_cost": 200.0, "total_amount": 3, "currency_code": "GBP",
}  # fmt: skip

PAGES = {"results": [SUBMISSION, SUBMISSION], "meta": {"count": 2}}
ANSWERS = tuple(
    bytes([place]) + json.dumps(answer).encode()
    for place, answer in enumerate(
        ({"results": [THEIRS]}, THEIRS, PAGES, SUBMISSION, *[THEIRS] * 3, {"results": [THEIRS]})
    )
)
ARRIVING = (
    Reader(
        "requests",
        _request,
        (SuspiciousOperation, MultiPartParserError),
        REQUESTS,
        (
            "web.middleware.limits.limits_middleware web.display.display "
            "web.middleware.proxies.client_address web.logs.redaction.redacted_path"
        ),
        (
            *(b"\r\n", b"\n", b"\r", b" ", b"9" * 4400, b"ffffffffffffffffff\r\n"),
            *(b"Content-Length: ", b"Transfer-Encoding: chunked\r\n", b"Cookie: ", b"\xff"),
            *split("\0 //[ http://[ % %00 %ED%A0%80 : HTTP/1.1 ; multipart/form-data boundary="),
        ),
    ),
    Reader(
        "bodies of the API",
        _body,
        (APIException,),
        tuple(place + json.dumps(body).encode() for place, body in _samples(BODIES_OF_API)),
        "web.rest.bodies.StorableJson.parse web.rest.bodies.Body web.rest.bodies.checked",
        JSON_WORDS,
    ),
    Reader(
        "parameters of the API",
        _parameters,
        (BadParameter, SuspiciousOperation),
        tuple(place + urlencode(asked).encode() for place, asked in _samples(ASKED)),
        "web.rest.parameters.Parameters.of_request",
        split(
            "&page= &since= %00 %ED%A0%80 %D9%A3 0001-01-01T00:00:00+23:59 "
            "9999-12-31T23:59:59-23:59 nan -0",
            b"9" * 4400,
        ),
    ),
    Reader(
        "cursors of pages",
        _cursor,
        (),
        (b"p=12", b"r=1&p=99", b"o=3&p=1", b"p=2026-01-01+00%3A00%3A00%2B00%3A00", b"cD0xMg=="),
        (
            "web.rest.paging.ByIdPagination.decode_cursor "
            "web.rest.paging.ByMomentPagination.is_position"
        ),
        (b"p=", b"&o=", b"&r=", b"9" * 4400, b"%D9%A3", b"%00", b"0001-01-01T00:00:00%2B23:59"),
    ),
    Reader(
        "events of Prolific",
        parse_event,
        (),
        (b'{"event_type": "submission.status.change", "resource_id": "5f1"}', b"[]", b"null"),
        "workspace.recruiting.events.parse_event",
        JSON_WORDS,
    ),
    Reader(
        "answers of Prolific",
        _answer,
        (Refused, Unreachable),
        ANSWERS,
        "workspace.recruiting.api.Api workspace.recruiting.api._json",
        (*JSON_WORDS, b'"results"', b'"meta"', b'"count"', b'"id"'),
    ),
)
