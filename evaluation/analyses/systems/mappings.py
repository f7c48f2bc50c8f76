"""Other gains for the same labels (paper, section 7.3, Table III)."""

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData, TopicData
from evaluation.analyses.systems import concordance, subruns
from evaluation.analyses.telling.parts import Analysed, Row, Table, Tell, number
from evaluation.comparison.compared import Compared, compare
from evaluation.gains import GainError
from evaluation.gains.mappings import MAPPINGS, mapped
from evaluation.measures.names import Measure
from trec.words import count

USUAL = "C"
# On simulated systems: tau by nDCG and by ERR, overlap of top sets by nDCG and by ERR.
PAPER = {
    "C": (1.0, 1.0, 1.0, 1.0),
    "100C": (1.0, 0.698, 1.0, 1.0),
    "1+C": (0.989, 0.969, 0.98, 0.95),
    "10+C": (0.961, 0.939, 0.95, 0.91),
    "100+C": (0.957, 0.939, 0.95, 1.0),
    "10^(1+C)": (0.720, 0.698, 0.66, 1.0),
    "2^(1+C)": (0.870, 0.702, 0.42, 0.73),
}
PAPERS = "The paper found .720 by nDCG with 10^(1+C), on simulated systems."
COLUMNS = [f"{of}_{by.name}" for of in ("tau", "overlap") for by in systems.MEASURES]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """How the order and top set of systems change when levels become gains in other ways."""
    if reason := systems.why_not(data):
        return Analysed([reason])
    topics = systems.labelled(data)
    kept, made = subruns.simulated(data)
    tables = [_table(topics, "runs", len(data.runs), lambda values: values)]
    if len(kept) >= subruns.LEAST:
        tables.append(_table(kept, "simulated", subruns.SYSTEMS, subruns.picking(made)))
    return Analysed([_says(tables[0])], tables)


def _says(table: Table) -> str:
    taus = {row[0]: float(row[1]) for row in table.rows[1:] if not np.isnan(row[1])}
    if not taus:
        return f"Systems cannot be compared by other gains for their labels. {PAPERS}"
    least = min(taus, key=lambda mapping: taus[mapping])
    if taus[least] == 1:
        return (
            f"Other gains for the same levels leave the order of systems by nDCG as it is. {PAPERS}"
        )
    return (
        "Of other gains for the same levels C, "
        f"{least} changes the order of systems by nDCG most: tau with that by C itself is "
        f"{number(taus[least])}. {PAPERS}"
    )


def _table(topics: Sequence[TopicData], name: str, n: int, pick: concordance.Pick) -> Table:
    found: list[dict[str, Compared]] = []
    faults: dict[str, None] = {}
    for by in systems.MEASURES:
        values = {}
        for mapping in MAPPINGS:
            try:
                values[mapping] = _values(topics, mapping, by, pick)
            except GainError as fault:
                faults[str(fault)] = None
        rows = {
            mapping: compare(values[USUAL], of, (f"ranking by {USUAL}", f"ranking by {mapping}"))
            for mapping, of in values.items()
        }
        found.append(rows)
        faults.update((row.reason, None) for row in rows.values())
    return Table(
        name,
        f"Levels C mapped onto gains, against C itself: {count(n, 'system')}"
        + (", simulated" if name == "simulated" else "")
        + f", {count(len(topics), 'topic')}",
        ("gain", *COLUMNS, *(f"paper's_{column}" for column in COLUMNS)),
        [_row(mapping, found) for mapping in MAPPINGS],
        (
            "tau: Kendall's tau-b with the order by C. Overlap: the share of the top set by C that "
            "is in the other. A document without a label has gain 0 in all. The paper's are of 100 "
            "simulated systems on 12 topics with levels 0 to 3.",
            *systems.too_few(len(topics)),
            *(f"A dash: {fault}." for fault in faults if fault),
        ),
        "Table III",
    )


def _values(
    topics: Sequence[TopicData], mapping: str, by: Measure, pick: concordance.Pick
) -> Floats:
    sources = [systems.labels(t, lambda levels: mapped(levels, mapping).values) for t in topics]
    return pick(systems.measure(topics, sources, by).values)


def _row(mapping: str, found: Sequence[Mapping[str, Compared]]) -> Row:
    rows = [column.get(mapping) for column in found]
    taus = [row.tau.tau if row else np.nan for row in rows]
    return (mapping, *taus, *(row.overlap if row else np.nan for row in rows), *PAPER[mapping])


ANALYSIS = Analysis("mappings", "What if labels gave other gains?", analyse)
