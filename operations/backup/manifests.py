"""The manifest of each backup, a file beside it: without one there is no backup."""

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

    name: its time, in UTC; file: its place in the store; size (bytes) and sha256: of that file;
    migrations: their names, by app; rows: by table; keys: the names of the site's keys, by
    variable; days: how long it may be stored, as people were told when it was made.
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
    """Names are in the order of time."""
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S%fZ}"


def moment_of(name: str) -> datetime | None:
    """The time in a name of `name_at`, or in a path that ends with one; None: it is not ours."""
    stamp = name.rpartition("/")[2][: len("20260101T000000000000Z")]
    try:
        return datetime.strptime(stamp, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def names(place: Store) -> list[str]:
    """Oldest first; other files are left out."""
    files = [file for file in place.names(FOLDER) if file.endswith(ENDING)]
    named = [file.removeprefix(f"{FOLDER}/").removesuffix(ENDING) for file in files]
    return [name for name in named if moment_of(name)]


def read(place: Store, name: str) -> Manifest:
    with place.reading(f"{FOLDER}/{name}{ENDING}") as file:
        return Manifest.from_json(file.read())


def backups(place: Store) -> Iterator[Manifest]:
    return (read(place, name) for name in names(place))


def newest(place: Store) -> datetime | None:
    known = names(place)
    return moment_of(known[-1]) if known else None
