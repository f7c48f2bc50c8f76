"""Django's `migrate`, beside people who judge."""

from typing import Any

from django.core.management.commands import migrate

from operations.upgrading.patience import patiently


class Command(migrate.Command):
    """Bring the database up to date."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Migrate, without anybody waiting for longer than a moment."""
        patiently(
            lambda: super(Command, self).handle(*arguments, **options),
            lambda message: self.stderr.write(message),
        )
