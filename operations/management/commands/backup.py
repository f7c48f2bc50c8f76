"""Make a backup of the database, or say which there are."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from magnitudes.files.words import count
from operations.backup import dumping, encryption, manifests
from operations.backup.stores import BackupFault, store
from operations.backup.tasks import expire
from web import clock


class Command(BaseCommand):
    help = "Delete the backups at BACKUP_URL that are too old, and make one of the database."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--list", action="store_true", help="say which there are, oldest first")
        parser.add_argument(
            "--make-key",
            metavar="FILE",
            help="write a new secret key to FILE, or with - to standard output, and say what "
            "BACKUP_KEY then is",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["make_key"]:
                self._make_key(options["make_key"])
            elif options["list"]:
                self._list()
            else:
                self._make()
        except (BackupFault, OSError) as fault:
            raise CommandError(str(fault)) from fault

    def _make(self) -> None:
        place = store()
        try:  # people were told that they go: whatever comes of the new one, and before it
            gone = expire(place, clock.now())
            self.stderr.write(f"{count(gone, 'old backup')} deleted")
        finally:
            made = dumping.make_backup(place)
            self.stdout.write(made.name)
            kind = "encrypted" if made.encrypted else "not encrypted"
            self.stderr.write(f"{made.size:,} bytes, {sum(made.rows.values()):,} rows, {kind}")

    def _list(self) -> None:
        for each in manifests.backups(store()):
            kind = "encrypted" if each.encrypted else "plain"
            self.stdout.write(
                f"{each.name} {each.size:,} bytes {kind}, version {each.version}, "
                f"PostgreSQL {each.postgresql}"
            )

    def _make_key(self, file: str) -> None:
        public = encryption.make_key(file, self.stdout)
        is_typed = file == encryption.STANDARD
        # On standard output the key is alone, to go elsewhere.
        (self.stderr if is_typed else self.stdout).write(f"BACKUP_KEY={public}")
        self.stderr.write(
            f"{'The secret key' if is_typed else file} opens every backup that is made so. Move it "
            "off this machine, to two places: without it no backup can be restored."
        )
