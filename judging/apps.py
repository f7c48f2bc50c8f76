"""The app in which magnitudes are collected."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from judging.record import deletions  # models are ready now

        deletions.connect_signals()
