"""The figures and tables of the papers, in their order: what they show, and where ours are.

They stand in `evaluation/presentation/published.toml`, which says what its fields are.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from evaluation.analyses import quantities
from evaluation.presentation import published
from judging.models import Study

TABLE_I = "table1"  # which is no analysis: the overview has it

RESEMBLANCE = (
    "These workers are made to resemble the paper's: that the numbers agree says nothing of people."
)


class Place(NamedTuple):
    """A figure or table of a paper; values: of theirs, each after ours that it is held against."""

    name: str
    shows: str
    theirs: str
    analysis: str
    parts: tuple[str, ...] = ()
    named: bool = False
    ours: Callable[[Mapping[str, Any]], str] | None = None
    same: bool = False
    values: tuple[tuple[str, str], ...] = ()


class Paper(NamedTuple):
    """A paper that is replicated; `short` names it in lists."""

    short: str
    reference: str
    places: tuple[Place, ...]


def _paper(short: str, reference: str, place: list[dict[str, Any]], **_: Any) -> Paper:
    return Paper(short, reference, tuple(_place(**fields) for fields in place))


def _place(*, theirs: str, parts: tuple[str, ...] = (), ours: str = "", **fields: Any) -> Place:
    """Of what stands in the file, with the numbers of `theirs` written into it."""
    values = fields.pop("values", {}).items()
    by_name = getattr(quantities, ours) if ours and "{" not in ours else None
    return Place(
        theirs=published.quote(theirs),
        parts=tuple(parts),
        ours=quantities.filled(ours) if "{" in ours else by_name,
        values=tuple((name, published.quote(f"{{{key}}}")) for name, key in values),
        **fields,
    )


PAPERS = tuple(_paper(**paper) for paper in published.PAPERS.values())
MAGNITUDES, DISAGREEMENT, PREFERENCES, TIME, UNANIMITY = PAPERS


def is_comparable(study: Study) -> bool:
    """Whether its judges may be held against those of the papers: no artificial worker may."""
    return study.crowd not in (Study.Crowd.ARTIFICIAL, Study.Crowd.BOTH)


def why_not_comparable(study: Study) -> list[str]:
    """Why they may not, in a sentence; nothing where they may."""
    return [] if is_comparable(study) else [RESEMBLANCE]


def with_analysis(analysis: str) -> set[Paper]:
    """The papers that have what an analysis shows."""
    return {paper for paper, _ in places_of(analysis)}


def places_of(analysis: str) -> Iterator[tuple[Paper, Place]]:
    """Where the papers have what an analysis shows."""
    for paper in PAPERS:
        for place in paper.places:
            if place.analysis == analysis:
                yield paper, place
