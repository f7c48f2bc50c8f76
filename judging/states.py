"""The states of an assignment, and the one table of moves between them.

An assignment is one worker's attempt at one unit. `flow` checks every change
of state by this table, and docs/assignment-states.md is drawn from it.
"""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    PRACTICE = "practice"
    INSTRUCTIONS = "instructions"
    TOPIC = "topic"
    JUDGING = "judging"
    REVISING = "revising"
    COMPLETED = "completed"
    FAILED = "failed"
    LEFT = "left"
    EXPIRED = "expired"
    EXHAUSTED = "exhausted"
    RELEASED = "released"
    RETURNED = "returned"
    WITHDRAWN = "withdrawn"


class Actor(StrEnum):
    WORKER = "worker"
    TICK = "tick"
    TEAM = "team"
    PLATFORM = "platform"
    MODEL = "model"


@dataclass(frozen=True)
class Transition:
    move: str
    source: State | None  # None: the assignment begins
    target: State
    by: Actor
    when: str


class NotPermitted(Exception):
    """The table has no such move from this state."""


S = State
LIVE = (S.PRACTICE, S.INSTRUCTIONS, S.TOPIC, S.JUDGING, S.REVISING)
AT_DOCUMENTS = (S.JUDGING, S.REVISING)
# A unit belongs to at most one assignment in these states.
OCCUPYING = (*LIVE, S.COMPLETED)
# Passed both checks, and is paid whatever later happens to the data.
PAID = (S.COMPLETED, S.WITHDRAWN)

WORKER, TICK, TEAM, PLATFORM, MODEL = Actor

TRANSITIONS = (
    Transition("admit", None, S.PRACTICE, WORKER, "agrees on Welcome, or starts again"),
    Transition("admit", None, S.INSTRUCTIONS, WORKER, "the same, having practised before"),
    Transition("admit", None, S.TOPIC, WORKER, "the same, having passed a whole unit"),
    Transition("practise", S.PRACTICE, S.PRACTICE, WORKER, "read the text, or a line to come"),
    Transition("practise", S.PRACTICE, S.INSTRUCTIONS, WORKER, "the numbers rise"),
    Transition("practise", S.PRACTICE, S.FAILED, WORKER, "check (a) fails"),
    Transition("read", S.INSTRUCTIONS, S.TOPIC, WORKER, "continues"),
    Transition("answer", S.TOPIC, S.JUDGING, WORKER, "the right option"),
    Transition("answer", S.TOPIC, S.TOPIC, WORKER, "check (b) fails, and a try is left"),
    Transition("answer", S.TOPIC, S.FAILED, WORKER, "check (b) fails for the last time"),
    Transition("judge", S.JUDGING, S.JUDGING, WORKER, "next, back, or another page opened"),
    Transition("judge", S.REVISING, S.REVISING, WORKER, "next, back, or another page opened"),
    Transition("finish", S.JUDGING, S.COMPLETED, WORKER, "checks (c) and (d) pass"),
    Transition("finish", S.JUDGING, S.REVISING, WORKER, "check (c) or (d) fails"),
    Transition("finish", S.JUDGING, S.EXHAUSTED, WORKER, "the last Finish allowed fails"),
    Transition("finish", S.REVISING, S.COMPLETED, WORKER, "checks (c) and (d) pass"),
    Transition("finish", S.REVISING, S.REVISING, WORKER, "check (c) or (d) fails"),
    Transition("finish", S.REVISING, S.EXHAUSTED, WORKER, "the last Finish allowed fails"),
    *(Transition("leave", s, S.LEFT, WORKER, "leaves") for s in LIVE),
    Transition(
        *("leave", S.REVISING, S.EXHAUSTED, WORKER),
        "leaves, with all answers, where that is paid",
    ),
    *(Transition("expire", s, S.EXPIRED, TICK, "too long without activity") for s in LIVE),
    *(
        Transition("release", state, S.RELEASED, TEAM, "somebody else is to have the unit")
        for state in LIVE
    ),
    *(
        Transition("return", state, S.RETURNED, PLATFORM, "returned or timed out there")
        for state in LIVE
    ),
    Transition("withdraw", S.COMPLETED, S.WITHDRAWN, TEAM, "the worker asks for it"),
    Transition("judge all", None, S.COMPLETED, MODEL, "every document has an answer"),
    Transition("judge all", None, S.EXHAUSTED, MODEL, "some document has no answer"),
    Transition("take back", S.COMPLETED, S.WITHDRAWN, WORKER, "types its code"),
)

_TARGETS: dict[tuple[str, str | None, str], set[State]] = {}
for _t in TRANSITIONS:
    _TARGETS.setdefault((_t.move, _t.source, _t.by), set()).add(_t.target)


def targets(move: str, source: str | None, by: str) -> set[State]:
    """The states that `move` may lead to from `source` when `by` makes it; empty: not permitted."""
    return _TARGETS.get((move, source, by), set())


def check(move: str, source: str | None, target: str, by: str) -> None:
    """Raise `NotPermitted` unless the table has this move."""
    if target not in targets(move, source, by):
        raise NotPermitted(f"{by} may not {move} from {source} to {target}")


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2"]
    for t in TRANSITIONS:
        lines.append(f"    {t.source or '[*]'} --> {t.target}: {t.move} ({t.by}) - {t.when}")
    ends = [state for state in State if not any(t.source == state for t in TRANSITIONS)]
    lines += [f"    {state} --> [*]" for state in ends]
    return "\n".join(lines)
