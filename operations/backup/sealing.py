"""Encryption of backups by age (pyrage): whoever holds the machine can make them, and read none.

BACKUP_KEY is the public half of a key, `age1...`; several may stand there, with commas, of which
each opens a backup. The secret half lies elsewhere, and is asked for by `restore` alone.
"""

import os
import shutil
from pathlib import Path
from typing import Any, TextIO

import pyrage
from django.conf import settings
from pyrage.x25519 import Identity, Recipient

from operations.backup.faults import BackupFault
from operations.backup.stores import Writer

ENDING = ".age"
TYPED = "-"  # in the place of a file: standard input, or output


def recipients() -> list[Recipient]:
    """The public keys of BACKUP_KEY; none: backups are not encrypted.

    Raises:
        BackupFault: one is no such key.
    """
    return [_recipient(key.strip()) for key in settings.BACKUP_KEY.split(",") if key.strip()]


def _recipient(key: str) -> Recipient:
    if key.upper().startswith("AGE-SECRET-KEY-"):
        raise BackupFault(
            "BACKUP_KEY is the secret half of a key. Put the public half there (age1...), and keep "
            "the secret one elsewhere: here it would open every backup to whoever gets in."
        )
    try:
        return Recipient.from_str(key)
    except pyrage.RecipientError as error:
        raise BackupFault(f"BACKUP_KEY is not a public key of age (age1...): {error}.") from error


def new_key() -> tuple[str, str]:
    """A new secret key, as the text of a file of age's kind, and its public half."""
    identity = Identity.generate()
    public = str(identity.to_public())
    return f"# public key: {public}\n{identity}\n", public


def make_key(path: Path) -> str:
    """Write a new secret key to `path`, for its owner alone to read; returns the public half."""
    text, public = new_key()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise BackupFault(f"Cannot make {path}: {error.strerror}.") from error
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    return public


def read_key(path: Path) -> list[Identity]:
    """The secret keys in a file of age's kind.

    Raises:
        BackupFault: it has none.
    """
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupFault(f"Cannot read the key in {path}: {error}.") from error
    return keys_in(text, str(path))


def keys_in(text: str, source: str) -> list[Identity]:
    """The secret keys in a text, which came from `source`.

    Raises:
        BackupFault: it has none.
    """
    words = [word for word in text.split() if word.startswith("AGE-SECRET-KEY-1")]
    try:
        keys = [Identity.from_str(word) for word in words]
    except pyrage.IdentityError as error:
        raise BackupFault(f"{source} has a key that is none of age: {error}.") from error
    if not keys:
        raise BackupFault(f"{source} has no secret key of age (AGE-SECRET-KEY-1...).")
    return keys


def key_file(name: str, typed: TextIO) -> list[Identity]:
    """The keys of a file, or of what is typed if it is named `-`; none if no file is named.

    Raises:
        BackupFault: there is none in it.
    """
    if name == TYPED:
        return keys_in(typed.read(), "Standard input")
    return read_key(Path(name)) if name else []


def seal(source: Any, target: Writer, keys: list[Recipient]) -> None:
    """Copy a stream, encrypted if there are keys.

    Raises:
        OSError: it cannot be read or written.
    """
    if not keys:
        shutil.copyfileobj(source, target)
        return
    try:
        pyrage.encrypt_io(source, target, keys)
    except pyrage.EncryptError as error:
        raise OSError(str(error)) from error


def unseal(source: Any, target: Any, keys: list[Identity]) -> None:
    """Copy a stream that was sealed to one of `keys`.

    Raises:
        BackupFault: none of them opens it, or it is not what was sealed.
    """
    if not keys:
        raise BackupFault("It is encrypted: name the file with the secret key by --key-file.")
    try:
        pyrage.decrypt_io(source, target, keys)
    except pyrage.DecryptError as error:
        raise BackupFault(f"The key does not open it: {error}.") from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BackupFault(f"It cannot be opened: {error}.") from error
