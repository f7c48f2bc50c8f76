"""The Content-Security-Policy of every page; a view may have set one of its own."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse

HEADER = "Content-Security-Policy"
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
View = Callable[..., HttpResponse]


def as_text(policy: Mapping[str, str]) -> str:
    return "; ".join(f"{directive} {sources}" for directive, sources in policy.items())


def policy_middleware(get_response: View) -> View:
    text = as_text(POLICY)

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault(HEADER, text)
        return response

    return middleware


def with_policy(view: View, **directives: str) -> View:
    """directives: those that differ, with _ for -."""
    text = as_text(POLICY | {name.replace("_", "-"): value for name, value in directives.items()})

    @wraps(view)
    def wrapper(*parts: Any, **names: Any) -> HttpResponse:
        response = view(*parts, **names)
        response.headers[HEADER] = text
        return response

    return wrapper
