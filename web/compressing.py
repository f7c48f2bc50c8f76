"""Data are compressed for whoever accepts gzip.

By Django's own middleware, with or without a proxy: it makes the ETag of what it compressed weak,
and pads by random bytes, which guesses of a secret by lengths (BREACH) stumble over. So the proxy
compresses nothing itself. Only answers to GET are compressed: secrets are shown in answers to POST.
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
    """Compresses tables, qrels and JSON; pages do so for themselves where they are long."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0].lower()
        if request.method not in ("GET", "HEAD") or kind not in DATA:
            return response
        return super().process_response(request, response)
