"""Seal platforms' ids by new keys."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.models import IdKeys
from operations.ids import seal_all
from web.sealed_ids import CannotOpen


class Command(BaseCommand):
    help = (
        "Encrypt platforms' ids of people by PLATFORM_ID_KEY, and find them by "
        "PLATFORM_ID_LOOKUP_KEY. Every process must have the new keys already, and the old ones as "
        "fallbacks. People may judge meanwhile. It may be stopped, and run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not IdKeys.of_site().seals:
            raise CommandError("Nothing is sealed yet: run finish_upgrade first.")
        IdKeys.rotate()
        try:
            number = seal_all(self.stdout.write)
        except CannotOpen as fault:
            raise CommandError(f"{fault} Nothing of this batch was changed.") from fault
        then = (
            "Run it again before you take the old keys away: it must find none."
            if number
            else "The old keys may go."
        )
        self.stdout.write(f"{number:,} ids sealed anew. {then}")
