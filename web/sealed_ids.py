"""Ids of people, encrypted; and how one is found that is.

AES-GCM by the `cryptography` library, with a random nonce of 96 bits for each: NIST allows 2^32 for
a key. What an id belongs to is authenticated with it, so that it opens nowhere else. It is found by
an HMAC-SHA256 under a key of its own, which tells nobody the id who has not that key. An id is the
same in every table and study, or somebody from an earlier study could not be kept out of another:
whoever has the database alone sees that two rows are of one person, and not of whom.

A key is any text of 50 characters or more; settings list them. Which one is the present one the
database says (`judging.models.IdKeys`), so that processes agree while they are restarted in turn.
"""

import base64
import hmac
import secrets
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

NONCE = 12  # bytes
LOOKUP = "hmac."  # how each begins by which one is found; no id of a platform's does


class CannotOpen(ValueError):
    """No key of this site opens it, or it belongs to something else."""


def sealed(text: str, about: str, key: str) -> str:
    """A text encrypted by a key.

    Args:
        about: what it belongs to; it is opened with the same.
    """
    nonce = secrets.token_bytes(NONCE)
    box = AESGCM(_derived(key, "sealing"))
    return f"{name_of(key)}.{_letters(nonce + box.encrypt(nonce, text.encode(), about.encode()))}"


def opened(text: str, about: str) -> str:
    """What `sealed` has encrypted, by any of the keys.

    Raises:
        CannotOpen: its key is none of them, or it was sealed about something else.
    """
    name, _, letters = text.partition(".")
    for key in settings.PLATFORM_ID_KEYS:
        if name_of(key) == name:
            try:
                content = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
                box = AESGCM(_derived(key, "sealing"))
                return box.decrypt(content[:NONCE], content[NONCE:], about.encode()).decode()
            except (InvalidTag, ValueError) as fault:
                raise CannotOpen(f"What is sealed is not {about}.") from fault
    raise CannotOpen("None of PLATFORM_ID_KEY and its fallbacks opens what is sealed.")


def lookup(external_id: str, key: str) -> str:
    """By what an id is found, under a key."""
    digest = hmac.digest(_derived(key, "lookup"), external_id.encode(), "sha256")
    return f"{lookup_begins(name_of(key))}{_letters(digest)}"


def lookups(external_id: str) -> list[str]:
    """By what a row of an id may be found: under each key, and by itself where it is not sealed."""
    plain = [] if external_id.startswith(LOOKUP) else [external_id]
    return [lookup(external_id, key) for key in settings.PLATFORM_ID_LOOKUP_KEYS] + plain


def name_of(key: str) -> str:
    """By what a key is known where it was used; it tells nothing of the key."""
    return _derived(key, "name").hex()[:8]


def lookup_begins(name: str) -> str:
    """How each lookup begins that was made by the key of this name."""
    return f"{LOOKUP}{name}."


@lru_cache(maxsize=64)
def _derived(key: str, purpose: str) -> bytes:
    return hmac.digest(key.encode(), f"platform ids: {purpose}".encode(), "sha256")


def _letters(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
