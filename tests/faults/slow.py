"""Clients by the hundred that send half a request and wait."""

import asyncio
import threading
from random import Random

from bench.slow_sending import attack
from tests.faults.fault import Fault, Make
from tests.faults.site import Site

MANY = 400


class SlowClients(Fault):
    """Nobody else notices."""

    lasts = 10.0, 14.0
    ready = True

    def __init__(self, site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.over = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self._attack()), daemon=True)

    def begin(self) -> str:
        """Let them come."""
        self.thread.start()
        return f"{MANY} slow clients"

    def end(self) -> None:
        """Send them away."""
        self.over.set()
        self.thread.join()

    async def _attack(self) -> None:
        tasks = attack("127.0.0.1", self.site.port, MANY, [])
        while not self.over.is_set():
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


KINDS: dict[str, Make] = {"slow clients": SlowClients}
