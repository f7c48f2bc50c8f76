"""The product's addresses, and /bare/: a view that does nothing but one INSERT."""

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.urls import include, path

TABLE = "CREATE TABLE bench_bare (id bigserial PRIMARY KEY, written text NOT NULL)"


def bare(request: HttpRequest) -> HttpResponse:
    """Insert one row, in a transaction of its own."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bench_bare (written) VALUES (%s)", [request.method])
    return HttpResponse("done")


def token(request: HttpRequest) -> HttpResponse:
    """What a form for `bare` has to carry."""
    return HttpResponse(get_token(request))


urlpatterns = [path("bare/", bare), path("bare/form/", token), path("", include("config.urls"))]
