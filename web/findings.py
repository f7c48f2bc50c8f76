from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"  # somebody should look; workers are served
    DOWN = "down"
    UNKNOWN = "unknown"  # nothing is known yet, or nothing is expected


ORDER = list(State)  # also the numbers of the metrics
LAMPS = {
    State.OK: ("green", "good"),
    State.DEGRADED: ("amber", "check"),
    State.DOWN: ("red", "wrong"),
    State.UNKNOWN: ("grey", "not yet"),
}


@dataclass(frozen=True)
class Finding:
    """The state of something by name, in a sentence without personal data.

    mend: how to repair it; link: where to do or see that; unknown: the word for an unknown state.
    """

    state: State
    sentence: str
    mend: str = ""
    link: str = ""
    name: str = ""
    unknown: str = LAMPS[State.UNKNOWN][1]

    @property
    def colour(self) -> str:
        return LAMPS[self.state][0]

    @property
    def word(self) -> str:
        return self.unknown if self.state == State.UNKNOWN else LAMPS[self.state][1]

    @property
    def is_wrong(self) -> bool:
        return self.state in (State.DEGRADED, State.DOWN)


def ok(sentence: str) -> Finding:
    return Finding(State.OK, sentence)


def degraded(sentence: str, mend: str) -> Finding:
    return Finding(State.DEGRADED, sentence, mend)


def down(sentence: str, mend: str) -> Finding:
    return Finding(State.DOWN, sentence, mend)
