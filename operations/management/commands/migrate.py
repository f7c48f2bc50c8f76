"""Django's `migrate`, beside people who judge.

Whoever wants to change a table waits until nobody reads it, and until then everybody else waits
behind them: one long analysis or backup would stop all judging. So a change waits a moment only
(`DATABASE_LIMITS_OF` in the settings), lets the others through, and tries again.
"""

import time
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.migrations.loader import MigrationLoader
from psycopg2.errorcodes import LOCK_NOT_AVAILABLE  # type: ignore[import-untyped]

from accounts.models import User

PAUSE = 5.0  # seconds between two tries
MAX_TRIES = 200  # for as long as a large backup takes, some twenty minutes
OTHER_TABLES = (
    "This database was made by an earlier version, whose tables are not those of this one. To keep "
    "its studies, run that version once more and write each into a file (manage.py export_archive "
    "STUDY FILE, or the study's page Files). Then start this version on an empty database (another "
    "VAR_DIR or DATABASE_URL) and bring the files in (manage.py import_archive FILE)."
)


class Command(migrate.Command):
    """Bring the database up to date."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Migrate, without anybody waiting for longer than a moment.

        Raises:
            CommandError: the database has migrations of ours that this version does not know.
            OperationalError: a table is still in use at the last try.
        """
        loader = MigrationLoader(connections[options["database"]])
        ours = {
            app.label
            for app in apps.get_app_configs()
            if app.path.startswith(str(settings.BASE_DIR))
        }
        if any(app in ours for app, _ in loader.applied_migrations.keys() - loader.disk_migrations):
            raise CommandError(OTHER_TABLES)
        for tries_left in reversed(range(MAX_TRIES)):
            try:
                super().handle(*arguments, **options)
                break
            except OperationalError as fault:
                if not tries_left or getattr(fault.__cause__, "pgcode", "") != LOCK_NOT_AVAILABLE:
                    raise
            self.stderr.write(
                f"A table is in use; nobody waits for this. Trying again in {PAUSE:g} s."
            )
            time.sleep(PAUSE)
        if settings.ADMIN_NAME and not User.objects.filter(is_superuser=True).exists():
            User.objects.create_superuser(settings.ADMIN_NAME, password=settings.ADMIN_PASSWORD)
            self.stdout.write(f"Made the first admin, {settings.ADMIN_NAME}.")
