"""The topmost app: what an operator needs, and nobody who judges or ranks."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "operations"
