"""The addresses that belong to no app."""

from django.urls import path, register_converter

from web import views
from web.addresses import IdConverter

register_converter(IdConverter, "id")  # before the addresses of other apps, which use it

urlpatterns = [
    path("", views.home, name="home"),
]
