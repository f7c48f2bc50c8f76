"""Seal by the present SECRET_KEY what was sealed by a key of the past."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from trec.words import count
from workspace.alerts import webhooks
from workspace.recruiting import connecting


class Command(BaseCommand):
    help = (
        "Encrypt the tokens of participant platforms and the secrets of webhooks by the present "
        "SECRET_KEY. Afterwards the keys in SECRET_KEY_FALLBACKS are not needed for them any more."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        changed, closed = connecting.reseal()
        secrets, void = webhooks.reseal()
        told = f"{count(changed, 'connection')} and {count(secrets, 'secret')} of alerts"
        self.stdout.write(f"{told} sealed anew")
        if closed or void:
            raise CommandError(
                f"No key opens these, which must be made anew: {', '.join((*closed, *void))}"
            )
