"""The product's addresses, and views that do nothing but one INSERT: in plain SQL, by the ORM."""

from django.db import connection, models
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.urls import include, path

TABLE = "CREATE TABLE bench_bare (id bigserial PRIMARY KEY, written text NOT NULL)"


def bare(request: HttpRequest) -> HttpResponse:
    """Insert one row, in a transaction of its own."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bench_bare (written) VALUES (%s)", [request.method])
    return HttpResponse("done")


class Bare(models.Model):
    """A row of that table."""

    written = models.TextField()

    class Meta:
        app_label, db_table, managed = "bench", "bench_bare", False

    def __str__(self) -> str:
        return self.written


def create(request: HttpRequest) -> HttpResponse:
    """Insert one row as Django's views do."""
    Bare.objects.create(written=request.POST["justification"])
    return HttpResponse("done")


def token(request: HttpRequest) -> HttpResponse:
    """What a form for `bare` has to carry."""
    return HttpResponse(get_token(request))


urlpatterns = [
    path("bare/", bare),
    path("bare/orm/", create),
    path("bare/form/", token),
    path("", include("config.urls")),
]
