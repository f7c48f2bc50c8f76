"""All checks, and what they find together.

A part that is added is one more Check in the CHECKS of a module, and the module in MODULES.
"""

import logging
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from operations.health.finding import ORDER, Check, Finding, State, down
from operations.health.parts import background, backups, database, disk, ids

MODULES = (database, ids, disk, background, backups)
CHECKS: tuple[Check, ...] = tuple(check for module in MODULES for check in module.CHECKS)
KEPT_SECONDS = 5.0  # that the findings serve: whoever asks more often costs nothing

log = logging.getLogger(__name__)
_guard = threading.Lock()
_latest: "Health | None" = None


@dataclass(frozen=True)
class Health:
    """The parts in order with what was found, by the clock of this machine."""

    parts: list[tuple[Check, Finding]]
    asked_at: datetime
    began: float

    @property
    def state(self) -> State:
        """Down where a vital part is; else degraded where any part is not as it should be."""
        if any(check.is_vital and found.state == State.DOWN for check, found in self.parts):
            return State.DOWN
        if any(found.state != State.OK for _, found in self.parts):
            return State.DEGRADED
        return State.OK

    @property
    def wrong(self) -> list[tuple[Check, Finding]]:
        """The parts that somebody should look at, the worst first."""
        bad = [part for part in self.parts if part[1].state != State.OK]
        return sorted(bad, key=lambda part: -ORDER.index(part[1].state))


def health() -> Health:
    """How every part is; at most KEPT_SECONDS old, and asked once at a time in a process."""
    global _latest
    with _guard:
        if _latest is None or time.monotonic() - _latest.began > KEPT_SECONDS:
            _latest = ask_all()
        return _latest


def ask_all() -> Health:
    """Ask every part now. What needs a part that is down is not asked."""
    began, parts = time.monotonic(), list[tuple[Check, Finding]]()
    lost = set[str]()
    for check in CHECKS:
        if check.needs in lost:
            found = down(f"Not known while {check.needs} is down.", f"Mend {check.needs} first.")
        else:
            found = _ask(check)
        if found.state == State.DOWN:
            lost.add(check.name)
        parts.append((check, found))
    return Health(parts, datetime.now(UTC), began)


def _ask(check: Check) -> Finding:
    try:
        return check.ask()
    except Exception as fault:
        log.exception("The check %s failed", check.name)
        return down(
            f"Could not be asked: {type(fault).__name__}.", "Look at the log of this process."
        )
