"""Other gains for the same labels (paper, section 7.3, Table III).

**Shows** tau and overlap of top sets of gains C (the level) with 100 C, 1 + C, 10 + C, 100 + C,
10^(1 + C) and 2^(1 + C), with the values that the paper prints beside them.

**Computed**: on all runs, and on simulated systems if there are any. A document of level 0 has a
gain above 0 in the last five; one without a label has none unless the study counts it as level 0. A
gain that exceeds the range of a double is shown as a dash.

**Source**: section 7.3, Table III, on simulated systems.
"""

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.systems import ranked_systems
from evaluation.analyses.systems.ranked_systems import RUNS, Systems
from evaluation.presentation import published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Result, Table, correlation
from evaluation.study import scoring
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.compared import compare
from magnitudes.files.words import count
from magnitudes.gains import GainError, named
from magnitudes.gains.mappings import MAPPINGS

USUAL = "C"
PAPERS = published.quote(
    "The paper found {tau_mappings_nDCG.10^(1+C)} by nDCG with 10^(1+C), on simulated systems."
)
KEYS = [(value, name) for value in ("tau", "overlap") for name in scoring.NAMES]
COLUMNS = [f"{value}_{name}" for value, name in KEYS]
PAPER = [published.values(f"{value}_mappings_{name}") for value, name in KEYS]  # one a column


@analysis("What if labels gave other gains?", of_systems=True, counts_unlabelled=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """How the order and top set of systems change when levels become gains in other ways."""
    if reason := scoring.why_not(data):
        return Result([reason])
    every = [(systems, *compute(systems)) for systems in ranked_systems.both(data)]
    sentence = _sentence(every[0][1], scoring.first(data.study).short)
    systems, mappings, _ = every[-1]
    numbers = {"cutoff": scoring.cutoff(data.study), "systems": systems.called}
    if systems.kind != RUNS:  # the paper has simulated ones
        numbers |= {
            f"{column}_{row.gain}": getattr(row, column)
            for row in _others(mappings)
            for column in COLUMNS
        }
    return Result(
        [sentence], [_table(*each) for each in every], numbers | _extremes(_others(mappings))
    )


def compute(systems: Systems) -> tuple[Frame, list[str]]:
    """The orders by each mapping against that by C, and why numbers are not defined."""
    usual = _values(systems, USUAL)
    rows, reasons = [], []
    for mapping in MAPPINGS:
        taus = overlaps = [np.nan] * len(usual)
        try:
            values = _values(systems, mapping)
        except GainError as fault:
            reasons.append(str(fault))
        else:
            names = (f"ranking by {USUAL}", f"ranking by {mapping}")
            compared = [compare(*pair, names) for pair in zip(usual, values, strict=True)]
            taus, overlaps = [of.tau.tau for of in compared], [of.overlap for of in compared]
            reasons += [of.reason for of in compared]
        rows.append((mapping, *taus, *overlaps))
    return Frame.of_rows(["gain", *COLUMNS], rows), list(dict.fromkeys(filter(None, reasons)))


def _values(systems: Systems, mapping: str) -> list[Floats]:
    """By each measure, (topics, systems)."""
    gains_of = named.parse(mapping).gains
    sources = [scoring.labels(topic, gains_of) for topic in systems.topics]
    return [systems.measure(sources, measure).values for measure in systems.measures]


def _others(mappings: Frame) -> Frame:
    return mappings.where(mappings["gain"] != USUAL)


def _extremes(others: Frame) -> dict[str, float | str]:
    """The largest and smallest tau of other gains with C, by which."""
    numbers: dict[str, float | str] = {}
    for name in scoring.NAMES:
        taus = others[f"tau_{name}"]
        places = () if np.isnan(taus).all() else (np.nanargmax(taus), np.nanargmin(taus))
        for end, place in zip(("most", "least"), places, strict=False):
            numbers |= {f"{end}_{name}": taus[place], f"{end}_{name}_by": others["gain"][place]}
    return numbers


def _sentence(mappings: Frame, brief: str) -> str:
    """Which mapping changes the order of runs by nDCG most."""
    extremes = _extremes(_others(mappings))
    least = extremes.get(f"least_{scoring.NAMES[0]}")
    if least is None:
        return f"Systems cannot be compared by other gains for their labels. {PAPERS}"
    if least == 1:
        return (
            f"Other gains for the same levels leave the order of systems by nDCG as it is. {PAPERS}"
        )
    return (
        f"Of other gains for level C, {extremes[f'least_{scoring.NAMES[0]}_by']} changes the "
        f"order of systems most ({brief}: tau {correlation(float(least))}). {PAPERS}"
    )


def _table(systems: Systems, mappings: Frame, reasons: list[str]) -> Table:
    papers = {
        f"paper's_{column}": [of[gain] for gain in mappings["gain"]]
        for column, of in zip(COLUMNS, PAPER, strict=True)
    }
    return mappings.with_columns(**papers).table(
        systems.kind,
        f"Levels C mapped onto gains, against C itself: {count(len(systems.names), 'system')}"
        f"{'' if systems.kind == RUNS else ', simulated'}, {count(len(systems.topics), 'topic')}",
        "tau: Kendall's tau-b with the order by C. Overlap: the share of the top set by C that "
        "is in the other. A document without a level has gain 0 in all. The paper's are of 100 "
        "simulated systems on 12 topics with levels 0 to 3.",
        *(f"A dash: {reason}." for reason in reasons),
        source="Table III",
    )
