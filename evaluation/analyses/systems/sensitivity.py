"""How much the ranking of systems depends on choices that could have been others.

**Shows** tau and overlap of top sets of the main ranking with those of other choices: γ_u and γ
from the documents that are not anchors; without units whose largest score is 10,000 times the
smallest or more; without units that break the ratio rule of two figures; without units with a
failed press of Finish; only the first unit of each worker; every other normalisation and
aggregation.

**Computed**: scores are normalised again from the remaining units. A document whose scores are all
left out counts as unjudged, and a topic without a unit is left out; both are counted. A choice that
leaves out units is compared, by nDCG, with 199 draws that leave out as many whole units of each
topic at random: the order depends on the choice only if its tau lies below theirs (p < .05, with
Holm's correction for the number of such choices). Choices that only weight scores differently leave
out nothing: they are different by definition.

**Source**: not in the paper.
"""

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.systems.other_choices import OF_TAU, compute
from evaluation.analyses.systems.random_units import N_RESAMPLES
from evaluation.presentation import plots, two_orders
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, correlation
from evaluation.study import scoring
from evaluation.study.applies_to import judged_here
from evaluation.study.data import StudyData
from magnitudes.files.words import count

UNCHANGED = 1 - 1e-12  # tau
LEVEL = 0.05  # of p, corrected for the number of choices
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


@analysis(
    "Does the ranking depend on how it was made?",
    applies_to=judged_here,
    titled=True,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Tau and overlap of top sets of the main ranking with the rankings of other choices."""
    if not len(data.units) or not data.runs:
        return Result(["There is no ranking yet that could depend on anything."])
    outcomes, reasons = compute(data, on_progress)
    taus = _taus(outcomes)
    numbers: dict[str, float] = {
        f"{end}_{row.measure}_{row.choice}": getattr(row, end) for row in taus for end in OF_TAU[:3]
    }
    numbers |= {f"band_low_{row.choice}": row.random_low for row in outcomes}
    numbers |= {f"band_high_{row.choice}": row.random_high for row in outcomes}
    numbers |= {f"p_{row.choice}": row.p for row in outcomes if not np.isnan(row.p)}
    figures, table = [_figure(outcomes, taus)] if len(taus) else [], _table(data, outcomes, reasons)
    return Result([_sentences(data, outcomes)], [*figures, table], numbers)


def _taus(outcomes: Frame) -> Frame:
    """Those that are defined, measure by measure."""
    rows = [
        (name, *row)
        for name in scoring.NAMES
        for row in outcomes.of_columns("choice", *(f"{column}_{name}" for column in OF_TAU)).rows
        if not np.isnan(row[1])
    ]
    return Frame.of_rows(["measure", "choice", *OF_TAU], rows)


def _changing(outcomes: Frame) -> Frame:
    """Those that change the order more than as many random units do, the least tau first."""
    return outcomes.where(outcomes["p"] < LEVEL).sorted_by(f"tau_{scoring.NAMES[0]}")


def _sentences(data: StudyData, outcomes: Frame) -> str:
    least = []
    for measure in scoring.measures(data.study):
        if not np.isnan(taus := outcomes[f"tau_{measure.name}"]).all():
            place = np.nanargmin(taus)
            which = f" ({outcomes['choice'][place]})" if taus[place] < UNCHANGED else ""
            least.append(f"{correlation(taus[place], 3)} by {measure.short}{which}")
    if not least:
        return "No order of systems can be compared with that of the main ranking."
    tested, changing = np.isfinite(outcomes["p"]).sum(), len(_changing(outcomes)) or "none"
    return (
        f"Of {count(len(outcomes), 'other choice')} about units, centres and aggregation, "
        f"tau with the main ranking of {count(len(data.runs), 'system')} is at the least "
        f"{' and '.join(least)}. {headline(outcomes)}: of {count(int(tested), 'choice')} that "
        f"leave out units, tau of {changing} lies below that of {N_RESAMPLES} draws of as many "
        f"random units of each topic (Holm, p < {LEVEL:g}, seed {data.seed}). Choices that only "
        "weigh scores otherwise are different by definition."
    )


def headline(outcomes: Frame) -> str:
    """What leaving out units changes, beyond what leaving out as many at random does."""
    changing, measure = _changing(outcomes), scoring.NAMES[0]
    if (_taus(outcomes)["tau"] >= UNCHANGED).all():
        return "No choice changes the order of systems"
    if np.isnan(outcomes["p"]).all():
        return "No choice leaves out units"
    if not len(changing):
        return (
            "No choice can be shown to change the order of systems more than leaving out as many "
            "units at random"
        )
    return (
        f"The order of systems changes with “{changing['choice'][0]}” more than by leaving out as "
        f"many units at random ({scoring.SHORT[measure]}: "
        f"tau {correlation(changing[f'tau_{measure}'][0])})"
    )


def _figure(outcomes: Frame, taus: Frame) -> Figure:
    title, names = "Kendall's tau with the main ranking", outcomes["choice"].tolist()
    down = plots.names("choice", names)
    dots = plots.intervals_of_kinds(ROWS, "tau", title, down, "measure", plots.MEASURES)
    low = {"x": plots.axis("random_low", title), "x2": "random_high"}
    bands = plots.mark("rule", "bands", y=down, **low, colour=plots.INK, opacity=0.2, width=12)
    return taus.figure(
        "tau",
        headline(outcomes),
        "Dots: tau of the main ranking with that of another choice; lines: its 95% interval; grey: "
        f"95% of {N_RESAMPLES} draws that leave out as many units of each topic at random "
        f"({scoring.NAMES[0]}). Look for dots left of the grey: on these choices the "
        "ranking depends.",
        plots.sized(plots.layer(bands, dots), 28 * len(names), plots.WIDTH - 150),
        data={
            ROWS: two_orders.cut(taus).marks(
                lambda row: (
                    f"{row.choice}, {scoring.SHORT[row.measure]}: tau {correlation(row.tau, 3)}"
                )
            ),
            "bands": outcomes.marks(),
        },
    )


def _table(data: StudyData, outcomes: Frame, reasons: list[str]) -> Table:
    return outcomes.table(
        "choices",
        "The main ranking against other choices",
        f"With the main ranking. {two_orders.OF_TAU} overlap: the share of the main ranking's top "
        "set that is in the other. units, topics: those that are left; lost: documents whose every "
        "score is left out, which count as unjudged. Nothing is left out of any other result.",
        f"random: 95% of {N_RESAMPLES} taus of {scoring.NAMES[0]} with as many units "
        "of each topic left out at random; p: that tau is as low so, corrected for the "
        "number of choices (Holm). A dash: nothing is left out.",
        *(OF_LEVELS if data.study.is_graded else OF_MAGNITUDES),
        *(f"A dash: {reason}." for reason in reasons),
    )
