"""The addresses of that site, which ask on a connection that is kept."""

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def ask(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("asked")


urlpatterns = [
    path("", ask, name="home"),
    path("login/", ask, name="account_login"),
    path("ask/", ask),
    path("api/ask/", ask),
    path("", include("web.urls")),
]
handler500 = "web.views.server_error"
