"""The addresses of an operator."""

from django.urls.resolvers import URLPattern

urlpatterns: list[URLPattern] = []
