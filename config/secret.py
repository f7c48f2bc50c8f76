"""A secret key that is made once and kept in a file only its owner can read."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

LEAST_LENGTH = 50  # characters, as Django's own check of a deployment asks for


def kept_in(path: Path) -> str:
    """The key in `path`, made first if there is none; safe when several processes start at once.

    ImproperlyConfigured where the file is empty, as after a crash of the machine.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(get_random_secret_key())
        try:
            os.link(draft, path)  # fails where another process was first: its key counts
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    if key := path.read_text().strip():
        return key
    raise ImproperlyConfigured(
        f"{path} is empty. Restore it from a backup, or delete it: a new key is made then, and "
        "everybody has to log in again, or to begin anew as a worker."
    )


def insist_on_length(key: str) -> None:
    """For a site that others reach; ImproperlyConfigured where the key could be guessed."""
    if len(key) < LEAST_LENGTH:
        raise ImproperlyConfigured(
            f"SECRET_KEY has {len(key)} characters; with HTTPS=on it needs {LEAST_LENGTH} at "
            "least, as from `openssl rand -hex 32`."
        )
