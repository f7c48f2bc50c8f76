"""The figures and tables of the papers, in their order: what they show, and where ours are.

They stand in `evaluation/presentation/published.toml`, which says what its fields are.
"""

from collections.abc import Callable, Iterator
from string import Formatter
from typing import Any, NamedTuple

from evaluation.analyses import quantities
from evaluation.analyses.quantities import Numbers, Quantity, known
from evaluation.presentation import published
from evaluation.presentation.parts import number
from judging.models import Study

TABLE_I = "table1"  # which is no analysis: the overview has it

Sentence = Callable[[Numbers], str]
RESEMBLANCE = (
    "Artificial workers are made to resemble the paper's: numbers that agree say nothing of people."
)
OF_MODEL = "A language model judged: that numbers agree with the paper's says nothing of people."


class Place(NamedTuple):
    """A figure or table of a paper; theirs: what it says of it in words, besides its numbers."""

    name: str
    shows: str
    analysis: str
    theirs: str = ""
    parts: tuple[str, ...] = ()
    compare: tuple[Quantity, ...] = ()
    ours: Sentence | None = None
    same: bool = False


class Paper(NamedTuple):
    """A paper that is replicated; `short` names it in lists."""

    short: str
    reference: str
    places: tuple[Place, ...]


def _paper(short: str, reference: str, place: list[dict[str, Any]], **_: Any) -> Paper:
    return Paper(short, reference, tuple(_place(**fields) for fields in place))


def _place(*, ours: str = "", theirs: str = "", **fields: Any) -> Place:
    """Of what stands in the file, with the numbers of `theirs` written into it."""
    by_name = getattr(quantities, ours) if ours and "{" not in ours else None
    return Place(
        theirs=published.quote(theirs),
        parts=tuple(fields.pop("parts", ())),
        compare=tuple(Quantity(**each) for each in fields.pop("compare", ())),
        ours=filled(ours) if "{" in ours else by_name,
        **fields,
    )


class _InWords(Formatter):
    """Numbers without a format of their own are written as in other sentences."""

    def format_field(self, value: Any, format_spec: str) -> str:
        plain = isinstance(value, str) or format_spec
        return format(value, format_spec) if plain else number(value)


def filled(form: str) -> Sentence:
    """A sentence with names of numbers in braces; empty where one is not known.

    >>> filled("{far} of {documents}")({"far": 9, "documents": 1188})
    '9 of 1,188'
    >>> filled("{far} of {documents}")({"far": 9, "documents": None})
    ''
    """
    names = [name.partition("[")[0] for _, name, _, _ in Formatter().parse(form) if name]
    return lambda given: _InWords().vformat(form, (), given) if known(given, *names) else ""


PAPERS = tuple(_paper(**paper) for paper in published.PAPERS.values())
MAGNITUDES, DISAGREEMENT, PREFERENCES, TIME, UNANIMITY = PAPERS


def is_comparable(study: Study) -> bool:
    """Whether its judges may be held against those of the papers: people alone may."""
    return study.crowd not in (Study.Crowd.ARTIFICIAL, Study.Crowd.BOTH, Study.Crowd.MODEL)


def why_not_comparable(study: Study) -> list[str]:
    """Why they may not, in a sentence; nothing where they may."""
    if is_comparable(study):
        return []
    return [OF_MODEL if study.crowd == Study.Crowd.MODEL else RESEMBLANCE]


def with_analysis(analysis: str) -> set[Paper]:
    """The papers that have what an analysis shows."""
    return {paper for paper, _ in places_of(analysis)}


def places_of(analysis: str) -> Iterator[tuple[Paper, Place]]:
    """Where the papers have what an analysis shows."""
    for paper in PAPERS:
        for place in paper.places:
            if place.analysis == analysis:
                yield paper, place
