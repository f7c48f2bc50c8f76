"""A card of the overview: a question, the finding that answers it, and how sure that is."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString

from evaluation.cache.stored import CachedResult
from judging.models import Study
from judging.monitoring.watch import Lights
from judging.studies.table_one import Pay
from magnitudes.comparison.significant_pairs import SURE, SignificantPairs, Verdict
from magnitudes.comparison.top_set import LEAST_TOPICS

NOTHING = SafeString()


class State(Enum):
    """How sure a finding is: its word, and the sign before it, which no colour has to tell.

    SURE is of a test's finding alone: see `of_test`, and `cards.limits` for what it takes more.
    """

    SURE = "sure", "●", "green"
    OPEN = "not sure", "○"
    WELL = "going well", "●", "green"
    DONE = "done", "●", "green"
    CHECK = "check", "▲", "amber"
    EARLY = "too early", "○"
    WRONG = "wrong", "■", "red"
    GOING = "in progress", "◔"
    NONE = "nothing to compare", "–"
    WAIT = "being computed", "◌"

    def __init__(self, word: str, sign: str, colour: str = "grey") -> None:
        self.word = word
        self.sign = sign
        self.colour = colour  # as the lights of the monitor have theirs


def of_test(p: float | None) -> State:
    """The state of a finding by the p of its test, adjusted; None: there is no test.

    >>> of_test(0.004).word, of_test(0.01).word, of_test(None).word
    ('sure', 'not sure', 'not sure')
    """
    return State.SURE if p is not None and p < SURE else State.OPEN


class Link(NamedTuple):
    """A way down: what it leads to, and its address."""

    words: str
    address: str


@dataclass(frozen=True)
class Card:
    """One of the answers of the overview.

    headline: a sentence, without its full stop. number: the one that matters; interval: that and
    what else stands behind it. more: a second sentence, short. why: how sure the finding is, and
    what that rests on. rows: the address of what the number is made of.
    """

    name: str  # in addresses
    title: str
    headline: str
    state: State
    number: str = ""
    interval: str = ""
    more: str = ""
    why: str = ""
    picture: SafeString = NOTHING
    links: tuple[Link, ...] = ()
    rows: str = ""


class Standing(NamedTuple):
    """What is known of the order of systems: the headline, and what it rests on."""

    verdict: Verdict
    told: SignificantPairs | None = None  # None: the test is not computed yet
    critical: float | None = None  # two means differ by it, in the measure that systems go by

    @property
    def is_early(self) -> bool:
        """Whether nothing can be said of the order yet."""
        return not self.verdict.beside or self.told is None or self.told.topics < LEAST_TOPICS


class Lacking(LookupError):
    """What older code kept of an analysis, which this names, lacks a number."""


class Numbers(dict[str, Any]):
    """The numbers of one analysis, which say whose they are when one is not among them."""

    def __init__(self, name: str, numbers: Mapping[str, Any]) -> None:
        super().__init__(numbers)
        self.name = name

    def __missing__(self, key: str) -> Any:
        raise Lacking(self.name)


@dataclass(frozen=True)
class Inputs:
    """What the cards of a study are made of.

    cached: its analyses by name. ranking: the systems by the study's own measure and gains.
    label_set: the labels that the crowd is held against. watched, pay: what the monitor says, and
    what units cost; None of what was judged elsewhere. still_open: units that are not done while
    people judge. standing: None where there are no systems.
    """

    study: Study
    cached: Mapping[str, CachedResult]
    ranking: Mapping[str, Any]
    label_set: str = ""
    watched: Lights | None = None
    pay: Pay | None = None
    still_open: int = 0
    standing: Standing | None = None

    @property
    def is_early(self) -> bool:
        """Whether nothing can be said of the order of systems yet."""
        return bool(self.standing and self.standing.is_early)

    def numbers(self, name: str) -> Numbers:
        """Those of an analysis; none where it is not computed, or not for this study."""
        return Numbers(name, self.cached[name].row.numbers if name in self.cached else {})

    def is_there(self, name: str) -> bool:
        """Whether an analysis has been computed."""
        return name in self.cached and self.cached[name].row.computed_at is not None

    def is_current(self, name: str) -> bool:
        """Whether what is kept of an analysis is of today's data and settings."""
        return name in self.cached and self.cached[name].current

    def waits(self, name: str) -> bool:
        """Whether it is still to be computed for the first time."""
        return name in self.cached and not self.is_there(name) and self.cached[name].waits

    def says(self, name: str) -> str:
        """The finding of an analysis, or why it has none."""
        row = self.cached[name].row if name in self.cached else None
        return (row.finding or row.fault) if row else ""

    def without_number(
        self, name: str, otherwise: str, early: State = State.EARLY
    ) -> tuple[str, State]:
        """What a card says as long as an analysis has no number for it, and its state."""
        return self.says(name) or otherwise, State.WAIT if self.waits(name) else early

    def link(self, words: str, page: str, *names: str, end: str = "") -> Link:
        """To a page of the study."""
        return Link(words, reverse(page, args=[self.study.slug, *names]) + end)

    def to_analyses(self, **words: str) -> tuple[Link, ...]:
        """words: of each link, by the name of the analysis that it leads to."""
        return tuple(self.link(text, "analysis", name) for name, text in words.items())


Value = tuple[float, float | None, float | None]  # a number and the ends of its interval


def possible_tau(tau: float, low: float | None, high: float | None) -> Value:
    """A tau and its interval, cut at what it can be; unknown ends stay so.

    >>> possible_tau(0.9, 0.8, 1.2), possible_tau(1.0, None, None)
    ((0.9, 0.8, 1.0), (1.0, None, None))
    """
    return tau, None if low is None else max(low, -1.0), None if high is None else min(high, 1.0)


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
