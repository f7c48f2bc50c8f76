"""How long ordinary requests take while others send half a request and wait.

    python -m bench.slow_clients

The web server runs as the product runs it, without a proxy. 200 connections send half the headers,
or headers and half the body, and then a byte a second; each begins anew when the server closes it.
Meanwhile some ordinary clients ask for the first page of a study. Ends with 1 when the 99th
percentile of their waiting is a second or more.
"""

import asyncio
import sys
import time

import aiohttp
import numpy as np

from bench.site import making
from bench.site.running import HOST, scratch_database, web_server
from bench.slow_sending import attack
from judging.studies.underway import opening

SLOW, ORDINARY = 200, 4
SECONDS = 30.0
SETTLES = 3.0  # until the slow ones are there
LIMIT = 1.0


def open_study() -> str:
    """A study of one topic; its slug."""
    topics = {"401": [f"D{n}" for n in range(20)]}
    collection = making.make_collection(topics)
    making.add_documents(collection, topics["401"], 100)
    making.make_study(collection, topics, minimum_seconds=0)
    return opening.open_study(collection.slug).slug


async def ask(client: aiohttp.ClientSession, address: str, until: float) -> list[float]:
    """The seconds that each of many requests took, one after the other."""
    taken = []
    while time.monotonic() < until:
        begun = time.monotonic()
        async with client.get(address) as answer:
            await answer.read()
            answer.raise_for_status()
        taken.append(time.monotonic() - begun)
    return taken


async def measure(port: int, slug: str, slow: int) -> tuple[list[float], list[float]]:
    """What ordinary requests took, and how long slow connections were kept."""
    closed: list[float] = []
    attackers = attack(HOST, port, slow, closed)
    await asyncio.sleep(SETTLES)
    until = time.monotonic() + SECONDS
    address = f"http://{HOST}:{port}/study/{slug}/"
    async with aiohttp.ClientSession() as client:
        taken = await asyncio.gather(*(ask(client, address, until) for _ in range(ORDINARY)))
    for task in attackers:
        task.cancel()
    return [seconds for share in taken for seconds in share], closed


def main() -> int:
    """The exit status."""
    high = 0.0
    with scratch_database(), web_server() as port:
        slug = open_study()
        for slow in (0, SLOW):
            taken, closed = asyncio.run(measure(port, slug, slow))
            median, high = np.quantile(taken, [0.5, 0.99])
            print(
                f"{slow:3} slow connections: {len(taken)} requests, median {1000 * median:.1f} ms, "
                f"99% {1000 * high:.1f} ms, longest {1000 * max(taken):.1f} ms"
            )
            if closed:
                print(f"{len(closed)} slow connections closed after {max(closed):.1f} s at most")
    return int(high >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
