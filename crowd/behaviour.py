from collections.abc import Sequence
from dataclasses import dataclass

from crowd.model import MIN_SECONDS, Pair, Person, cuts, draws, written
from crowd.reasons import reason

LEAVE_CHANCE = 0.01  # on any page before the first Finish
LEAVE_CHANCE_AT_FAILURE = 0.10  # on the first page that asks to revise
MAX_FAILED_FINISHES = 10  # as with anchors that are the wrong way round
PRACTICE_FAILURE_CHANCE, QUESTION_FAILURE_CHANCE = 0.05, 0.10
HURRY_CHANCE = 0.02  # in a unit, on some of its documents
STEP_BACK_CHANCES = (0.9837, 0.015, 0.0013)  # of none, one and two before the first Finish
REVISIT_SECONDS = (2.0, 6.0)  # on a page seen before
PREPARATION_SECONDS = (5.0, 20.0)  # on a page without a document
EXTRA_SECONDS = 0.2  # beyond what is missing


@dataclass(frozen=True)
class Unit:
    query_id: str
    answer: str
    pairs: Sequence[Pair]


@dataclass(frozen=True)
class PageView:
    """A page as a worker sees it; `buttons` are the values of `action` that it offers."""

    step: str
    buttons: Sequence[str] = ()
    line: float = 0.0  # its length, on a practice page that draws one
    position: int = 0


@dataclass(frozen=True)
class Action:
    seconds: float
    action: str
    score: str = ""
    justification: str = ""
    answer: str = ""


class Behaviour:
    """What one artificial worker does, from Welcome until they leave.

    minimum: the study's minimum seconds on a document, by this worker's clock; levels: of its
    scale, 0 where scores are magnitudes.
    """

    def __init__(self, person: Person, minimum: float = MIN_SECONDS, levels: int = 0) -> None:
        self.person, self.minimum, self.levels = person, minimum, levels
        self.completed = 0
        self._units_begun = 0
        self._begin_unit()

    def _begin_unit(self) -> None:
        self.draw = draws(self.person.seed, self.person.number, "unit", self._units_begun)
        self._units_begun += 1
        self.attempt = 0  # counts failed finishes
        self.spent: dict[int, float] = {}
        self._fails_practice = self.draw.random() < PRACTICE_FAILURE_CHANCE
        self._fails_question = self.draw.random() < QUESTION_FAILURE_CHANCE
        self._hurries = self.draw.random() < HURRY_CHANCE
        self._steps_back = int(self.draw.choice(3, p=STEP_BACK_CHANCES))

    def act(self, page: PageView, unit: Unit | None = None) -> Action | None:
        """None: they leave. `unit` is given from the topic on."""
        if page.step in ("done", "failed", "left"):
            return self._next_unit(page)
        if self._leaves(page):
            return Action(self._between(PREPARATION_SECONDS), "leave")
        if page.step == "practice" and page.line:
            return Action(
                self._between(PREPARATION_SECONDS), "next", score=self._measure(page.line)
            )
        if page.step == "topic" and unit:
            return Action(self._between(PREPARATION_SECONDS), "continue", answer=unit.answer)
        if page.step == "document" and unit:
            return self._judge(page, unit)
        if page.step == "check":
            return Action(self._between(REVISIT_SECONDS), "finish")
        if page.step == "revise":
            self.attempt += 1
            return Action(self._between(REVISIT_SECONDS), "back")
        if page.step in ("welcome", "practice", "instructions"):
            return Action(self._between(PREPARATION_SECONDS), "continue")
        return None

    def choose_option(self, options: Sequence[str], right: str) -> str:
        wrong = [option for option in options if option != right]
        return str(self.draw.choice(wrong)) if self._fails_question else right

    def _leaves(self, page: PageView) -> bool:
        if "leave" not in page.buttons or self.attempt:
            return "leave" in page.buttons and self.attempt >= MAX_FAILED_FINISHES
        chance = LEAVE_CHANCE_AT_FAILURE if page.step == "revise" else LEAVE_CHANCE
        return bool(self.draw.random() < chance)

    def _between(self, bounds: tuple[float, float]) -> float:
        return float(self.draw.uniform(*bounds))

    def _next_unit(self, page: PageView) -> Action | None:
        self.completed += page.step == "done"
        if self.completed >= self.person.units or "again" not in page.buttons:
            return None
        self._begin_unit()
        return Action(self._between(PREPARATION_SECONDS), "again")

    def _measure(self, line: float) -> str:
        """Who fails the practice gives numbers in the wrong order."""
        estimate = line * self.draw.lognormal(0, 0.03)
        return written(round(1e4 / estimate if self._fails_practice else estimate, 1))

    def _judge(self, page: PageView, unit: Unit) -> Action:
        pair = unit.pairs[page.position - 1]
        seconds = self._seconds_on(page.position, pair)
        button = self._button(page, len(unit.pairs))
        score = self._score(pair)
        return Action(
            seconds, button, score, reason(self.person, pair, self._log_gain(pair, score))
        )

    def _log_gain(self, pair: Pair, score: str) -> float:
        """The log gain that a score stands for."""
        if self.levels:
            return (float("-inf"), *cuts(self.levels))[int(score)]
        return self.person.log_gain_of(pair, float(score))

    def _score(self, pair: Pair) -> str:
        if self.levels:
            return self.person.level(pair, self.attempt, self.levels)
        return self.person.score(pair, self.attempt)

    def _seconds_on(self, position: int, pair: Pair) -> float:
        if position not in self.spent:
            hurried = self._hurries and self.draw.random() < 0.5
            seconds = self._between((3.0, MIN_SECONDS)) if hurried else self.person.seconds(pair)
        else:
            seconds = self._between(REVISIT_SECONDS)
            if self.attempt:
                seconds = max(seconds, self.minimum - self.spent[position] + EXTRA_SECONDS)
        self.spent[position] = self.spent.get(position, 0.0) + seconds
        return seconds

    def _button(self, page: PageView, last: int) -> str:
        if self.attempt:
            return "back" if page.position > 1 else "finish"
        steps_back = self._steps_back and page.position > 1
        if steps_back and (len(self.spent) == last or self.draw.random() < 1 / last):
            self._steps_back -= 1
            return "back"
        return "next" if page.position < last or "next" in page.buttons else "finish"
