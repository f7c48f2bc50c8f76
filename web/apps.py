"""The app that all other apps share."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"
