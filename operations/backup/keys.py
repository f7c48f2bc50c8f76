"""The keys that a site needs beside its backups: none is in a backup, each has a name.

A name is eight characters derived from a key, which do not reveal it (`web.encryption.name_of`).
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings

from web.encryption import name_of

# By variable: the file of VAR_DIR in which it is kept if nobody sets it, and what is without it.
KEYS = {
    "SECRET_KEY": ("secret-key", "workers are not known again"),
    "ENCRYPTION_KEY": (
        "encryption-key",
        "platforms' ids of people, tokens of platforms, secrets of webhooks and of second factors "
        "stay closed, and nobody who comes again from a platform is found",
    ),
}
# By variable: where keys of the past stand.
OTHERS = {"SECRET_KEY": "SECRET_KEY_FALLBACKS", "ENCRYPTION_KEY": "those behind the first"}


def _all() -> dict[str, list[str]]:
    values = {
        "SECRET_KEY": [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS],
        "ENCRYPTION_KEY": settings.ENCRYPTION_KEYS,
    }
    return {variable: [name_of(key) for key in keys] for variable, keys in values.items()}


def names() -> dict[str, str]:
    """By variable the name of the present key."""
    return {variable: known[0] for variable, known in _all().items()}


def where(variable: str) -> str:
    """The file of a key, or that it is a variable's value."""
    if place := os.environ.get(f"{variable}_FILE"):
        return place
    if os.environ.get(variable):
        return "a variable"
    return str(Path(settings.VAR_DIR) / KEYS[variable][0])


def missing(then: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each key of `then` (as from `names`) that this process has not."""
    here = _all()
    for variable, name in then.items():
        if variable in here and name not in here[variable]:
            yield (
                f"{variable} was the key {name} when the backup was made, and this process does "
                f"not have that one: {KEYS[variable][1]}. Set it, or add it to "
                f"{OTHERS[variable]}, before the site starts."
            )
