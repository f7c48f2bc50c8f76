"""The app of artificial workers, who use judging as anybody would."""

from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "crowd"
