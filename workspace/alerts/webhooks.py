"""A signed request to an address of the researchers', by Standard Webhooks.

https://www.standardwebhooks.com: the signature is HMAC-SHA256 over `id.timestamp.body`.
"""

import asyncio
import hmac
import secrets
import ssl
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime

from web.lazy import httpx
from workspace.alerts.public_hosts import NotPublic, host_of, public_address

TIMEOUT = 5.0  # seconds for a whole request, from connecting to the last byte
SECRET_PREFIX = "whsec_"  # noqa: S105 - what each begins with
SECRET_BYTES = 24
SUCCESS = range(200, 300)


class NotSent(Exception):
    """Why a message did not arrive, in words for researchers."""


def new_secret() -> str:
    return SECRET_PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature(secret: str, key: str, timestamp: int, body: bytes) -> str:
    """key: of the message; timestamp: seconds of the epoch."""
    signed = b".".join((key.encode(), str(timestamp).encode(), body))
    digest = hmac.digest(b64decode(secret.removeprefix(SECRET_PREFIX)), signed, "sha256")
    return f"v1,{b64encode(digest).decode()}"


def send(
    url: str,
    secret: str,
    key: str,
    body: bytes,
    now: datetime,
    *,
    resolve: Callable[[str], str] = public_address,
    trusted: ssl.SSLContext | bool = True,
) -> None:
    """Send a message once, without following redirects; a receiver drops repetitions by `key`."""
    timestamp = int(now.timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Magnitudes",
        "Webhook-Id": key,
        "Webhook-Timestamp": str(timestamp),
        "Webhook-Signature": signature(secret, key, timestamp, body),
    }
    try:
        status = asyncio.run(_status(url, resolve(url), body, headers, trusted))
    except TimeoutError as fault:
        raise NotSent(f"It did not answer within {TIMEOUT:.0f} seconds.") from fault
    except (NotPublic, httpx.HTTPError, httpx.InvalidURL, OSError) as fault:
        raise NotSent(str(fault) or type(fault).__name__) from fault
    if status not in SUCCESS:
        raise NotSent(f"It answered with status {status}; expected one from 200 to 299.")


async def _status(
    url: str, address: str, body: bytes, headers: dict[str, str], trusted: ssl.SSLContext | bool
) -> int:
    """TIMEOUT (TimeoutError) is for the whole exchange. The body of the response is not read."""
    host, _ = host_of(url)
    target = httpx.URL(url)
    headers = headers | {"Host": target.netloc.decode()}
    async with (
        asyncio.timeout(TIMEOUT),
        httpx.AsyncClient(verify=trusted, timeout=TIMEOUT, trust_env=False) as client,
        client.stream(
            "POST",
            target.copy_with(host=address),
            content=body,
            headers=headers,
            extensions={"sni_hostname": host},
        ) as answer,
    ):
        return answer.status_code
