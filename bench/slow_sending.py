"""Clients that send half a request, and then a byte a second, for as long as they are let."""

import asyncio
import time
from contextlib import suppress
from ssl import SSLContext

POST = b"POST /study/bench/ HTTP/1.1\r\nHost: localhost\r\nCookie: sessionid=a\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK_LINE = CHUNKED + b"1;" + b"a" * (14 << 20)
KINDS = {
    "half the headers": (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-a: ", 100),
    "half a body": (POST + b"Content-Length: 60000\r\n\r\nhalf", 100),
    "a body of 1 MiB": (POST + b"Content-Length: 1048576\r\n\r\n" + bytes(1 << 19), 60),
    "a body of 16 MiB": (POST + b"Content-Length: 16777216\r\n\r\nhalf", 60),
    "a chunked body": (CHUNKED + b"5\r\nhello\r\n", 60),
    "a chunk line of 14 MiB": (CHUNK_LINE, 1),
}


async def send_slowly(port: int, tls: SSLContext, half: bytes, closed: list[float]) -> None:
    """Half a request, a byte a second, and again; notes how long each connection was kept."""
    while True:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=tls, server_hostname="localhost"
        )
        begun = time.monotonic()
        with suppress(OSError):
            writer.write(half)
            while not reader.at_eof():
                await writer.drain()
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(1024), 1)
                writer.write(b"a")
        closed.append(time.monotonic() - begun)
        writer.close()
        await asyncio.sleep(1)


def attack(port: int, tls: SSLContext, closed: dict[str, list[float]]) -> list[asyncio.Task[None]]:
    """All of KINDS at once, through a proxy that ends TLS; `closed` is by kind."""
    return [
        asyncio.create_task(send_slowly(port, tls, half, closed.setdefault(kind, [])))
        for kind, (half, count) in KINDS.items()
        for _ in range(count)
    ]
