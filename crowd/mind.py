"""What an artificial worker does on each page that they come to."""

from collections.abc import Sequence
from dataclasses import dataclass

from crowd.model import FASTEST, Pair, Person, draws, written
from crowd.reasons import reason

LEAVES = 0.01  # on any page before the first Finish
LEAVES_AT_FAILURE = 0.10  # when told for the first time to revise
GIVES_UP = 10  # failed Finishes, as with anchors that are the wrong way round
FAILS_PRACTICE, FAILS_QUESTION = 0.05, 0.10
HURRIES = 0.02  # in a unit, on some of its documents
STEPS_BACK = (0.9837, 0.015, 0.0013)  # the chances of none, one and two before the first Finish
GLANCE = (2.0, 6.0)  # seconds on a page seen before
PREPARATION = (5.0, 20.0)  # seconds on a page without a document
MARGIN = 0.2  # seconds more than what is missing


@dataclass(frozen=True)
class Unit:
    """What there is to know about a unit in hand: documents in the order in which they come."""

    query_id: str
    answer: str
    pairs: Sequence[Pair]


@dataclass(frozen=True)
class Sight:
    """A page as a worker sees it; `buttons` are the values of `action` that it offers."""

    step: str
    buttons: Sequence[str] = ()
    line: float = 0.0  # its length, on a practice page that draws one
    position: int = 0


@dataclass(frozen=True)
class Act:
    """What a worker does on a page: how long they stay, what they type, what they press."""

    seconds: float
    action: str
    score: str = ""
    justification: str = ""
    answer: str = ""


class Mind:
    """The mind of one artificial worker, from Welcome until they go home.

    minimum: the study's minimum seconds on a document, as this worker counts seconds; levels: how
    many its scale has, 0 where scores are magnitudes.
    """

    def __init__(self, person: Person, minimum: float = FASTEST, levels: int = 0) -> None:
        self.person = person
        self.minimum = minimum
        self.levels = levels
        self.completed = 0
        self._begun = 0
        self._begin()

    def _begin(self) -> None:
        """Set out on a unit: what will happen by their own doing is settled here."""
        self.draw = draws(self.person.seed, self.person.number, "unit", self._begun)
        self._begun += 1
        self.attempt = 0  # counts failed finishes
        self.spent: dict[int, float] = {}
        self._fails_practice = self.draw.random() < FAILS_PRACTICE
        self._fails_question = self.draw.random() < FAILS_QUESTION
        self._hurries = self.draw.random() < HURRIES
        self._steps_back = int(self.draw.choice(3, p=STEPS_BACK))

    def act(self, sight: Sight, unit: Unit | None = None) -> Act | None:
        """What they do on a page; None: they go home. `unit` is known from the topic on."""
        if sight.step in ("done", "failed", "left"):
            return self._go_on(sight)
        if self._leaves(sight):
            return Act(self._some(PREPARATION), "leave")
        if sight.step == "practice" and sight.line:
            return Act(self._some(PREPARATION), "next", score=self._measure(sight.line))
        if sight.step == "topic" and unit:
            return Act(self._some(PREPARATION), "continue", answer=unit.answer)
        if sight.step == "document" and unit:
            return self._judge(sight, unit)
        if sight.step == "check":
            return Act(self._some(GLANCE), "finish")
        if sight.step == "revise":
            self.attempt += 1
            return Act(self._some(GLANCE), "back")
        if sight.step in ("welcome", "practice", "instructions"):
            return Act(self._some(PREPARATION), "continue")
        return None

    def chooses(self, options: Sequence[str], right: str) -> str:
        """The option they choose on the question: the right one, or, who fails, another."""
        wrong = [option for option in options if option != right]
        return str(self.draw.choice(wrong)) if self._fails_question else right

    def _leaves(self, sight: Sight) -> bool:
        """Whether they have had enough. Who begins to revise does not soon give up any more."""
        if "leave" not in sight.buttons or self.attempt:
            return "leave" in sight.buttons and self.attempt >= GIVES_UP
        chance = LEAVES_AT_FAILURE if sight.step == "revise" else LEAVES
        return bool(self.draw.random() < chance)

    def _some(self, bounds: tuple[float, float]) -> float:
        return float(self.draw.uniform(*bounds))

    def _go_on(self, sight: Sight) -> Act | None:
        """Another unit, until they have done what they came for."""
        self.completed += sight.step == "done"
        if self.completed >= self.person.units or "again" not in sight.buttons:
            return None
        self._begin()
        return Act(self._some(PREPARATION), "again")

    def _measure(self, line: float) -> str:
        """A number for a line; in the wrong order from who fails."""
        seen = line * self.draw.lognormal(0, 0.03)
        return written(round(1e4 / seen if self._fails_practice else seen, 1))

    def _judge(self, sight: Sight, unit: Unit) -> Act:
        pair = unit.pairs[sight.position - 1]
        return Act(
            self._time_on(sight.position, pair),
            self._button(sight, len(unit.pairs)),
            score=self._score(pair),
            justification=reason(self.person, pair),
        )

    def _score(self, pair: Pair) -> str:
        if self.levels:
            return self.person.level(pair, self.attempt, self.levels)
        return self.person.score(pair, self.attempt)

    def _time_on(self, position: int, pair: Pair) -> float:
        """Seconds to stay. After a failed Finish what was missing is made up for."""
        if position not in self.spent:
            hurried = self._hurries and self.draw.random() < 0.5
            stays = self._some((3.0, FASTEST)) if hurried else self.person.seconds(pair)
        else:
            stays = self._some(GLANCE)
            if self.attempt:
                stays = max(stays, self.minimum - self.spent[position] + MARGIN)
        self.spent[position] = self.spent.get(position, 0.0) + stays
        return stays

    def _button(self, sight: Sight, last: int) -> str:
        """Next to the end; after a failed Finish back to the first page, and Finish there."""
        if self.attempt:
            return "back" if sight.position > 1 else "finish"
        if self._steps_back and sight.position > 1 and self._is_time_to_step_back(last):
            self._steps_back -= 1
            return "back"
        return "next" if sight.position < last or "next" in sight.buttons else "finish"

    def _is_time_to_step_back(self, last: int) -> bool:
        """Somewhere on the way, and at the latest on the last page."""
        return len(self.spent) == last or self.draw.random() < 1 / last
