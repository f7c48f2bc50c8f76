"""How much the ranking of systems depends on choices that could have been others."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.fits import judged_here
from evaluation.analyses.systems.choices import Choice, choices
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, number
from evaluation.comparison.compared import Compared, compare
from evaluation.scaling import ScalingError
from trec.words import count

TITLE = "Kendall's tau with the main ranking"
NOTE = (
    "tau: Kendall's tau-b with the main ranking, with its 95% interval; overlap: the share of the "
    "main ranking's top set that is in the other. units, topics: those that are left; lost: "
    "documents whose every score is left out, which count as unjudged. Nothing is left out of any "
    "other result."
)
OF_MAGNITUDES = (
    "no anchors in centres: γ_u and γ from the other documents. max / min below 10,000: without "
    "units whose largest score is 10,000 times the smallest or more. two-figure ratios: without "
    "units that break the ratio rule of section 9.2. no failed finish: without units whose worker "
    "had to correct scores or spend more time. first unit of a worker: without later ones.",
    "In the main ranking, scores are normalised by geometric averaging and aggregated by their "
    "median.",
)
OF_LEVELS = (
    "no failed finish: without units whose worker had to correct levels or spend more time. first "
    "unit of a worker: without later ones. In the main ranking, levels are aggregated by their "
    "median.",
)


class Outcome(NamedTuple):
    """The main ranking against one choice; values by measure, (topics, runs)."""

    name: str
    units: int
    topics: int
    lost: int
    values: list[Floats]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau and overlap of top sets of the main ranking with the rankings of other choices."""
    if not data.units or not data.runs:
        return Analysed(["There is no ranking yet that could depend on anything."])
    usual = [
        systems.measure(data.topics, map(systems.magnitudes, data.topics), by).values
        for by in systems.MEASURES
    ]
    found, faults = [], []
    every = list(choices(data))
    for done, (name, choice) in enumerate(every):
        try:
            found.append(_outcome(data, name, choice))
        except ScalingError as fault:
            faults.append(f"{name}: {fault}")
        tell((done + 1) / len(every))
    against = [
        {
            outcome.name: compare(
                reference,
                outcome.values[place],
                ("main ranking", f"ranking with “{outcome.name}”"),
            )
            for outcome in found
        }
        for place, reference in enumerate(usual)
    ]
    faults += sorted({row.reason for rows in against for row in rows.values()} - {""})
    drawn = (
        [_figure(against)] if any(not np.isnan(row.tau.tau) for row in against[0].values()) else []
    )
    return Analysed(_says(data, against), [*drawn, _table(data, found, against, faults)])


def _outcome(data: StudyData, name: str, choice: Choice) -> Outcome:
    made = [(topic, choice(topic)) for topic in data.topics]
    left = [(topic, variant) for topic, variant in made if variant.units]
    sources = [systems.magnitudes(topic, variant.gains) for topic, variant in left]
    topics = [topic for topic, _ in left]
    lost = sum(int((np.isnan(variant.gains) & (topic.counts > 0)).sum()) for topic, variant in made)
    values = [
        systems.measure(topics, sources, by).values if topics else np.empty((0, len(data.runs)))
        for by in systems.MEASURES
    ]
    return Outcome(name, sum(variant.units for _, variant in made), len(left), lost, values)


def _says(data: StudyData, against: Sequence[Mapping[str, Compared]]) -> list[str]:
    said = []
    for by, rows in zip(systems.MEASURES, against, strict=True):
        taus = {name: row.tau.tau for name, row in rows.items() if not np.isnan(row.tau.tau)}
        if taus:
            name = min(taus, key=lambda name: taus[name])
            which = f" ({name})" if taus[name] < 1 - 1e-12 else ""
            said.append(f"{number(taus[name])} by {by}{which}")
    if not said:
        return ["No order of systems can be compared with that of the main ranking."]
    return [
        f"Of {count(len(against[0]), 'other choice')} about units, centres and aggregation, tau "
        f"with the main ranking of {count(len(data.runs), 'system')} is at the least "
        f"{' and '.join(said)}."
    ]


def _figure(against: Sequence[Mapping[str, Compared]]) -> Figure:
    rows = [
        (by.name, name, *row.tau[:3], row.overlap)
        for by, of_measure in zip(systems.MEASURES, against, strict=True)
        for name, row in of_measure.items()
        if not np.isnan(row.tau.tau)
    ]
    names = [*against[0]]
    across = plots.x("tau", TITLE)
    apart = plots.alt.YOffset("measure:N", sort=list(plots.MEASURES))
    dots = plots.shaped("choices", across, plots.down("choice", names), "measure", plots.MEASURES)
    spans = plots.on("choices").mark_rule(color=plots.INK, opacity=0.5, aria=False)
    least = min(rows, key=lambda row: row[2])
    return Figure(
        "tau",
        "No choice changes the order"
        if least[2] >= 1 - 1e-12
        else f"The order changes most by {least[0]} with “{least[1]}”: tau {number(least[2])}",
        "Dots: tau of the main ranking with that of another choice; lines: its 95% interval. Look "
        "for dots far to the left: on these choices the ranking depends.",
        plots.sized(
            plots.alt.layer(
                spans.encode(
                    x=plots.x("low", None),
                    x2="high:Q",
                    y=plots.down("choice", names),
                    yOffset=apart,
                ),
                dots.encode(yOffset=apart),
            ),
            28 * len(names),
            plots.WIDTH - 150,
        ),
        {
            "choices": [
                {
                    "measure": by,
                    "choice": name,
                    "tau": tau,
                    "low": low,
                    "high": high,
                    "name": f"{name}, {by}: tau {number(tau)}",
                }
                for by, name, tau, low, high, _ in rows
            ]
        },
        ("measure", "choice", "tau", "low", "high", "overlap"),
        rows,
    )


def _table(
    data: StudyData,
    found: Sequence[Outcome],
    against: Sequence[Mapping[str, Compared]],
    faults: Sequence[str],
) -> Table:
    rows: list[Row] = [
        (
            *(one.name, one.units, one.topics, one.lost),
            *(cell for of in against for cell in (*of[one.name].tau[:3], of[one.name].overlap)),
        )
        for one in found
    ]
    return Table(
        "choices",
        "The main ranking against other choices",
        (
            *("choice", "units", "topics", "lost"),
            *(
                f"{of}_{by.name}"
                for by in systems.MEASURES
                for of in ("tau", "low", "high", "overlap")
            ),
        ),
        rows,
        (
            NOTE,
            *(OF_LEVELS if data.study.is_graded else OF_MAGNITUDES),
            *systems.too_few(len(data.topics)),
            *(f"A dash: {fault}." for fault in faults),
        ),
    )


ANALYSIS = Analysis(
    "sensitivity", "Does the ranking depend on how it was made?", analyse, fits=judged_here
)
