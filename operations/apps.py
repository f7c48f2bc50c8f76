"""The topmost app: what an operator needs, and nobody who judges or ranks."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created


class OperationsConfig(AppConfig):
    name = "operations"

    def ready(self) -> None:
        from operations.backup import gate  # models are ready now

        connection_created.connect(gate.refuse_while_shut)
