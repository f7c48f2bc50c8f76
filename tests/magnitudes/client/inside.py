"""A site without a network between: requests go to Django's test client."""

from collections.abc import Callable

import httpx
from django.test import Client

from workspace.tasks import import_files, plan

PASSED_ON = ("Authorization", "Idempotency-Key", "Tus-Resumable", "Upload-Length")
PASSED_ON += ("Upload-Metadata", "Upload-Offset")
CLIENT = Client()  # one for all: it puts the middleware together at its first request
Answer = Callable[[httpx.Request], httpx.Response]


def answered(request: httpx.Request) -> httpx.Response:
    """What the site answers; imports and plans are made at once, as no worker runs here."""
    headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
    response = CLIENT.generic(
        request.method,
        request.url.raw_path.decode(),
        request.read(),
        request.headers.get("Content-Type", ""),
        headers=headers,
    )
    if request.method == "POST" and "/imports/" in request.url.path:
        import_files()
    if request.method == "POST" and request.url.path.endswith("/plan/"):
        plan()
    body = b"".join(response)  # type: ignore[call-overload]
    return httpx.Response(response.status_code, headers=dict(response.items()), content=body)


class Broken:
    """A connection that breaks once, after the site has done what some request asked."""

    def __init__(self, method: str, path_end: str) -> None:
        self.method, self.path_end, self.sent = method, path_end, 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        response = answered(request)
        if request.method == self.method and request.url.path.endswith(self.path_end):
            self.sent += 1
            if self.sent == 1:
                raise httpx.ReadError("the connection broke")
        return response
