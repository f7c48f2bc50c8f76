"""What is known of each backup, in a file beside it: a backup without one is not there."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from judging.models.study import MAX_BACKUP_DAYS
from operations.backup.stores import BackupFault, Store

FOLDER = "backups"
ENDING = ".json"


@dataclass(frozen=True)
class Manifest:
    """A backup.

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

    def to_json(self) -> bytes:
        return json.dumps(
            asdict(self), default=datetime.isoformat, indent=1, sort_keys=True
        ).encode()

    @classmethod
    def from_json(cls, content: bytes) -> "Manifest":
        """Raises BackupFault where it is no manifest."""
        try:
            fields = json.loads(content)
            if not isinstance(fields, dict):
                raise TypeError("it has no names")
            if not isinstance(fields.get("days", 0), int):
                raise TypeError("its days are no number")
            return cls(**fields | {"made_at": datetime.fromisoformat(fields["made_at"])})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BackupFault(f"It is no manifest of a backup: {error}.") from error


def name_at(moment: datetime) -> str:
    """The name of a backup of that moment: names are in the order of time."""
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S%fZ}"


def moment_of(name: str) -> datetime | None:
    """The moment in a name that begins as `name_at` gives it; None: it is not ours."""
    stamp = name.rpartition("/")[2][: len("20260101T000000000000Z")]
    try:
        return datetime.strptime(stamp, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def names(place: Store) -> list[str]:
    """The names of all backups, oldest first; what else somebody has put there is none."""
    files = [file for file in place.names(FOLDER) if file.endswith(ENDING)]
    named = [file.removeprefix(f"{FOLDER}/").removesuffix(ENDING) for file in files]
    return [name for name in named if moment_of(name)]


def read(place: Store, name: str) -> Manifest:
    """The manifest of a backup; BackupFault if there is none."""
    with place.reading(f"{FOLDER}/{name}{ENDING}") as file:
        return Manifest.from_json(file.read())


def backups(place: Store) -> Iterator[Manifest]:
    """All backups, oldest first."""
    return (read(place, name) for name in names(place))


def newest(place: Store) -> datetime | None:
    """When the newest backup was made."""
    known = names(place)
    return moment_of(known[-1]) if known else None
