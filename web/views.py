"""The site's bare address, and what whoever watches the site asks."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template import loader
from django.views.decorators.cache import never_cache

from web.health import complaint
from web.problems import problem

RETRY_SECONDS = 5


def home(request: HttpRequest) -> HttpResponse:
    """The site's bare address."""
    return redirect("studies")


@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """For whoever watches the site: the web server answers, and the database does its work."""
    said = complaint()
    return HttpResponse(said or "ok", content_type="text/plain", status=503 if said else 200)


def failed(request: HttpRequest) -> HttpResponseBase:
    """What went wrong on our side: 503 where it is that the database did not do its work.

    It does not answer, it is full, or somebody else holds what is asked for: all of that passes.
    """
    unavailable = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    status, title = (503, "Unavailable just now") if unavailable else (500, "Server error")
    if request.path.startswith("/api/"):
        answer: HttpResponseBase = problem(
            title, status, "The fault is ours. Try again in a moment."
        )
    else:
        answer = HttpResponse(loader.get_template(f"{status}.html").render(), status=status)
    if unavailable:
        answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer
