"""Systems ranked by other definitions of gain, from the same judgments."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation import named_gains
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study import levels as in_levels
from evaluation.analyses.study.data import Floats, StudyData, TopicData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    drawn,
    listed,
    number,
    percent,
)
from evaluation.comparison.compared import compare
from evaluation.comparison.correlation import Tau
from evaluation.gains import GainError
from evaluation.gains.disagreement import disagreement
from evaluation.gains.level_weights import level_weights
from evaluation.gains.scores import LEVELS
from evaluation.measures.names import Measure
from evaluation.scaling import ScalingError
from trec.words import count

SOURCE = "Table 2 of Sakai, EVIA 2017"  # which compares two of these
SAME = 1 - 1e-12
PANEL = 135  # pixels
CUT = (
    f"linear, exponential, udm: normalised scores cut into {LEVELS} levels, in equal ratios "
    "between the gains of each topic's N_k and H_k. raw, weighted, unanimity: "
    "log(s / N_k) / log(H_k / N_k) as ratings from 0 to 1, of which Dmax is 1; what is better "
    "than H_k counts as H_k."
)


class Against(NamedTuple):
    """The order by a definition against the usual one; members: of its top set."""

    name: str
    tau: Tau
    overlap: float
    members: int
    reason: str


class Ranked(NamedTuple):
    """Systems by one definition against the usual one, by measure; `topics`: those that count."""

    name: str
    gains: Floats  # (items,)
    topics: int
    against: list[Against]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau and overlap of top sets of the usual ranking with those of other definitions of gain."""
    if not data.units or not data.runs:
        return Analysed(["There is no ranking yet that other gains could change."])
    usual = named_gains.usual(data.study)
    names = [name for name in named_gains.choices(data.study) if name != usual]
    found, faults = [], []
    for done, name in enumerate(names):
        try:
            found.append(_ranked(data, usual, name))
        except named_gains.NoSuchGains as fault:
            faults.append(str(fault))
        tell((done + 1) / len(names))
    if not found:
        return Analysed([f"No other gains can be computed. {'; '.join(faults)}."])
    left = [f"Left out: {fault}." for fault in faults]
    faults += sorted({row.reason for one in found for row in one.against} - {""})
    drawn = [row for one in found for row in one.against if not np.isnan(row.tau.tau)]
    figures = [_figure(usual, found)] if drawn else []
    return Analysed(
        [*_says(data, usual, found), *left],
        [*figures, _table(data, usual, found, faults)],
        {
            f"tau_{by.name}_{one.name}": row.tau.tau
            for one in found
            for by, row in zip(systems.MEASURES, one.against, strict=True)
        },
    )


def _ranked(data: StudyData, usual: str, name: str) -> Ranked:
    gains = systems.gains_by(data, named_gains.named(data.study, name))
    known = [
        (topic, of)
        for topic, of in zip(data.topics, np.split(gains, data.offsets[1:-1]), strict=True)
        if not np.isnan(of).all()
    ]
    against = [
        _against(_values([(topic, topic.gains) for topic, _ in known], by), values, (usual, name))
        for by in systems.MEASURES
        for values in [_values(known, by)]
    ]
    return Ranked(name, gains, len(known), against)


def _against(usual: Floats, values: Floats, names: tuple[str, str]) -> Against:
    """Of systems in no order all are on top, which says nothing of who is."""
    found = compare(usual, values, (f"ranking by {names[0]}", f"ranking by {names[1]}"))
    overlap = np.nan if np.isnan(found.tau.tau) else found.overlap
    return Against(names[1], found.tau, overlap, int(found.second.sum()), found.reason)


def _values(known: Sequence[tuple[TopicData, Floats]], by: Measure) -> Floats:
    sources = (systems.magnitudes(topic, gains) for topic, gains in known)
    return systems.measure([topic for topic, _ in known], sources, by).values


def _says(data: StudyData, usual: str, found: Sequence[Ranked]) -> Iterator[str]:
    yield (
        f"{count(len(data.runs), 'system')} on {count(len(data.topics), 'topic')} are ranked by "
        f"the gains “{usual}”, and by {count(len(found), 'other definition')} of gain from the "
        "same judgments."
    )
    for place, by in enumerate(systems.MEASURES):
        rows = [one.against[place] for one in found]
        known = [row for row in rows if not np.isnan(row.tau.tau)]
        if not known:
            yield f"By {by} no two orders can be compared: {rows[0].reason}."
            continue
        least = min(known, key=lambda row: row.tau.tau)
        if least.tau.tau >= SAME:
            under = "all of them" if known == rows else listed(row.name for row in known)
            yield f"By {by} the order of systems is the same under {under}."
            continue
        yield (
            f"By {by} the order changes most with {least.name}: "
            f"{systems.with_interval(least.tau)}.{_overlap(known)}"
        )
    if too_few := systems.too_few(len(data.topics)):
        yield too_few[0]
    for one in found:
        if one.topics < len(data.topics):
            left = count(len(data.topics) - one.topics, "topic")
            yield f"Left out of {one.name}: {left} without such a gain."


