"""What the site encrypts for itself, by its SECRET_KEY; keys of the past still open it."""

import hmac
from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


def box(purpose: str) -> MultiFernet:
    """What encrypts by the site's key, and decrypts by those of the past too.

    Args:
        purpose: what is sealed; each has a key of its own, derived by HMAC-SHA256.
    """
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([_of(secret, purpose) for secret in secrets])


def is_of_today(purpose: str, sealed: str) -> bool:
    """Whether the site's present key opens what is sealed, so that no key of the past is needed."""
    try:
        _of(settings.SECRET_KEY, purpose).decrypt(sealed)
    except InvalidToken:
        return False
    return True


def _of(secret: str, purpose: str) -> Fernet:
    return Fernet(urlsafe_b64encode(hmac.digest(secret.encode(), purpose.encode(), "sha256")))
