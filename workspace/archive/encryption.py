"""Platforms' ids of workers and completion codes, encrypted by a passphrase.

scrypt (RFC 7914) derives the key; the text is a Fernet token, encrypted and signed. The file
without the passphrase only reveals its length.
"""

import base64
import json
import secrets
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from django.db.models import JSONField

from judging.models import Assignment, Participant, PlatformAccount, Study
from judging.models.collection import id_field
from magnitudes.files.errors import BadFile
from workspace.archive.columns import Keys, Names, key_of
from workspace.archive.field_values import Invalid, read

FILE = "platform_ids.sealed"
MAX_BYTES = 1 << 26  # bytes
MIN_PASSPHRASE_LENGTH = 12
_SALT = 16
_ID, _IDS = id_field(), JSONField()  # what an account's ids have to be
_COST = {"length": 32, "n": 1 << 16, "r": 8, "p": 1}  # 64 MB, a quarter of a second


class BadPassphrase(ValueError):
    """The passphrase is too short, or not the one of this archive."""


def check_passphrase(passphrase: str) -> str:
    if len(passphrase) < MIN_PASSPHRASE_LENGTH:
        raise BadPassphrase(f"A passphrase needs at least {MIN_PASSPHRASE_LENGTH} characters.")
    return passphrase


def encrypt_ids(study: Study, names: Names, passphrase: str) -> bytes:
    """names: workers and assignments by key, as other files name them."""
    accounts = PlatformAccount.objects.filter(study=study).select_related("worker").order_by("pk")
    participants = Participant.objects.filter(study=study).order_by("pk")
    paid = Assignment.objects.paid().filter(study=study).order_by("pk")
    content = {
        "accounts": [
            [row.worker.pseudonym, row.platform, row.external_id, row.ids] for row in accounts
        ],
        "participants": [row.external_id for row in participants],
        "codes": [
            [names["assignments"][key], code]
            for key, code in paid.values_list("pk", "completion_code")
        ],
    }
    salt = secrets.token_bytes(_SALT)
    return salt + Fernet(_key(passphrase, salt)).encrypt(json.dumps(content).encode())


def decrypt_ids(content: bytes, passphrase: str) -> dict[str, Any]:
    try:
        plain = Fernet(_key(passphrase, content[:_SALT])).decrypt(content[_SALT:])
    except InvalidToken as fault:
        raise BadPassphrase("This is not the passphrase that the ids were sealed with.") from fault
    return parse_content(plain)


def parse_content(plain: bytes) -> dict[str, Any]:
    """Untrusted: its author may choose the passphrase. BadFile unless `encrypt_ids` wrote it."""
    try:
        content = json.loads(plain)
    except (ValueError, RecursionError) as fault:
        raise _unexpected_content() from fault
    if not isinstance(content, dict):
        raise _unexpected_content()
    return content


def _unexpected_content() -> BadFile:
    return BadFile(FILE, "not what an archive seals", "accounts, participants, codes")


def _key(passphrase: str, salt: bytes) -> bytes:
    return base64.urlsafe_b64encode(Scrypt(salt=salt, **_COST).derive(passphrase.encode()))


def restore_ids(study: Study, content: dict[str, Any], keys: Keys) -> None:
    """Save the ids and codes; BadFile unless `encrypt_ids` wrote them."""
    try:
        _restore_ids(study, content, keys)
    except Invalid as fault:
        raise BadFile(FILE, fault.problem, fault.expected) from fault
    except (KeyError, TypeError, ValueError) as fault:
        raise _unexpected_content() from fault


def _restore_ids(study: Study, content: dict[str, Any], keys: Keys) -> None:
    platform_field = PlatformAccount._meta.get_field("platform")
    PlatformAccount._meta.get_field("external_id").validate_key()
    PlatformAccount.objects.bulk_create(
        PlatformAccount(
            study=study,
            worker_id=key_of(keys, "workers", worker),
            platform=read(platform_field, platform),
            external_id=read(_ID, external_id),
            ids=read(_IDS, ids),
        )
        for worker, platform, external_id, ids in content["accounts"]
    )
    Participant.objects.bulk_create(
        Participant(study=study, external_id=read(_ID, external_id))
        for external_id in content["participants"]
    )
    field = Assignment._meta.get_field("completion_code")
    codes = {key_of(keys, "assignments", n): read(field, code) for n, code in content["codes"]}
    paid = list(Assignment.objects.filter(study=study, pk__in=codes))
    for assignment in paid:
        assignment.completion_code = codes[assignment.pk]
    Assignment.objects.bulk_update(paid, ["completion_code"], batch_size=1000)
