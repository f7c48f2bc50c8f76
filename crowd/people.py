"""Who comes: one artificial worker after the other, until the work is done or enough have come."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from crowd.mind import Mind
from crowd.model import Person, person
from crowd.world import World
from judging.flow.admission import Arrival
from judging.models import Assignment, Worker
from judging.states import LIVE, State

Progress = Callable[[int], object]  # told of each number of units completed


class Occupied(ValueError):
    """The study takes people, or is not open; the message says which."""


def check_it_takes_them(world: World) -> None:
    """Raise `Occupied` unless artificial workers may come."""
    study = world.study
    if study.is_imported:
        raise Occupied(f"Study {study} was judged elsewhere: nobody judges it here.")
    if study.stage != study.Stage.OPEN:
        raise Occupied(f"Study {study} is {study.stage}; expected an open one.")
    if study.crowd == study.Crowd.PEOPLE:
        raise Occupied(
            f"Study {study} has been judged by people: it takes no artificial workers. "
            "Make another study on the same collection."
        )


@dataclass
class Crowd:
    """The artificial workers of one seed in one study.

    most: how many may come in all, None for as many as it takes. Those of the same seed who were
    here before are passed over, unless they still have a unit in hand.
    """

    world: World
    most: int | None = None
    came: list[Person] = field(default_factory=list)

    def __post_init__(self) -> None:
        study = self.world.study
        known = Worker.objects.filter(study=study, simulated=True)
        self._known = set(known.values_list("pseudonym", flat=True))
        working = known.filter(assignments__state__in=LIVE)
        self._working = set(working.values_list("pseudonym", flat=True))
        self._numbers = self._in_turn()

    def _in_turn(self) -> Iterator[Person]:
        number = 0
        while self.most is None or len(self.came) < self.most:
            number += 1
            comer = person(self.world.seed, number, self.world.most_units)
            if comer.pseudonym not in self._known or comer.pseudonym in self._working:
                self.came.append(comer)
                yield comer

    def next(self) -> Person | None:
        """The next to come; None: nobody will."""
        return next(self._numbers, None)

    def arrival(self, person: Person) -> Arrival:
        """How they come."""
        return Arrival(person.pseudonym, simulated=True)

    def mind(self, person: Person, speedup: float = 1.0) -> Mind:
        """What they will do, if their clock runs so many times as fast as the study's."""
        study = self.world.study
        return Mind(person, study.minimum_seconds * speedup, len(study.levels))

    def completed(self) -> int:
        """How many of the study's units are completed."""
        return Assignment.objects.filter(study=self.world.study, state=State.COMPLETED).count()

    @property
    def planned(self) -> int:
        """How many units the study has."""
        return self.world.study.units.count()
