"""A light: a colour, and the sentence that says why."""

from dataclasses import dataclass
from enum import StrEnum


class Colour(StrEnum):
    """Green only if known to be fine; grey if nothing is known, or nothing is expected."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"
    GREY = "grey"


WORDS = {
    Colour.GREEN: "good",
    Colour.AMBER: "look",
    Colour.RED: "wrong",
}


@dataclass(frozen=True)
class StatusLight:
    """One light. anchor: where the monitor has what it is made of."""

    name: str
    colour: Colour
    sentence: str
    anchor: str
    grey: str = "not yet"  # why a grey one has no finding

    @property
    def word(self) -> str:
        """What the colour means, for whoever does not see it."""
        return WORDS.get(self.colour, self.grey)
