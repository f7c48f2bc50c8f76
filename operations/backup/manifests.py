"""What is said of each backup, in a file beside it: a backup without one is not there."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from judging.models.study import MAX_BACKUP_DAYS
from operations.backup.faults import BackupFault
from operations.backup.stores import Store, store

FOLDER = "backups"
ENDING = ".json"


@dataclass(frozen=True)
class Manifest:
    """What is said of a backup.

    name: by its moment, in UTC; file: where it lies in the store; size: in bytes, and sha256, of
    that file; migrations: by app, the names; rows: by table; keys: by variable, the name of the
    key that the site had; days: for how many it may be kept, as people were told when it was made.
    """

    name: str
    made_at: datetime
    file: str
    size: int
    sha256: str
    encrypted: bool
    version: str
    postgresql: int
    migrations: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    days: int = MAX_BACKUP_DAYS

    def written(self) -> bytes:
        """As JSON."""
        said = asdict(self) | {"made_at": self.made_at.isoformat()}
        return json.dumps(said, indent=1, sort_keys=True).encode()

    @classmethod
    def read(cls, content: bytes) -> "Manifest":
        """From JSON; BackupFault where it is no manifest."""
        try:
            said = json.loads(content)
            if not isinstance(said, dict):
                raise TypeError("it has no names")
            if not isinstance(said.get("days", 0), int):
                raise TypeError("its days are no number")
            return cls(**said | {"made_at": datetime.fromisoformat(said["made_at"])})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BackupFault(f"It is no manifest of a backup: {error}.") from error


def name_at(moment: datetime) -> str:
    """The name of a backup of that moment: names are in the order of time."""
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S%fZ}"


def moment_of(name: str) -> datetime:
    """The moment in a name that begins as `name_at` gives it; ValueError if it does not."""
    stamp = name.rpartition("/")[2][: len("20260101T000000000000Z")]
    return datetime.strptime(stamp, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)


def names(place: Store) -> list[str]:
    """The names of all backups, oldest first; what else somebody has put there is none."""
    files = [file for file in place.names(FOLDER) if file.endswith(ENDING)]
    named = [file.removeprefix(f"{FOLDER}/").removesuffix(ENDING) for file in files]
    return [name for name in named if _has_moment(name)]


def _has_moment(name: str) -> bool:
    try:
        moment_of(name)
    except ValueError:
        return False
    return True


def read(place: Store, name: str) -> Manifest:
    """The manifest of a backup; BackupFault if there is none."""
    with place.reading(f"{FOLDER}/{name}{ENDING}") as file:
        return Manifest.read(file.read())


def backups(place: Store) -> Iterator[Manifest]:
    """All backups, oldest first."""
    return (read(place, name) for name in names(place))


def newest(place: Store | None = None) -> datetime | None:
    """When the newest backup was made; None: there is none. BackupFault: the store fails."""
    known = names(place or store())
    return moment_of(known[-1]) if known else None
