"""A card of the overview: a question, the finding that answers it, and how sure that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from evaluation.cache.stored import CachedResult
from magnitudes.comparison.significant_pairs import SURE

NO_NUMBERS: Mapping[str, Any] = {}
NOTHING = SafeString()


class Light(Enum):
    """How sure a finding is: its word, and the sign before it, which no colour has to tell.

    SURE is of a test's finding alone: see `of_test`, and `cards.limits` for what it takes more.
    """

    SURE = "sure", "●"
    OPEN = "not sure", "○"
    WELL = "going well", "●"
    DONE = "done", "●"
    LOOK = "look", "▲"
    EARLY = "too early", "○"
    WRONG = "wrong", "■"
    GOING = "in progress", "◔"
    NONE = "nothing to compare", "–"
    WAIT = "being computed", "◌"

    def __init__(self, word: str, sign: str) -> None:
        self.word = word
        self.sign = sign

    @property
    def colour(self) -> str:
        """As the lights of the monitor have theirs."""
        return {
            "SURE": "green",
            "WELL": "green",
            "DONE": "green",
            "LOOK": "amber",
            "WRONG": "red",
        }.get(self.name, "grey")


def of_test(p: float | None) -> Light:
    """The light of a finding by the p of its test, adjusted; None: there is no test.

    >>> of_test(0.004).word, of_test(0.01).word, of_test(None).word
    ('sure', 'not sure', 'not sure')
    """
    return Light.SURE if p is not None and p < SURE else Light.OPEN


class Link(NamedTuple):
    """A way down: what it leads to, and its address."""

    words: str
    address: str


@dataclass(frozen=True)
class Card:
    """One of the answers of the overview.

    finding: a sentence, without its full stop. number: the one that matters, with `around` for its
    interval. more: a second sentence, short. why: how sure the finding is, and what that rests on.
    """

    name: str  # in addresses
    title: str
    finding: str
    light: Light
    why: str = ""
    number: str = ""
    around: str = ""
    rows: str = field(default="", kw_only=True)  # the address of what the number is made of
    more: str = ""
    picture: SafeString = NOTHING
    links: tuple[Link, ...] = ()


class Lacking(LookupError):
    """What older code kept of an analysis, which this names, lacks a number."""


class Numbers(dict[str, Any]):
    """The numbers of one analysis, which say whose they are when one is not among them."""

    def __init__(self, name: str, numbers: Mapping[str, Any]) -> None:
        super().__init__(numbers)
        self.name = name

    def __missing__(self, key: str) -> Any:
        raise Lacking(self.name)


class Kept(NamedTuple):
    """What is kept of the analyses that cards rest on, by name."""

    cached: Mapping[str, CachedResult]

    def numbers(self, name: str) -> Mapping[str, Any]:
        """Those of an analysis; none where it is not computed, or not for this study."""
        return Numbers(name, self.cached[name].row.numbers) if name in self.cached else NO_NUMBERS

    def is_there(self, name: str) -> bool:
        """Whether an analysis has been computed."""
        return name in self.cached and self.cached[name].row.computed_at is not None

    def is_current(self, name: str) -> bool:
        """Whether what is kept of an analysis is of today's data and settings."""
        return name in self.cached and self.cached[name].current

    def says(self, name: str) -> str:
        """The finding of an analysis, or why it has none."""
        if name not in self.cached:
            return ""
        row = self.cached[name].row
        return row.finding or row.fault

    def waits(self, name: str) -> bool:
        """Whether it is still to be computed for the first time."""
        return name in self.cached and not self.is_there(name) and self.cached[name].waits


def possible_tau(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """The interval of a tau, cut at what it can be; unknown ends stay so.

    >>> possible_tau(0.8, 1.2), possible_tau(None, None)
    ((0.8, 1.0), (None, None))
    """
    return None if low is None else max(low, -1.0), None if high is None else min(high, 1.0)


def to_two(value: float) -> str:
    """A number as cards have it.

    >>> to_two(0.3475), to_two(-0.001)
    ('0.35', '0.00')
    """
    return f"{value:.2f}".replace("-0.00", "0.00")


def span(low: float | None, high: float | None) -> str:
    """An interval as cards have it; empty where there is none.

    >>> span(0.315, 0.374), span(None, None)
    ('0.32 to 0.37', '')
    """
    return "" if low is None or high is None else f"{to_two(low)} to {to_two(high)}"
