import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from operations.health import background, backups, database, disk
from web.findings import ORDER, Finding, State, down

CACHE_SECONDS = 5.0  # for which findings are reused
MAX_WAIT = 3.0  # seconds, for a thread that checks

log = logging.getLogger(__name__)
_guard = threading.Lock()
_latest: "Health | None" = None


class Check(NamedTuple):
    """A part of the site and its check.

    needs: an earlier part; while it is down, this check is not run. is_vital: workers cannot be
    served without it: if it is down, the site is.
    """

    name: str
    title: str
    run: Callable[[], Finding]
    needs: str = ""
    is_vital: bool = False


CHECKS = (
    Check("database", "Database", database.database, is_vital=True),
    Check("connections", "Connections", database.connections, needs="database"),
    Check("limits", "Limits of statements", database.limits, needs="database"),
    Check("clock", "Clocks", database.clocks, needs="database"),
    Check("keys", "Keys of platforms' ids", database.keys, needs="database"),
    Check("disk", "Disk", disk.disk),
    Check("redis", "Redis", background.redis),
    Check("queues", "Queues", background.queues, needs="redis"),
    Check("workers", "Workers", background.workers, needs="redis"),
    Check("expiry", "Clock's tick", background.expiry, needs="database"),
    Check("rankings", "Rankings", background.rankings, needs="database"),
    Check("backups", "Backups", backups.backups, needs="database"),
    Check("record", "Record beside the backups", backups.record, needs="database"),
)


@dataclass(frozen=True)
class Health:
    """The parts in order with their findings, and the time by this machine's clock."""

    parts: list[tuple[Check, Finding]]
    checked_at: datetime
    started_at: float

    @property
    def state(self) -> State:
        """Down if a vital part is; else degraded if any part is wrong."""
        if any(check.is_vital and finding.state == State.DOWN for check, finding in self.parts):
            return State.DOWN
        return State.DEGRADED if self.problems else State.OK

    @property
    def problems(self) -> list[tuple[Check, Finding]]:
        """The worst first."""
        problems = [part for part in self.parts if part[1].is_wrong]
        return sorted(problems, key=lambda part: -ORDER.index(part[1].state))


def current_health() -> Health:
    """At most CACHE_SECONDS old; one thread at a time checks.

    That thread waits for as long as PostgreSQL stands still. Others then learn from the vital
    checks alone, which wait for nothing.
    """
    global _latest
    if not _guard.acquire(timeout=MAX_WAIT):
        return run_checks(only_vital=True)
    try:
        if _latest is None or time.monotonic() - _latest.started_at > CACHE_SECONDS:
            _latest = run_checks()
        return _latest
    finally:
        _guard.release()


def run_checks(*, only_vital: bool = False) -> Health:
    """Without those that need a part that is down."""
    started_at, parts = time.monotonic(), list[tuple[Check, Finding]]()
    down_parts = set[str]()
    for check in CHECKS:
        if only_vital and not check.is_vital:
            finding = down(
                f"Not known: the checks take more than {MAX_WAIT:g} s.",
                "Mend the parts that are down first, else look at what waits in PostgreSQL.",
            )
        elif check.needs in down_parts:
            finding = down(f"Not known while {check.needs} is down.", f"Mend {check.needs} first.")
        else:
            finding = _run_check(check)
        if finding.state == State.DOWN:
            down_parts.add(check.name)
        parts.append((check, finding))
    return Health(parts, datetime.now(UTC), started_at)


def _run_check(check: Check) -> Finding:
    try:
        finding = check.run()
    except Exception as fault:
        log.exception("The check %s failed", check.name)
        return down(
            f"Could not be asked: {type(fault).__name__}.", "Look at the log of this process."
        )
    # A part that had nothing to do yet is well.
    return replace(finding, state=State.OK) if finding.state == State.UNKNOWN else finding
