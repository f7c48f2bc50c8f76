"""Gzip by Django's middleware, not by the proxy.

Django weakens the ETag, and pads with random bytes against guesses of secrets by length (BREACH).
Only responses to GET are compressed, since responses to POST show secrets.
"""

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

DATA = frozenset(
    (
        *("application/json", "application/x-ndjson", "application/toml", "text/csv", "text/plain"),
        *("application/vnd.oai.openapi", "application/vnd.oai.openapi+json"),
    )
)


class CompressingMiddleware(GZipMiddleware):
    """Compresses tables, qrels and JSON; long pages have a decorator."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0].lower()
        if request.method not in ("GET", "HEAD") or kind not in DATA:
            return response
        return super().process_response(request, response)
