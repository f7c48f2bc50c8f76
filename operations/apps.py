"""The topmost app, for operators."""

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created


class OperationsConfig(AppConfig):
    name = "operations"

    def ready(self) -> None:
        from operations.backup import gate  # models are ready now

        if settings.ERRORS_DSN:
            from operations.errors import service

            service.start(settings.ERRORS_DSN)
        connection_created.connect(gate.refuse_while_shut)
