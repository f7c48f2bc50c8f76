"""Encryption of backups by age (pyrage): this machine can make them, and cannot read them.

BACKUP_KEY is the public half of a key, `age1...`, or several with commas, each of which opens a
backup. The secret half lies elsewhere; only `restore` asks for it.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Any, TextIO

import pyrage
from django.conf import settings
from django.core.management.base import OutputWrapper
from pyrage.x25519 import Identity, Recipient

from operations.backup.stores import BackupFault

ENDING = ".age"
STANDARD = "-"  # in the place of a file: standard input, or output


def recipients() -> list[Recipient]:
    """The public keys of BACKUP_KEY; none: backups are not encrypted."""
    keys = [key.strip() for key in settings.BACKUP_KEY.split(",") if key.strip()]
    if any(key.upper().startswith("AGE-SECRET-KEY-") for key in keys):
        raise BackupFault(
            "BACKUP_KEY is the secret half of a key. Put the public half there (age1...), and keep "
            "the secret one elsewhere: here it would open every backup to whoever gets in."
        )
    try:
        return [Recipient.from_str(key) for key in keys]
    except pyrage.RecipientError as error:
        raise BackupFault(f"BACKUP_KEY is not a public key of age (age1...): {error}.") from error


def make_key(file: str | Path, stdout: TextIO | OutputWrapper = sys.stdout) -> str:
    """Write a new secret key to a file that only its owner can read; returns the public half."""
    identity = Identity.generate()
    public = str(identity.to_public())
    text = f"# public key: {public}\n{identity}\n"
    if file == STANDARD:
        stdout.write(text)
        return public
    try:
        with open(file, "x", opener=lambda path, flags: os.open(path, flags, 0o600)) as target:
            target.write(text)
    except OSError as error:
        raise BackupFault(f"Cannot make {file}: {error.strerror}.") from error
    return public


def read_keys(file: str | Path, stdin: TextIO = sys.stdin) -> list[Identity]:
    """The secret keys in a file as age writes it; none if no file is named."""
    if not file:
        return []
    source = "Standard input" if file == STANDARD else str(file)
    try:
        text = stdin.read() if file == STANDARD else Path(file).read_text()
        words = [word for word in text.split() if word.startswith("AGE-SECRET-KEY-1")]
        keys = [Identity.from_str(word) for word in words]
    except (OSError, UnicodeDecodeError) as error:
        raise BackupFault(f"Cannot read the key in {source}: {error}.") from error
    except pyrage.IdentityError as error:
        raise BackupFault(f"{source} has a key that is none of age: {error}.") from error
    if not keys:
        raise BackupFault(f"{source} has no secret key of age (AGE-SECRET-KEY-1...).")
    return keys


def encrypt(source: Any, target: Any, keys: list[Recipient]) -> None:
    """Copy a stream, encrypted if there are keys."""
    if not keys:
        shutil.copyfileobj(source, target)
        return
    try:
        pyrage.encrypt_io(source, target, keys)
    except pyrage.EncryptError as error:
        raise OSError(str(error)) from error


def decrypt(source: Any, target: Any, keys: list[Identity]) -> None:
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
