"""Secrets of second factors in the database: sealed by the site's SECRET_KEY."""

from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken

from web.sealing import box, is_of_today

PURPOSE = "secrets of second factors"
SEALED = "sealed."  # how each begins; those of version 0.1 are letters and digits
SECRETS = ("secret", "seed")  # what of the data of a factor is one


def seal(secret: str) -> str:
    """A secret as it is stored."""
    return SEALED + box(PURPOSE).encrypt(secret.encode()).decode()


def opened(stored: str) -> str:
    """A secret as it was, sealed or not.

    Raises:
        InvalidToken: no key of the site opens it.
    """
    if not stored.startswith(SEALED):
        return stored
    return box(PURPOSE).decrypt(stored.removeprefix(SEALED).encode()).decode()


def reseal(*, plain_ones: bool) -> tuple[int, int]:
    """Seal by the site's present key what one of the past has sealed, or none.

    plain_ones: whether those that none has sealed are sealed; version 0.1 could not read them.

    Returns:
        How many factors that changed, and of how many no key opens the secret any more.
    """
    changed = closed = 0
    for factor in Authenticator.objects.order_by("pk"):
        try:
            anew = {
                name: seal(opened(stored))
                for name in SECRETS
                if (stored := factor.data.get(name)) and _is_due(stored, plain_ones=plain_ones)
            }
        except InvalidToken:
            closed += 1
            continue
        if anew:  # a code of it may be used in this moment, which changes its data as well
            same = Authenticator.objects.filter(pk=factor.pk, data=factor.data)
            changed += same.update(data=factor.data | anew)
    return changed, closed


def _is_due(stored: str, *, plain_ones: bool) -> bool:
    if not stored.startswith(SEALED):
        return plain_ones
    return not is_of_today(PURPOSE, stored.removeprefix(SEALED))
