from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from crowd.behaviour import Behaviour, Unit
from crowd.model import Person, draws, person
from crowd.world import World
from judging.flow.admission import Arrival
from judging.models import Assignment, Worker
from judging.states import LIVE, State

Progress = Callable[[int], object]  # called with the number of units completed


class CannotSimulate(ValueError):
    """The study takes no artificial workers; the message says why."""


def check_takes_artificial_workers(world: World) -> None:
    study = world.study
    if not study.takes_people:
        raise CannotSimulate(f"Study {study} takes nobody: nobody judges it here.")
    if study.stage != study.Stage.OPEN:
        raise CannotSimulate(f"Study {study} is {study.stage}; expected an open one.")
    if study.crowd == study.Crowd.PEOPLE:
        raise CannotSimulate(
            f"Study {study} has been judged by people: it takes no artificial workers. "
            "Create another study on the same collection."
        )


@dataclass
class Crowd:
    """The artificial workers of one seed in one study.

    max_people: the most who may come in all; None: as many as it takes. Those who have come before
    are passed over, unless they still have a unit in progress. others: the same study by other
    labels; everybody holds with one of them all.
    """

    world: World
    max_people: int | None = None
    others: Sequence[World] = ()
    came: list[Person] = field(default_factory=list)

    def __post_init__(self) -> None:
        before = Worker.objects.filter(study=self.world.study, simulated=True)
        ended = before.exclude(assignments__state__in=LIVE)
        self._ended = set(ended.values_list("pseudonym", flat=True))
        self._queue = self._comers()

    def _comers(self) -> Iterator[Person]:
        numbers = count(1)
        while self.max_people is None or len(self.came) < self.max_people:
            comer = person(self.world.seed, next(numbers), self.world.max_units)
            if comer.pseudonym not in self._ended:
                self.came.append(comer)
                yield comer

    def next(self) -> Person | None:
        return next(self._queue, None)

    def arrival(self, person: Person) -> Arrival:
        return Arrival(person.pseudonym, simulated=True)

    def behaviour(self, person: Person, speedup: float = 1.0) -> Behaviour:
        """Their clock runs `speedup` times as fast as the study's."""
        study = self.world.study
        return Behaviour(person, study.minimum_seconds * speedup, len(study.levels))

    def unit(self, person: Person, study_topic: int, order: Iterable[int]) -> Unit:
        worlds = (self.world, *self.others)
        side = draws(person.seed, person.number, "side").integers(len(worlds))
        return worlds[side].unit(study_topic, order)

    def completed(self) -> int:
        return Assignment.objects.filter(study=self.world.study, state=State.COMPLETED).count()

    @property
    def planned(self) -> int:
        return self.world.study.units.count()
