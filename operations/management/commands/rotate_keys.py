"""Encrypt by the first key what was encrypted by those of the past."""

from collections.abc import Callable, Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Model

from accounts import factor_secrets
from magnitudes.files.words import count
from web.encryption import CannotDecrypt, EncryptedField, reencrypt

BATCH = 1000  # rows that are locked at a time
MAX_NAMED = 10  # rows that a message names


class Command(BaseCommand):
    help = (
        "Encrypt ids of people, tokens and secrets by the first key in ENCRYPTION_KEY. Every "
        "process must have that key already: add it behind the old one, restart all, then put it "
        "first. People may judge meanwhile. It may be stopped, and run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        models = [model for model in apps.get_models() if EncryptedField.of(model)]
        ways = {**dict.fromkeys(models, reencrypt), Authenticator: factor_secrets.reencrypt}
        total, unreadable = 0, list[str]()
        for model, way in ways.items():
            for row, is_changed in _reencrypted(model, way):
                total += bool(is_changed)
                if is_changed is None:
                    unreadable.append(str(row))
        sentence = f"{count(total, 'row')} encrypted anew."
        if unreadable:
            names = ", ".join(unreadable[:MAX_NAMED])
            raise CommandError(
                f"{sentence} No key opens {len(unreadable):,}, which must be made anew: {names}"
            )
        then = "Run it again before you take the old keys away: it must find none."
        self.stdout.write(f"{sentence} {then if total else 'The old keys may go.'}")


def _reencrypted(
    model: type[Model], way: Callable[[Any], bool]
) -> Iterator[tuple[Model, bool | None]]:
    """Each row, and whether it was encrypted anew; None: no key decrypts it.

    The newest rows come first: by them a process without the new key notices that it lacks it, and
    writes nothing more (`EncryptedField.validate_key`).
    """
    rows = model._base_manager.select_for_update(of=("self",)).order_by("-pk")
    batch = rows[:BATCH]
    while True:
        with transaction.atomic():
            done = [(row, _try(way, row)) for row in batch]
        yield from done
        if len(done) < BATCH:
            return
        batch = rows.filter(pk__lt=done[-1][0].pk)[:BATCH]


def _try(way: Callable[[Any], bool], row: Model) -> bool | None:
    try:
        return way(row)
    except CannotDecrypt:
        return None
