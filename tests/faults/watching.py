"""What health says all the while, asked as the proxy and a monitor ask it."""

import http.client
import json
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass

PAUSES = {"/readyz": 0.4, "/status": 1.5}  # seconds between two questions
USUAL = {"backups"}  # parts that are not well and need not be: nobody makes a backup
PATIENCE = 10.0  # seconds after which a monitor asks anew


@dataclass(frozen=True)
class Sight:
    """One answer of health, or none; moments are those of time.monotonic."""

    path: str
    began: float
    ended: float
    code: int | None  # None: no answer came, for the reason that `says` has
    says: str = ""
    wrong: tuple[str, ...] = ()  # parts that are not as they should be, of /status

    @property
    def seconds(self) -> float:
        return self.ended - self.began


class Watcher(threading.Thread):
    """Asks one address again and again, until it is told to stop."""

    def __init__(self, port: int, path: str) -> None:
        super().__init__(daemon=True, name=f"watching {path}")
        self.port, self.path = port, path
        self.sights: list[Sight] = []
        self._stopped = threading.Event()

    def run(self) -> None:
        while not self._stopped.wait(PAUSES[self.path]):
            self.sights.append(look(self.port, self.path))

    def stop(self) -> None:
        self._stopped.set()
        if self.is_alive():
            self.join(PATIENCE)

    def since(self, moment: float) -> list[Sight]:
        found = []
        for sight in reversed(self.sights[:]):
            if sight.began < moment:
                break
            found.append(sight)
        return found[::-1]


def look(port: int, path: str) -> Sight:
    began = time.monotonic()
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        client.request("GET", path)
        answer = client.getresponse()
        said = answer.read().decode()
    except (OSError, http.client.HTTPException) as fault:
        return Sight(path, began, time.monotonic(), None, repr(fault))
    finally:
        client.close()
    return Sight(path, began, time.monotonic(), answer.status, said, _wrong(path, said))


def _wrong(path: str, said: str) -> tuple[str, ...]:
    if path != "/status":
        return ()
    try:
        parts = json.loads(said)["parts"]
    except (ValueError, KeyError):  # an error's page
        return ("status",)
    return tuple(name for name, part in parts.items() if part["state"] != "ok")


class Watch:
    """Both addresses, watched."""

    def __init__(self, port: int) -> None:
        self.ready = Watcher(port, "/readyz")
        self.status = Watcher(port, "/status")

    def start(self) -> None:
        self.ready.start()
        self.status.start()

    def stop(self) -> None:
        self.ready.stop()
        self.status.stop()

    @property
    def sights(self) -> list[Sight]:
        return [*self.ready.sights, *self.status.sights]

    def has_told(self, since: float, ready: bool | None, told_by: Collection[str]) -> bool:
        """Whether health has said since a moment what it has to say."""
        if ready is False and not any(s.code == 503 for s in self.ready.since(since)):
            return False
        return not told_by or any(set(told_by) & set(s.wrong) for s in self.status.since(since))

    def amiss(self, since: float) -> str:
        """What the latest answers, asked since a moment, say is not well; empty if all is."""
        ready, status = self.ready.since(since), self.status.since(since)
        if not (ready and status):
            return "health was not asked yet"
        if ready[-1].code != 200 or status[-1].code != 200:
            return f"/readyz answers {ready[-1].code}, /status {status[-1].code}"
        unusual = set(status[-1].wrong) - USUAL
        return f"/status tells of {', '.join(sorted(unusual))}" if unusual else ""
