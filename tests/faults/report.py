"""What is asked of a run, and what came of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.judged import Judged
from tests.faults.keeping import Kept


@dataclass(frozen=True)
class Options:
    """What is asked for."""

    folder: Path  # for the site and for what is kept
    seed: int
    judged: Judged
    workers: int
    vanishes: float  # the chance that a worker never returns, at each press of a button
    families: tuple[str, ...]  # of faults
    pause: tuple[float, float]  # seconds from a recovery to the next fault
    each: int  # how often each kind is to come; 0: for as long as it lasts
    most: int  # faults in one run
    lasts: float  # seconds in which the crowd judges study after study, and faults come
    at_most: float  # seconds for all of it
    insists: bool = False  # that every kind of fault is possible here


@dataclass
class Report:
    """What came of it."""

    kept: Kept
    skipped: dict[str, str] = field(default_factory=dict)  # families, and why
    studies: list[str] = field(default_factory=list)
    units: int = 0
    planned: int = 0
    left: dict[str, int] = field(default_factory=dict)  # how often each kind is still to come
    is_over: bool = False  # all of it is done and checked
    checked: list[str] = field(default_factory=list)

    def check(self, name: str, complaints: Iterable[str]) -> None:
        """Note what a check says, each thing once."""
        if name not in self.checked:
            self.checked.append(name)
        for said in complaints:
            self.kept.complain(name, said)

    @property
    def wrong(self) -> dict[str, list[str]]:
        """What is wrong, by check."""
        found: dict[str, list[str]] = {name: [] for name in self.checked}
        for name, said in self.kept.wrong:
            found.setdefault(name, []).append(said)
        return found

    @property
    def is_good(self) -> bool:
        """Whether no check has anything to say."""
        return not self.kept.wrong
