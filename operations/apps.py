from django.apps import AppConfig, apps
from django.conf import settings
from django.db import connections
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


class OperationsConfig(AppConfig):
    name = "operations"

    def ready(self) -> None:
        from operations.backup import gate  # models are ready now

        if settings.ERRORS_DSN:
            from operations import error_service

            error_service.start(settings.ERRORS_DSN)
        connection_created.connect(gate.refuse_while_shut)
        # Of an app that has tables: no other sends it.
        post_migrate.connect(set_limits_of_role, sender=apps.get_app_config("web"))


def set_limits_of_role(using: str, **signal: object) -> None:
    """Have PostgreSQL begin each session of the site with the limits of a web process.

    A pooler ignores what a process requests when it connects, and keeps these.
    """
    connection = connections[using]
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        for limit, milliseconds in settings.DATABASE_LIMITS_OF["web"].items():
            cursor.execute(
                f"ALTER ROLE CURRENT_USER IN DATABASE {name} SET {limit} = {milliseconds}"
            )
