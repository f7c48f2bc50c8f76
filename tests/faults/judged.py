"""What the crowd judges: a collection that is made up, or Cranfield; and how fast."""

from dataclasses import dataclass, replace
from pathlib import Path

from tests.faults.site import STUDY, UNIT_SIZE, write_collection, write_study


@dataclass(frozen=True)
class Judged:
    """redundancy: how many judge each unit; speedup: the workers' seconds in one."""

    topics: int
    redundancy: int
    speedup: float
    expiry_minutes: int
    plan: tuple[str, ...] = ("--pool-depth", "1000")

    def files(self, folder: Path, seed: int) -> list[str]:
        """Files to import, as the arguments to import them."""
        return write_collection(folder, self.topics, seed)

    def write_study(self, folder: Path, slug: str) -> Path:
        """The study.toml of another study."""
        path = folder / f"{slug}.toml"
        write_study(path, self.topics, self.redundancy, self.speedup, self.expiry_minutes)
        return path

    def and_then(self) -> "Judged":
        """What is judged once this is complete, while it storms on."""
        return self


@dataclass(frozen=True)
class Cranfield(Judged):
    """Cranfield's twelve topics, as they lie in the folder DATA; all of them are judged."""

    plan: tuple[str, ...] = ()

    def files(self, folder: Path, seed: int) -> list[str]:
        """They are there."""
        from tests.acceptance.cranfield import FILES

        folder.mkdir(parents=True, exist_ok=True)
        return [str(word) for word in FILES]

    def write_study(self, folder: Path, slug: str) -> Path:
        """The study.toml of another study."""
        from tests.acceptance.cranfield import questions

        path = folder / f"{slug}.toml"
        settings = STUDY.format(
            redundancy=self.redundancy,
            unit_size=UNIT_SIZE,
            minimum=20 / self.speedup,
            expiry=self.expiry_minutes,
        )
        path.write_text(settings + questions())
        return path

    def and_then(self) -> Judged:
        """A tenth of it: that too is judged to its end, when the storm is over."""
        return replace(self, redundancy=max(1, self.redundancy // 10))
