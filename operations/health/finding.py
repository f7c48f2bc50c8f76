"""Checks and their findings."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The state of a part, or of the site."""

    OK = "ok"
    DEGRADED = "degraded"  # somebody should look; workers are served
    DOWN = "down"


ORDER = list(State)


@dataclass(frozen=True)
class Finding:
    """The state of a part, in a sentence, and how to mend it; without personal data."""

    state: State
    sentence: str
    mend: str = ""


@dataclass(frozen=True)
class Check:
    """A part of the site and its check.

    needs: the name of an earlier part; while it is down, this check is not run.
    is_vital: workers cannot be served without it: if it is down, the site is.
    """

    name: str
    title: str
    run: Callable[[], Finding]
    needs: str = ""
    is_vital: bool = False


def ok(sentence: str) -> Finding:
    return Finding(State.OK, sentence)


def degraded(sentence: str, mend: str) -> Finding:
    return Finding(State.DEGRADED, sentence, mend)


def down(sentence: str, mend: str) -> Finding:
    return Finding(State.DOWN, sentence, mend)
