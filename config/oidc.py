"""Log-in at an institution: what its variables must be, and what allauth has of them."""

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

MAX_ISSUER_LENGTH = 200  # characters: it is part of the key of a linked log-in
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def validate_issuer(issuer: str, *, client_id: str, client_secret: str) -> None:
    """Raise ImproperlyConfigured unless a log-in with these can be safe."""
    parts = urlsplit(issuer)
    if not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)):
        raise ImproperlyConfigured(
            f"OIDC_ISSUER={issuer}: an address that begins with https:// is expected."
        )
    if len(issuer) > MAX_ISSUER_LENGTH:
        raise ImproperlyConfigured(
            f"OIDC_ISSUER has {len(issuer)} characters: at most {MAX_ISSUER_LENGTH} are expected."
        )
    if not (client_id and client_secret):
        raise ImproperlyConfigured(
            "OIDC_ISSUER is set: set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET too, which the "
            "institution gives to this site."
        )


def provider_settings(
    issuer: str, name: str, client_id: str, client_secret: str
) -> dict[str, dict[str, Any]]:
    """SOCIALACCOUNT_PROVIDERS: the issuer is the provider's id, so that a subject is one of it."""
    app = {
        "provider_id": issuer,
        "name": name,
        "client_id": client_id,
        "secret": client_secret,
        "settings": {"server_url": f"{issuer.rstrip('/')}/.well-known/openid-configuration"},
    }
    return {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}
