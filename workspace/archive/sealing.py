"""What only those may read who know a passphrase: platforms' ids of workers, and codes for pay.

The key is made of the passphrase by scrypt (RFC 7914); the text is a Fernet token, encrypted and
signed. Whoever has the file and not the passphrase learns its length alone.
"""

import base64
import json
import secrets
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from judging.models import Assignment, Participant, PlatformAccount, Study
from trec.errors import BadFile
from workspace.archive.columns import Keys, Names, named
from workspace.archive.field_values import Wrong, read

FILE = "platform_ids.sealed"
LARGEST = 1 << 26  # bytes
SHORTEST_PASSPHRASE = 12
_SALT = 16
_COST = {"length": 32, "n": 1 << 16, "r": 8, "p": 1}  # 64 MB, a quarter of a second


class BadPassphrase(ValueError):
    """The passphrase is too short to protect anything, or it is not the one of this archive."""


def checked(passphrase: str) -> str:
    """A passphrase that is long enough.

    Raises:
        BadPassphrase: it is not.
    """
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise BadPassphrase(f"A passphrase needs at least {SHORTEST_PASSPHRASE} characters.")
    return passphrase


def sealed(study: Study, names: Names, passphrase: str) -> bytes:
    """The platforms' ids and completion codes of a study, encrypted.

    names: workers and assignments by key, as other files name them.
    """
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


def opened(content: bytes, passphrase: str) -> dict[str, Any]:
    """What `sealed` has encrypted.

    Raises:
        BadPassphrase: it was sealed with another one, or has been changed since.
        BadFile: as `within`.
    """
    try:
        plain = Fernet(_key(passphrase, content[:_SALT])).decrypt(content[_SALT:])
    except InvalidToken as fault:
        raise BadPassphrase("This is not the passphrase that the ids were sealed with.") from fault
    return within(plain)


def within(plain: bytes) -> dict[str, Any]:
    """What was sealed; whoever wrote an archive may have chosen its passphrase.

    Raises:
        BadFile: it is not what `sealed` writes.
    """
    try:
        content = json.loads(plain)
    except (ValueError, RecursionError) as fault:
        raise _not_sealed_here() from fault
    if not isinstance(content, dict):
        raise _not_sealed_here()
    return content


def _not_sealed_here() -> BadFile:
    return BadFile(FILE, "not what an archive seals", "accounts, participants, codes")


def _key(passphrase: str, salt: bytes) -> bytes:
    return base64.urlsafe_b64encode(Scrypt(salt=salt, **_COST).derive(passphrase.encode()))


def bring_in(study: Study, within: dict[str, Any], keys: Keys) -> None:
    """Give workers, participants and assignments what was sealed.

    Raises:
        BadFile: it is not what `sealed` writes.
    """
    try:
        _bring_in(study, within, keys)
    except Wrong as fault:
        raise BadFile(FILE, fault.problem, fault.expected) from fault
    except (KeyError, TypeError, ValueError) as fault:
        raise _not_sealed_here() from fault


def _bring_in(study: Study, within: dict[str, Any], keys: Keys) -> None:
    account = PlatformAccount._meta
    listed = Participant._meta.get_field("found_by")
    PlatformAccount.objects.bulk_create(
        PlatformAccount(  # type: ignore[misc]  # properties
            study=study,
            worker_id=named(keys, "workers", worker),
            platform=read(account.get_field("platform"), platform),
            external_id=read(account.get_field("found_by"), external_id),
            ids=read(account.get_field("plain_ids"), ids),
        )
        for worker, platform, external_id, ids in within["accounts"]
    )
    Participant.objects.bulk_create(
        Participant(  # type: ignore[misc]  # a property
            study=study, external_id=read(listed, external_id)
        )
        for external_id in within["participants"]
    )
    field = Assignment._meta.get_field("completion_code")
    codes = {named(keys, "assignments", line): read(field, code) for line, code in within["codes"]}
    paid = list(Assignment.objects.filter(study=study, pk__in=codes))
    for assignment in paid:
        assignment.completion_code = codes[assignment.pk]
    Assignment.objects.bulk_update(paid, ["completion_code"], batch_size=1000)
