"""Text size and colour theme of a browser, in two cookies for all pages."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

CHOICES = {"text": ("normal", "large", "larger"), "theme": ("device", "light", "dark")}
A_YEAR = 365 * 24 * 60 * 60  # seconds

View = Callable[..., HttpResponseBase]


def display(request: HttpRequest) -> dict[str, Any]:
    """A context processor: the browser's choices; by default the first of each."""
    chosen = {what: request.COOKIES.get(_cookie(what), "") for what in CHOICES}
    return {
        "display": {
            what: chosen[what] if chosen[what] in values else values[0]
            for what, values in CHOICES.items()
        }
    }


def accepts_display_choice(view: View) -> View:
    """Let a view's form set a choice, by a button `display` with a value such as `theme=dark`.

    The view then answers as to the button `keep`: the same page with what was typed on it.
    """

    @wraps(view)
    def wrapper(request: HttpRequest, *parts: Any, **names: Any) -> HttpResponseBase:
        what, _, value = request.POST.get("display", "").partition("=")
        if value not in CHOICES.get(what, ()):
            return view(request, *parts, **names)
        request.COOKIES[_cookie(what)] = value
        sent = request.POST.copy()
        sent["action"] = "keep"
        request.POST = sent  # type: ignore[assignment]
        response = view(request, *parts, **names)
        response.set_cookie(
            _cookie(what), value, max_age=A_YEAR, secure=settings.HTTPS, samesite="Lax"
        )
        return response

    return wrapper


def _cookie(what: str) -> str:
    return f"display_{what}"
