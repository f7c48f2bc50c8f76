"""Encryption of single values in the database: ids of people, tokens and secrets.

AES-256-GCM with a random nonce of 96 bits for each value: NIST allows 2^32 values for a key. The
associated data of a value is its place, the names of table, column and row: elsewhere it does not
decrypt. A value that is looked up has a digest beside it, an HMAC-SHA256 of the plain text, the
same in every table: the database alone reveals that two rows are of one person, but not of whom.

settings.ENCRYPTION_KEYS are any texts. The first encrypts and makes digests; all of them decrypt,
and look up. HKDF derives from each a key for either purpose, and a public name.
"""

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.db.models.query_utils import DeferredAttribute

NONCE = 12  # bytes


class CannotDecrypt(ValueError):
    """No key of the site decrypts a value, or it belongs to another place."""


class Ciphertext(str):
    """A value as it is stored: its key's name and, in base64, the nonce and what is encrypted."""

    __slots__ = ()

    @property
    def key_name(self) -> str:
        return self.partition(".")[0]

    @property
    def is_current(self) -> bool:
        return self.key_name == name_of(settings.ENCRYPTION_KEYS[0])


def encrypt(text: str, *place: object) -> Ciphertext:
    """By the first key; `decrypt` needs the same place."""
    key, nonce = settings.ENCRYPTION_KEYS[0], secrets.token_bytes(NONCE)
    content = AESGCM(_derived(key, "values")).encrypt(nonce, text.encode(), _associated(place))
    return Ciphertext(f"{name_of(key)}.{urlsafe_b64encode(nonce + content).decode()}")


def decrypt(stored: str, *place: object) -> str:
    """CannotDecrypt: the key is not among those of the site, or the place is another."""
    name, _, encoded = stored.partition(".")
    key = next((key for key in settings.ENCRYPTION_KEYS if name_of(key) == name), None)
    if key is None:
        raise CannotDecrypt("None of the keys in ENCRYPTION_KEY decrypts it.")
    try:
        content = urlsafe_b64decode(encoded)
        cipher = AESGCM(_derived(key, "values"))
        return cipher.decrypt(content[:NONCE], content[NONCE:], _associated(place)).decode()
    except (InvalidTag, ValueError) as fault:
        raise CannotDecrypt(f"It was not encrypted for {' '.join(map(str, place))}.") from fault


def digests(text: str) -> list[str]:
    """A text's digest under each key: the first is written, all are looked up."""
    return [
        hmac.digest(_derived(key, "look-ups"), text.encode(), "sha256").hex()
        for key in settings.ENCRYPTION_KEYS
    ]


def digest_field(**options: Any) -> models.CharField:
    return models.CharField(max_length=64, editable=False, **options)


def name_of(key: str) -> str:
    """Eight characters that identify a key and do not reveal it."""
    return _derived(key, "name").hex()[:8]


@lru_cache(maxsize=64)
def _derived(key: str, purpose: str) -> bytes:
    return HKDF(SHA256(), length=32, salt=None, info=purpose.encode()).derive(key.encode())


def _associated(place: tuple[object, ...]) -> bytes:
    return json.dumps([str(part) for part in place]).encode()


class _Decrypted(DeferredAttribute):
    field: "EncryptedField"

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        value = super().__get__(instance, cls)
        if isinstance(value, Ciphertext):
            value = json.loads(decrypt(value, *self.field.place_of(instance)))
            instance.__dict__[self.field.attname] = value
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.field.attname] = value
        if self.field.digest and not isinstance(value, Ciphertext):
            setattr(instance, self.field.digest, digests(value)[0] if value else "")


class EncryptedField(models.Field):
    """A value of JSON, encrypted for its table, column and row; an empty text stays as it is.

    As a primary key is not known before INSERT, `row` names the fields that identify the row: set
    before this one, and changed only together with it. `digest` names a field, declared before this
    one, for the value's digest: queries look it up by `digests`, and never compare the value
    itself. `dumpdata` leaves it out.
    """

    descriptor_class = _Decrypted

    @classmethod
    def of(cls, model: type[models.Model]) -> list["EncryptedField"]:
        return [field for field in model._meta.concrete_fields if isinstance(field, cls)]

    def __init__(
        self, *arguments: Any, row: tuple[str, ...] = (), digest: str = "", **options: Any
    ) -> None:
        self.row, self.digest = row, digest
        super().__init__(*arguments, **{"serialize": False, "default": "", **options})

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, {**options, "row": self.row, "digest": self.digest}

    def get_internal_type(self) -> str:
        return "TextField"

    def place_of(self, instance: models.Model) -> tuple[object, ...]:
        """What a row's value is bound to."""
        names = (getattr(instance, name) for name in self.row)
        return (self.model._meta.db_table, self.column, *names)

    def from_db_value(self, value: str, *_: Any) -> str:
        return Ciphertext(value) if value else value

    def pre_save(self, instance: models.Model, add: bool) -> str:
        value = instance.__dict__[self.attname]
        if value == "" or isinstance(value, Ciphertext):
            return value
        return encrypt(json.dumps(value), *self.place_of(instance))

    def get_prep_value(self, value: Any) -> Any:
        """Refuse a plain value: only `save` and `bulk_create` know its row."""
        if value != "" and not isinstance(value, Ciphertext):
            raise TypeError(f"{self} is encrypted by row: no query takes its plain value.")
        return str(value)

    def validate_key(self) -> None:
        """Check that this process has the key of the newest row.

        Without it the process would find nobody, and create everybody anew.

        Raises:
            ImproperlyConfigured: the row was written by another key.
        """
        rows = self.model._base_manager.exclude(**{self.attname: ""}).order_by("-pk")
        names = map(name_of, settings.ENCRYPTION_KEYS)
        newest = rows.values_list(self.attname, flat=True).first()
        if newest and newest.key_name not in names:
            raise ImproperlyConfigured(
                "Platforms' ids in the database are encrypted by another key than those in "
                "ENCRYPTION_KEY of this process. Give every process the same ones; those of the "
                "past belong behind the first."
            )


def reencrypt(row: models.Model) -> bool:
    """Encrypt the values of a locked row by the first key; returns whether it changed any.

    CannotDecrypt: no key decrypts one; the row stays as it is.
    """
    fields = EncryptedField.of(type(row))
    names = [name for field in fields for name in (field.attname, field.digest) if name]
    before = {name: row.__dict__[name] for name in names}
    plain = {field.attname: getattr(row, field.attname) for field in fields}
    for name, value in plain.items():
        setattr(row, name, value)
    is_current = all(
        (not before[field.attname] or before[field.attname].is_current)
        and (not field.digest or before[field.digest] == getattr(row, field.digest))
        for field in fields
    )
    if not is_current:
        row.save(update_fields=names)
    return not is_current
