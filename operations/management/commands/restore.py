"""Restore a backup into an empty database."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from operations.backup import restoring
from operations.backup.faults import BackupFault
from operations.backup.stores import store


class Command(BaseCommand):
    help = "Restore a backup into the empty database that the settings name. Nobody may be in it."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("backup", help="its name, as `backup --list` gives it, or newest")
        parser.add_argument("--key-file", default="", help="the secret key of encrypted backups")

    def handle(self, *args: Any, **given: Any) -> None:
        try:
            keys = restoring.key_file(given["key_file"])
            restoring.restore(store(), given["backup"], keys, self.stderr.write)
        except BackupFault as fault:
            raise CommandError(str(fault)) from fault
        self.stdout.write("restored: the site may start")
