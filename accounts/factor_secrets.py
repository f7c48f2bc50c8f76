"""Secrets of second factors in the database, encrypted for their user and kind of factor.

allauth gives its adapter only the text of a secret. Signals of the model add the factor's row,
which is part of what a ciphertext is bound to.
"""

from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.db.models.signals import post_init, pre_save
from django.dispatch import receiver

from web.encryption import Ciphertext, decrypt, encrypt

SECRETS = {"secret", "seed"}  # keys of a factor's data


class _New(str):
    """Plain text, until its factor is saved."""

    __slots__ = ()


class _Stored(Ciphertext):
    """With the factor that it belongs to."""

    place: tuple[object, ...]


class Adapter(DefaultMFAAdapter):
    """allauth's, whose secrets are encrypted when their factor is saved."""

    def encrypt(self, text: str) -> str:
        return _New(text)

    def decrypt(self, encrypted_text: str) -> str:
        """CannotDecrypt: no key of the site decrypts it, or it is of another factor."""
        if isinstance(encrypted_text, _Stored):
            return decrypt(encrypted_text, *encrypted_text.place)
        return encrypted_text


def reencrypt(factor: Authenticator) -> bool:
    """Encrypt a factor's secrets by the first key, if another did; returns whether it changed."""
    former = [name for name in SECRETS if name in factor.data and not factor.data[name].is_current]
    for name in former:
        factor.data[name] = _New(decrypt(factor.data[name], *factor.data[name].place))
    if former:
        factor.save(update_fields=["data"])
    return bool(former)


@receiver(post_init, sender=Authenticator)
def _bind_secrets(instance: Authenticator, **_: Any) -> None:
    data = instance.__dict__.get("data", {})
    for name in data.keys() & SECRETS:
        if not isinstance(data[name], _New):
            data[name] = _stored(instance, name, data[name])


@receiver(pre_save, sender=Authenticator)
def _encrypt_secrets(instance: Authenticator, **_: Any) -> None:
    for name in instance.data.keys() & SECRETS:
        if isinstance(instance.data[name], _New):
            text = encrypt(instance.data[name], *_place(instance, name))
            instance.data[name] = _stored(instance, name, text)


def _stored(factor: Authenticator, name: str, text: str) -> _Stored:
    stored = _Stored(text)
    stored.place = _place(factor, name)
    return stored


def _place(factor: Authenticator, name: str) -> tuple[object, ...]:
    return (Authenticator._meta.db_table, f"data.{name}", factor.user_id, factor.type)
