import os
import re
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

MIN_LENGTH = 50  # characters, as in Django's deployment check


class Env(environ.Env):
    """The environment, with secrets: the value of NAME may be in the file that NAME_FILE names.

    Unlike django-environ's FileAwareEnv, this strips the line end, refuses a file beside a variable
    and an empty file, and does not take a value that begins with `$` for the name of a variable.
    """

    def secret(self, name: str) -> str:
        """The secret NAME, "" if there is none; no character is special.

        ImproperlyConfigured if both variables are set, or the file has no value.
        """
        given, place = os.environ.get(name, ""), os.environ.get(f"{name}_FILE", "")
        if given and place:
            raise ImproperlyConfigured(
                f"{name} and {name}_FILE are both set. Keep the one that is meant, and unset the "
                "other."
            )
        return _in_file(f"{name}_FILE", Path(place)) if place else given

    def secrets(self, name: str) -> list[str]:
        """Separated by commas or lines."""
        parts = re.split(r"[,\n]", self.secret(name))
        return [part.strip() for part in parts if part.strip()]


def _in_file(variable: str, path: Path) -> str:
    """Without line ends, as the image of PostgreSQL reads it."""
    try:
        value = path.read_text(encoding="utf-8").rstrip("\n")
    except OSError as error:
        fault = f"cannot be read ({error.strerror})"
    except UnicodeDecodeError:
        fault = "is not text in UTF-8"
    else:
        if value.strip():
            return value
        fault = "is empty"
    raise ImproperlyConfigured(
        f"{variable} names {path}, which {fault}. Write the secret into that file, let the user "
        f"that runs this read it, or unset {variable}."
    )


def load_or_create(path: Path) -> str:
    """The key in `path`, created if there is none; safe when several processes start at once.

    ImproperlyConfigured if the file is empty, as after a crash of the machine.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(get_random_secret_key())
        try:
            os.link(draft, path)  # fails if another process was first
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    if key := path.read_text().strip():
        return key
    raise ImproperlyConfigured(
        f"{path} is empty. Restore it from a backup, or delete it: a new key is made then, and "
        "what was signed or encrypted by the one before is lost. With secret-key everybody has to "
        "log in again, or to begin anew as a worker; with encryption-key platforms' ids are gone."
    )


def validate_length(key: str, called: str = "SECRET_KEY") -> None:
    """Raise ImproperlyConfigured if a key of a public site could be guessed."""
    if len(key) < MIN_LENGTH:
        raise ImproperlyConfigured(
            f"{called} has {len(key)} characters; with HTTPS=on it needs {MIN_LENGTH} at "
            "least, as from `openssl rand -hex 32`."
        )
