import sys

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template import loader

from web import help as help_pages
from web.rest.problems import problem

RETRY_SECONDS = 5


def help_page(request: HttpRequest, name: str) -> HttpResponse:
    """A page of the documentation, for everybody."""
    if name not in help_pages.files():
        raise Http404("There is no such page of the documentation.")
    context = {"page": help_pages.page(name), "is_index": name == help_pages.INDEX, "here": "help"}
    return render(request, "help.html", context)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """The page for server errors: 503 if the database was unavailable, else 500.

    Unavailable: it does not answer, its disk is full, or a lock timed out.
    """
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return unavailable(request)
    return _fault(request, 500, "Server error")


def unavailable(request: HttpRequest) -> HttpResponseBase:
    answer = _fault(request, 503, "Unavailable just now")
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def _fault(request: HttpRequest, status: int, title: str) -> HttpResponseBase:
    if request.path.startswith("/api/"):
        return problem(title, status, "The fault is ours. Try again in a moment.")
    return HttpResponse(loader.get_template(f"{status}.html").render(), status=status)
