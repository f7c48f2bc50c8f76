"""The addresses of the site that soon gives up, which ask on a connection that is kept."""

from contextlib import suppress

from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def ask(request: HttpRequest) -> HttpResponse:
    """Answer once PostgreSQL has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("asked")


def ask_again(request: HttpRequest) -> HttpResponse:
    """Ask, and where nothing came, once more, as the page for an error may; say what came of it."""
    with suppress(OperationalError):
        return ask(request)
    connection.close()
    try:
        return ask(request)
    except OperationalError as fault:
        return HttpResponse(str(fault))


urlpatterns = [
    path("", ask),
    path("ask/", ask),
    path("api/ask/", ask),
    path("ask/again/", ask_again),
    path("", include("web.urls")),
]
handler500 = "web.views.server_error"
