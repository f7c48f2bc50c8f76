"""The readers that systems are measured with: the paper's, and those who are as slow as workers.

Smucker and Clarke (SIGIR 2012), sections 3 and 4. A part of the analysis `reader`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.analyses.time import views
from evaluation.analyses.time.views import PAPER as PAPER
from evaluation.presentation.parts import percent
from evaluation.study.data import StudyData
from magnitudes.files.words import count
from magnitudes.measures.in_time.reader import Reader
from magnitudes.measures.names import parse
from magnitudes.reading_time.line import reading_lines

THE_PAPER, OWN, EACH = "the paper's reader", "T_D of this study", "T_D of each topic"


@dataclass(frozen=True)
class Kind:
    """Readers of one kind, one for each topic; key: of the kind's tau among numbers."""

    name: str
    key: str
    readers: Sequence[Reader]

    @property
    def alike(self) -> Reader | None:
        """The reader of all topics; None where they differ."""
        return self.readers[0] if len(set(self.readers)) == 1 else None


@dataclass(frozen=True)
class Kinds:
    """The kinds of readers, the main one first.

    unused: kinds that are left out, and how many of their lines are missing or below 0. was_timed:
    whether anybody was, so that there is a T_D of the study.
    """

    kinds: list[Kind]
    unused: dict[str, int]
    was_timed: bool

    @property
    def main(self) -> Kind:
        return self.kinds[0]


def compute(data: StudyData, asked: str) -> Kinds:
    """asked: a measure whose options are the main reader's; empty: the paper's reader."""
    reader = _named(asked)
    topics = len(data.topics)
    main = Kind(f"the reader of {asked}" if asked else THE_PAPER, "paper", [reader] * topics)
    if data.study.is_imported:
        return Kinds([main], {}, was_timed=False)
    first = views.of_study(data).first
    columns = first.words, first.seconds, first.workers
    of_study = reading_lines(*columns)
    by_topic = reading_lines(*columns, first.topics, topics)
    kinds, unused = [main], {}
    for lines, name, key in ((of_study, OWN, "own"), (by_topic, EACH, "each_topic")):
        # A line that is missing, or whose slope or intercept is below 0, is no T_D.
        if without := int((~((lines.slope >= 0) & (lines.intercept >= 0))).sum()):
            unused[name] = without
        else:
            parameters = zip(lines.slope.tolist(), lines.intercept.tolist(), strict=True)
            readers = [reader._replace(slope=a, intercept=b) for a, b in parameters]
            kinds.append(Kind(name, key, readers * (topics // len(readers))))
    return Kinds(kinds, unused, was_timed=True)


def _named(name: str) -> Reader:
    """The reader of a measure's name, or the paper's."""
    options = parse(name).options if name else {}
    return Reader()._replace(**{option: float(value) for option, value in options.items()})


def main_reader(kinds: Kinds) -> str:
    reader = kinds.main.readers[0]
    return (
        f"That reader takes {reader.summary:g} s for a summary, opens "
        f"{percent(float(reader.click))} of the relevant documents and "
        f"{percent(float(reader.click_nonrel))} of the others, saves "
        f"{percent(float(reader.save))} of the relevant ones opened, and half of all readers have "
        f"stopped after {reader.half_life:g} s. None of this can come from a study whose workers "
        "judge one document after the other: manage.py calibrate_time computes it from the log of "
        "readers at a result list. Only T_D, the time for a document, can be that of this study, "
        "which is the time of judging."
    )


def unused_kinds(kinds: Kinds) -> Iterator[str]:
    if not kinds.was_timed:
        yield "Nobody was timed, as the study was judged elsewhere: there is no T_D of its own."
    for name, topics in kinds.unused.items():
        where = f" on {count(topics, 'topic')}" if name == EACH else ""
        yield f"{name[0].upper()}{name[1:]} is not used: it has no line, or one below 0{where}."