def _overlap(rows: Sequence[Against]) -> str:
    known = [row for row in rows if not np.isnan(row.overlap)]
    if not known:
        return ""
    least = min(known, key=lambda row: row.overlap)
    if least.overlap == 1:
        return " Whoever is in the usual top set stays in it under all of them."
    return (
        f" Of the usual top set, {percent(least.overlap)} stay in it with {least.name}, the fewest."
    )


class Mark(NamedTuple):
    """Tau and overlap of top sets with the usual gains, by a measure and another definition."""

    measure: str
    gain: str
    tau: float
    low: float
    high: float
    overlap: float


def _figure(usual: str, found: Sequence[Ranked]) -> Figure:
    rows = [
        Mark(measure.name, ranked.name, *against.tau[:3], against.overlap)
        for ranked in found
        for measure, against in zip(systems.MEASURES, ranked.against, strict=True)
        if not np.isnan(against.tau.tau)
    ]
    least = min(rows, key=lambda row: row.tau)
    every = len(rows) == len(found) * len(systems.MEASURES)
    lowest = min([0.0, *(row.low for row in rows if not np.isnan(row.low))])
    with_sets = [row for row in rows if not np.isnan(row.overlap)]
    return Figure(
        "gains",
        f"No definition of gain {'' if every else 'that ranks systems '}changes the order"
        if least.tau >= SAME
        else f"The order changes most by {least.measure} with {least.gain}: tau "
        f"{number(least.tau)}",
        f"Left: tau of the order by “{usual}” with that of another definition, and its 95% "
        "interval. Right: the share of its top set that is in the other. Look for marks far to "
        "the left: there the ranking depends on how gain is defined.",
        _chart([ranked.name for ranked in found], lowest),
        {
            "gains": drawn(rows, "measure gain tau low high", _says_tau),
            "sets": drawn(with_sets, "measure gain overlap", _says_overlap),
        },
        Mark,
        rows,
        SOURCE,
    )


def _says_tau(row: Mark) -> str:
    return f"{row.gain}, {row.measure}: tau {number(row.tau)}"


def _says_overlap(row: Mark) -> str:
    return f"{row.gain}, {row.measure}: {percent(row.overlap)} of the top set"


def _chart(names: list[str], lowest: float) -> Any:
    """Taus with their intervals, and beside them the overlaps; lowest: the end of an interval."""
    apart = plots.alt.YOffset("measure:N", sort=list(plots.MEASURES))
    ticks: dict[str, Any] = {"values": [-1, -0.5, 0, 0.5, 1]}
    axis: dict[str, Any] = {"domain": (max(lowest, -1), 1), **ticks}
    down = plots.down("gain", names)
    spans = plots.on("gains").mark_rule(color=plots.INK, opacity=0.5, aria=False, clip=True)
    ends = spans.encode(x=plots.x("low", "tau", **axis), x2="high:Q", y=down, yOffset=apart)
    dots = plots.shaped("gains", plots.x("tau", "tau", **axis), down, "measure", plots.MEASURES)
    shares = plots.x("overlap", "overlap of top sets", domain=(0, 1), format="%", **ticks)
    bare = plots.alt.Y("gain:N", sort=names, title=None, axis=None)
    members = plots.shaped("sets", shares, bare, "measure", plots.MEASURES)
    height = 28 * len(names)
    return plots.alt.hconcat(
        plots.sized(plots.alt.layer(ends, dots.encode(yOffset=apart)), height, PANEL),
        plots.sized(members.encode(yOffset=apart), height, PANEL),
        spacing=24,
    )


def _table(data: StudyData, usual: str, found: Sequence[Ranked], faults: Sequence[str]) -> Table:
    rows: list[Row] = [
        (
            *(one.name, one.topics, int((~np.isnan(one.gains)).sum()), _zeros(one.gains)),
            *(cell for row in one.against for cell in (*row.tau[:3], row.overlap, row.members)),
        )
        for one in found
    ]
    return Table(
        "definitions",
        f"Systems by other definitions of gain, against “{usual}”",
        (
            *("gain", "topics", "documents", "worth_nothing"),
            *(
                f"{of}_{by.name}"
                for by in systems.MEASURES
                for of in ("tau", "low", "high", "overlap", "top_set")
            ),
        ),
        rows,
        (
            "tau: Kendall's tau-b with the order by the usual gains, on the same topics, with its "
            "95% interval; overlap: the share of the usual top set that is in the other, which is "
            "the higher the larger the other; top_set: how many systems are in it. documents: "
            "those that have such a gain; worth_nothing: the share of them whose gain is 0.",
            *_weights(data),
            *([] if data.study.is_graded else [CUT]),
            *systems.too_few(len(data.topics)),
            *(f"A dash, or a row that is not there: {fault}." for fault in faults),
        ),
        SOURCE,
    )


def _zeros(gains: Floats) -> float:
    known = gains[~np.isnan(gains)]
    return float((known == 0).mean()) if known.size else np.nan


def _weights(data: StudyData) -> Iterator[str]:
    """The weights of levels that the user disagreement model has found."""
    try:
        weights = level_weights(disagreement(in_levels.opinions(data)).p, 1, 3)
    except (GainError, ScalingError):
        return
    said = ", ".join("not known" if np.isnan(w) else number(w) for w in weights.tolist())
    yield f"udm:1/3: the weights of levels, lowest first, are {said}."


ANALYSIS = Analysis("definitions", "Does the ranking depend on how gain is defined?", analyse)
