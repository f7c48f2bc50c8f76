"""The app that holds what the pages of all apps share."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"
