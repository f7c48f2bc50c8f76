"""What a check finds."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Of a part, and of the whole site."""

    OK = "ok"
    DEGRADED = "degraded"  # somebody should look; workers are served
    DOWN = "down"


ORDER = list(State)


@dataclass(frozen=True)
class Finding:
    """How a part is, in a sentence, and what to do about it. Neither says anything of a person."""

    state: State
    says: str
    mend: str = ""


@dataclass(frozen=True)
class Check:
    """A part of the site, and how it is asked.

    needs: the name of a part before it; while that one is down, this one cannot be asked.
    is_vital: workers cannot be served without it, so that where it is down the site is.
    """

    name: str
    title: str
    ask: Callable[[], Finding]
    needs: str = ""
    is_vital: bool = False


def well(says: str) -> Finding:
    """All is as it should be."""
    return Finding(State.OK, says)


def degraded(says: str, mend: str) -> Finding:
    """Somebody should look."""
    return Finding(State.DEGRADED, says, mend)


def down(says: str, mend: str) -> Finding:
    """It does not do its work."""
    return Finding(State.DOWN, says, mend)
