from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from judging.collections.incoming import Paths, Progress
from judging.levels import InvalidLevels, read_levels
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.opinion_columns import ColumnChoice
from magnitudes.files.labels.opinions import Opinions, fields_of, read_opinions
from magnitudes.files.labels.scales import BadScale, Magnitudes, Scale

WORKER = "worker"  # what a group may be for no column


class BadReading(ValueError):
    """Options of a reading contradict each other; `options`: which."""

    def __init__(self, options: Sequence[str], problem: str) -> None:
        super().__init__(problem)
        self.options = tuple(options)


@dataclass(frozen=True)
class Reading:
    """How files are read.

    levels: their names, lowest first; none of magnitudes. values: how files write them. missing:
    texts that stand for none; None: what is no level does. columns: what files call a field. group:
    of magnitudes, the column that says which scores of a worker are on one scale, or `worker`.
    zero: what a 0 is read as. gold: a column with an expert's label. encoding: if not UTF-8.
    """

    levels: Sequence[str] = ()
    values: Sequence[str] = ()
    missing: Sequence[str] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    zero: float | None = None
    gold: str = ""
    encoding: str = ""

    def scale(self) -> tuple[list[str], Scale]:
        """Level names, none for magnitudes, and how scores are written; raises BadReading."""
        of_levels, of_magnitudes = ("values", "gold"), ("group", "zero")
        names = of_magnitudes if self.levels else of_levels
        if wrong := [name for name in names if getattr(self, name) not in ("", None, (), [])]:
            scale, named = ("magnitudes", "some are") if self.levels else ("levels", "none is")
            raise BadReading(wrong, f"of use with {scale} only; of levels {named} named.")
        try:
            if self.levels:
                levels = read_levels(list(self.levels))
                return levels, Scale(levels, self.values, self.missing)
            has_groups = self.group != WORKER
            return [], Magnitudes(self.zero, self.missing or (), has_groups=has_groups)
        except (InvalidLevels, BadScale) as fault:
            options = ("levels", "values", "missing") if self.levels else ("zero", "missing")
            raise BadReading(options, f"{fault}.") from fault


class Read(NamedTuple):
    opinions: Opinions
    levels: list[str]
    sentences: list[str]


def read_files(paths: Paths, reading: Reading, progress: Progress = lambda _: None) -> Read:
    """Raises BadFile, also where it is not clear what a column is, and UnknownEncoding; BadReading:
    options contradict each other, or what is read as 0 is above a score.
    """
    levels, scale = reading.scale()
    columns = dict(reading.columns)
    if reading.group and scale.has_groups:
        columns["group"] = reading.group
    choice = ColumnChoice(columns, reading.gold, fields_of(scale))
    members = choice.watch(open_members(paths, progress, reading.encoding))
    try:
        opinions = read_opinions(members, scale, columns, reading.gold)
    except BadScale as fault:
        raise BadReading(("zero",), f"{fault}.") from fault
    return Read(opinions, levels, choice.sentences)
