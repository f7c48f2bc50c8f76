"""What the site encrypts for itself, by its SECRET_KEY; keys of the past still open it."""

import hmac
from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def box(purpose: str) -> MultiFernet:
    """What encrypts by the site's key, and decrypts by those of the past too.

    Args:
        purpose: what is sealed; each has a key of its own, derived by HMAC-SHA256.
    """
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = (hmac.digest(secret.encode(), purpose.encode(), "sha256") for secret in secrets)
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])
