"""Celery's door to the embedded Valkey: broker addresses that begin with `embedded+`."""

from typing import Any

from django.conf import settings
from kombu.transport import redis

from config.embedded import sharing


class Starting:
    """A Redis connection that sees to the server first.

    Each single connection does, as Kombu and redis-py renew their connections one by one.
    """

    def _connect(self) -> Any:
        sharing.ensure_redis(settings.VAR_DIR, 3 if settings.PROCESS == "web" else 60)
        return super()._connect()  # type: ignore[misc]


class Channel(redis.Channel):
    """Kombu's channel, with such connections."""

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        parameters: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[misc]
        plain = parameters["connection_class"]
        parameters["connection_class"] = type("Connection", (Starting, plain), {})
        return parameters


class Transport(redis.Transport):
    """Kombu's Redis transport, with such channels."""

    Channel = Channel
