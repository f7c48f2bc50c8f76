"""Django's `migrate`, beside people who judge."""

from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from operations.upgrading.patience import patiently

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
        """
        loader = MigrationLoader(connections[options["database"]])
        ours = {
            app.label
            for app in apps.get_app_configs()
            if app.path.startswith(str(settings.BASE_DIR))
        }
        if any(app in ours for app, _ in loader.applied_migrations.keys() - loader.disk_migrations):
            raise CommandError(OTHER_TABLES)
        patiently(
            lambda: super(Command, self).handle(*arguments, **options),
            lambda message: self.stderr.write(message),
        )
