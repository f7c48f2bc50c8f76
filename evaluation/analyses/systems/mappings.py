"""Other gains for the same labels (paper, section 7.3, Table III)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.systems import ranked_systems
from evaluation.analyses.systems.ranked_systems import RUNS, Systems
from evaluation.presentation import published
from evaluation.presentation.parts import Analysed, Table, Tell, correlation
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.compared import compare
from magnitudes.files.words import count
from magnitudes.gains import GainError, named
from magnitudes.gains.mappings import MAPPINGS

USUAL = "C"
PAPERS = published.quote(
    "The paper found {tau_mappings_nDCG.10^(1+C)} by nDCG with 10^(1+C), on simulated systems."
)
KEYS = [(value, name) for value in ("tau", "overlap") for name in comparing.NAMES]
COLUMNS = [f"{value}_{name}" for value, name in KEYS]
PAPER = [published.values(f"{value}_mappings_{name}") for value, name in KEYS]  # one a column


class Mapped(NamedTuple):
    """The order of systems by a mapping against that by C, measure by measure."""

    mapping: str
    taus: list[float]
    overlaps: list[float]
    reasons: list[str]  # why they are NaN, or empty


@dataclass(frozen=True)
class Found:
    """All mappings, on some systems."""

    systems: Systems
    rows: list[Mapped]

    @property
    def reasons(self) -> list[str]:
        """Why numbers are not defined."""
        every = (reason for row in self.rows for reason in row.reasons)
        return list(dict.fromkeys(filter(None, every)))


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """How the order and top set of systems change when levels become gains in other ways."""
    if reason := comparing.why_not(data):
        return Analysed([reason])
    found = [compute(systems) for systems in ranked_systems.both(data)]
    return Analysed([says(found[0])], [*map(table, found)], numbers(found[-1]))


def numbers(found: Found) -> dict[str, float | int | str | None]:
    """The largest and smallest tau of other gains with C, by which; of the systems given."""
    others = [row for row in found.rows if row.mapping != USUAL]
    result: dict[str, float | int | str | None] = {
        "cutoff": found.systems.measures[0].cutoff,
        "systems": found.systems.called,
    }
    for place, measure in enumerate(found.systems.measures):
        known = [row for row in others if not np.isnan(row.taus[place])]
        for name, pick in (("most", max), ("least", min)) if known else ():
            row = pick(known, key=lambda row: row.taus[place])
            result[f"{name}_{measure.name}"] = row.taus[place]
            result[f"{name}_{measure.name}_by"] = row.mapping
    return result


def compute(systems: Systems) -> Found:
    usual = _values(systems, USUAL)
    return Found(systems, [_mapped(systems, mapping, usual) for mapping in MAPPINGS])


def _values(systems: Systems, mapping: str) -> list[Floats]:
    """By each measure, (topics, systems)."""
    gains_of = named.parse(mapping).gains
    sources = [comparing.labels(topic, gains_of) for topic in systems.topics]
    return [systems.measure(sources, measure).values for measure in systems.measures]


def _mapped(systems: Systems, mapping: str, usual: list[Floats]) -> Mapped:
    """usual: the values by C."""
    try:
        values = _values(systems, mapping)
    except GainError as fault:
        unknown = [np.nan] * len(usual)
        return Mapped(mapping, unknown, unknown, [str(fault)])
    names = (f"ranking by {USUAL}", f"ranking by {mapping}")
    compared = [compare(*pair, names) for pair in zip(usual, values, strict=True)]
    return Mapped(
        mapping,
        [orders.tau.tau for orders in compared],
        [orders.overlap for orders in compared],
        [orders.reason for orders in compared],
    )


def says(found: Found) -> str:
    """Which mapping changes the order of runs by nDCG most."""
    others = [row for row in found.rows if row.mapping != USUAL and not np.isnan(row.taus[0])]
    if not others:
        return f"Systems cannot be compared by other gains for their labels. {PAPERS}"
    least = min(others, key=lambda row: row.taus[0])
    if least.taus[0] == 1:
        return (
            f"Other gains for the same levels leave the order of systems by nDCG as it is. {PAPERS}"
        )
    return (
        f"Of other gains for level C, {least.mapping} changes the order of systems most "
        f"({found.systems.measures[0].brief}: tau {correlation(least.taus[0])}). {PAPERS}"
    )


def table(found: Found) -> Table:
    systems = found.systems
    return Table(
        systems.kind,
        f"Levels C mapped onto gains, against C itself: {count(len(systems.names), 'system')}"
        f"{'' if systems.kind == RUNS else ', simulated'}, {count(len(systems.topics), 'topic')}",
        ("gain", *COLUMNS, *(f"paper's_{column}" for column in COLUMNS)),
        [
            (row.mapping, *row.taus, *row.overlaps, *(of[row.mapping] for of in PAPER))
            for row in found.rows
        ],
        (
            "tau: Kendall's tau-b with the order by C. Overlap: the share of the top set by C that "
            "is in the other. A document without a level has gain 0 in all. The paper's are of 100 "
            "simulated systems on 12 topics with levels 0 to 3.",
            *(f"A dash: {reason}." for reason in found.reasons),
        ),
        "Table III",
    )


ANALYSIS = Analysis(
    "mappings", "What if labels gave other gains?", analyse, of_systems=True, counts_unlabelled=True
)
