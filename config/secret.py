"""A secret key that is made once and kept in a file only its owner can read."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def kept_in(path: Path) -> str:
    """The key in `path`, made first if there is none; safe when several processes start at once."""
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
    return path.read_text()
