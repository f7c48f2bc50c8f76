from django.urls import path, register_converter

from web import views
from web.addresses import IdConverter

register_converter(IdConverter, "id")  # before the URLconfs of other apps, which use it

urlpatterns = [
    path("", views.home, name="home"),
]
