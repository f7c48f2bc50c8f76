"""Encrypt by the present SECRET_KEY what was encrypted by a key of the past."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import sealed_factors
from judging.models import IdKeys
from trec.words import count
from workspace.alerts import webhooks
from workspace.recruiting import connecting


class Command(BaseCommand):
    help = (
        "Encrypt the tokens of participant platforms, the secrets of webhooks and those of second "
        "factors by the present SECRET_KEY. Afterwards the keys in SECRET_KEY_FALLBACKS are not "
        "needed for them any more."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        changed, closed = connecting.reencrypt()
        secrets, void = webhooks.reencrypt()
        factors, lost = sealed_factors.reseal(plain_ones=IdKeys.of_site().seals)
        sentence = f"{count(changed, 'connection')}, {count(secrets, 'secret')} of alerts"
        self.stdout.write(f"{sentence} and {count(factors, 'second factor')} sealed anew")
        gone = (*closed, *void, *([count(lost, "second factor")] if lost else []))
        if gone:
            raise CommandError(f"No key opens these, which must be made anew: {', '.join(gone)}")
