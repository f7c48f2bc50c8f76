"""How long ordinary requests take while others send half a request and wait.

    python -m bench.slow_clients

The web server and Debian's Caddy before it run as the product runs them. Hundreds of connections
send half a request, and then a byte a second; each begins anew when Caddy
closes it. Meanwhile some ordinary clients ask for the first page of a study. Ends with 1 when the
99th percentile of their waiting is a second or more, or when Caddy takes more memory than its
container has.
"""

import asyncio
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from ssl import SSLContext

import httpx
import numpy as np
import psutil

from bench.site.command import options
from bench.site.running import scratch_database, web_server
from tests.factory import make_study
from tests.production.servers import Proxy, proxy

OPTIONS = options(__doc__)
ORDINARY = 4
SECONDS = 30.0
SETTLES = 5.0  # until the slow ones are there
LIMIT = 1.0
MAX_MIB = 512
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


async def ask(front: Proxy, path: str, until: float) -> list[float]:
    """The seconds that each of many requests took, one after the other."""
    taken = []
    async with httpx.AsyncClient(
        base_url=front.origin, verify=front.trust(), trust_env=False, timeout=60
    ) as client:
        while time.monotonic() < until:
            begun = time.monotonic()
            (await client.get(path)).raise_for_status()
            taken.append(time.monotonic() - begun)
    return taken


async def measure(
    front: Proxy, slug: str, closed: dict[str, list[float]], *, is_attacked: bool
) -> list[float]:
    """What ordinary requests took; into `closed`, how long slow connections were kept."""
    attackers = attack(front.port, front.trust(), closed) if is_attacked else []
    await asyncio.sleep(SETTLES)
    until = time.monotonic() + SECONDS
    taken = await asyncio.gather(*(ask(front, f"/study/{slug}/", until) for _ in range(ORDINARY)))
    for task in attackers:
        task.cancel()
    return [seconds for share in taken for seconds in share]


def main() -> int:
    """The exit status."""
    OPTIONS.parse_args()
    high, closed = 0.0, {kind: [] for kind in KINDS}
    with (
        tempfile.TemporaryDirectory() as folder,
        scratch_database(),
        web_server() as port,
        proxy(Path(folder), [port]) as front,
    ):
        slug = make_study(documents=20, words=100, redundancy=10).slug
        for is_attacked in (False, True):
            taken = asyncio.run(measure(front, slug, closed, is_attacked=is_attacked))
            median, high = np.quantile(taken, [0.5, 0.99])
            mib = psutil.Process(front.process.pid).memory_info().rss >> 20
            print(
                f"{'with' if is_attacked else 'without'} slow connections: {len(taken)} requests, "
                f"median {1000 * median:.1f} ms, 99% {1000 * high:.1f} ms, longest "
                f"{1000 * max(taken):.1f} ms; Caddy {mib} MiB"
            )
    for kind, seconds in closed.items():
        kept = f"closed after {max(seconds):.1f} s at most" if seconds else "kept"
        print(f"{KINDS[kind][1]} of {kind}: {kept}")
    return int(high >= LIMIT or mib > MAX_MIB)


if __name__ == "__main__":
    sys.exit(main())
