"""Take the last step of an upgrade: what the version before needs is kept no longer."""

from typing import Any

from django.core.management.base import BaseCommand

from accounts import sealed_factors
from judging.models import IdKeys
from operations.ids import seal_all
from trec.words import count


class Command(BaseCommand):
    help = (
        "Encrypt platforms' ids of people and the secrets of second factors, which version 0.1 "
        "reads as they are. Run it when no process of version 0.1 runs any more, and none will: "
        "there is no way back to it then. People may judge meanwhile. It may be stopped, and run "
        "again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        IdKeys.finish_upgrade()
        number = seal_all(self.stdout.write)
        factors, _ = sealed_factors.reseal(plain_ones=True)
        self.stdout.write(
            f"{number:,} ids and {count(factors, 'second factor')} sealed; the upgrade is finished."
        )
