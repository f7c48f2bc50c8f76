"""Seal by the present SECRET_KEY what was sealed by a key of the past."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from trec.words import count
from workspace.recruiting.connecting import reseal


class Command(BaseCommand):
    help = (
        "Encrypt the tokens of participant platforms by the present SECRET_KEY. Afterwards the "
        "keys in SECRET_KEY_FALLBACKS are not needed for them any more."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        changed, closed = reseal()
        self.stdout.write(f"{count(changed, 'connection')} sealed anew")
        if closed:
            raise CommandError(
                f"No key opens these, which must be connected anew: {', '.join(closed)}"
            )
