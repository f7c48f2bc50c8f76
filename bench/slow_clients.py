"""How long ordinary requests take while others send half a request and wait.

    python -m bench.slow_clients

The web server and Debian's Caddy before it run as the product runs them. Hundreds of connections
send half a request, and then a byte a second (`bench.slow_sending`); each begins anew when Caddy
closes it. Meanwhile some ordinary clients ask for the first page of a study. Ends with 1 when the
99th percentile of their waiting is a second or more, or when Caddy takes more memory than its
container has.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
import psutil

from bench.site import making
from bench.site.running import scratch_database, web_server
from bench.slow_sending import KINDS, attack
from judging.studies.conduct import opening
from tests.production.servers import Proxy, proxy

ORDINARY = 4
SECONDS = 30.0
SETTLES = 5.0  # until the slow ones are there
LIMIT = 1.0
MAX_MIB = 512


def open_study() -> str:
    """A study of one topic; its slug."""
    topics = {"401": [f"D{n}" for n in range(20)]}
    collection = making.make_collection(topics)
    making.add_documents(collection, topics["401"], 100)
    making.make_study(collection, topics, minimum_seconds=0)
    return opening.open_study(collection.slug).slug


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
    high, closed = 0.0, {kind: [] for kind in KINDS}
    with (
        tempfile.TemporaryDirectory() as folder,
        scratch_database(),
        web_server() as port,
        proxy(Path(folder), [port]) as front,
    ):
        slug = open_study()
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
