"""Cookies by the names of version 0.1, for people who were here before the names had a prefix.

Who comes with such a cookie alone is known by it, and gets it again by its new name. As long as
processes of 0.1 may run, which know the old names alone, each cookie is set by both, and where they
differ the old one counts: it was set by 0.1, as here they are set together. Afterwards the old ones
are deleted. The release after this one needs nothing of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from operations.upgrading.before import v0_1_might_run_lately
from web.cookie_names import CSRF, SESSION

Answering = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True)
class Cookie:
    """One that version 0.1 knows by another name. Seconds None: until the browser is closed."""

    new: str
    old: str
    seconds: int | None
    http_only: bool


def cookies_middleware(get_response: Answering) -> Answering:
    """Read, set and delete cookies by their old names, where the new ones are others."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not settings.HTTPS:
            return get_response(request)
        came_by_old_name = [cookie for cookie in _cookies() if cookie.old in request.COOKIES]
        renewed = _read(request, came_by_old_name)
        response = get_response(request)
        for cookie in renewed:
            _set_by_new_name(request, response, cookie)
        _keep_old_names(request, response, came_by_old_name)
        return response

    return middleware


def _cookies() -> Iterator[Cookie]:
    yield Cookie(settings.SESSION_COOKIE_NAME, SESSION, None, http_only=True)
    yield Cookie(settings.CSRF_COOKIE_NAME, CSRF, settings.CSRF_COOKIE_AGE, http_only=False)


def _read(request: HttpRequest, came: list[Cookie]) -> list[Cookie]:
    """Let the old value count where it does; returns those that are to be set by the new name."""
    cookies = request.COOKIES
    other = [cookie for cookie in came if cookies.get(cookie.new) != cookies[cookie.old]]
    alone = [cookie for cookie in other if cookie.new not in cookies]
    counts = other if len(other) > len(alone) and v0_1_might_run_lately() else alone
    for cookie in counts:
        cookies[cookie.new] = cookies[cookie.old]
    return counts


def _set_by_new_name(request: HttpRequest, response: HttpResponse, cookie: Cookie) -> None:
    """Give a browser its cookie by the new name, unless the page has just set or deleted it."""
    if cookie.new not in response.cookies:
        response.set_cookie(
            cookie.new,
            request.COOKIES[cookie.old],
            max_age=cookie.seconds,
            secure=True,
            httponly=cookie.http_only,
            samesite="Lax",
        )


def _keep_old_names(request: HttpRequest, response: HttpResponse, came: list[Cookie]) -> None:
    """Set by the old names what is set by the new ones; or delete what has the old ones."""
    changed = [cookie for cookie in _cookies() if cookie.new in response.cookies]
    if not (changed or came):
        return
    if v0_1_might_run_lately():
        for cookie in changed:
            morsel = response.cookies[cookie.new]
            response.cookies[cookie.old] = morsel.value
            response.cookies[cookie.old].update(morsel)
        return
    for cookie in came:
        response.delete_cookie(cookie.old, samesite="Lax")
