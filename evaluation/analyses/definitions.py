"""Systems ranked by other definitions of gain, from the same judgments."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation import named_gains
from evaluation.analyses import in_levels, plots, systems
from evaluation.analyses.data import Floats, StudyData, TopicData
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, listed, number, percent
from evaluation.analyses.sensitivity import KINDS
from evaluation.comparison.sensitivity import Row as Compared
from evaluation.comparison.sensitivity import sensitivity
from evaluation.gains import GainError
from evaluation.gains.disagreement import disagreement
from evaluation.gains.level_weights import level_weights
from evaluation.gains.named import parse
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


class Ranked(NamedTuple):
    """Systems by one definition against the usual one, by measure; `topics`: those that count."""

    name: str
    gains: Floats  # (items,)
    topics: int
    against: list[Compared]


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
        except (GainError, ScalingError) as fault:
            faults.append(f"{name}: {fault}")
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
    said = in_levels.opinions(data) if data.study.is_graded else data.magnitudes
    gains = parse(name, data.study.ratings_wanted).gains(said)
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


def _against(usual: Floats, values: Floats, names: tuple[str, str]) -> Compared:
    """Of systems in no order all are on top, which says nothing of who is."""
    [row] = sensitivity(usual, {names[1]: values})
    if not np.isnan(row.tau.tau):
        return row
    reason = row.tau.reason
    for place, name in zip(("first", "second"), names, strict=True):
        reason = reason.replace(f"{place} list", f"ranking by {name}")
    return row._replace(overlap=np.nan, reason=reason)


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


def _overlap(rows: Sequence[Compared]) -> str:
    known = [row for row in rows if not np.isnan(row.overlap)]
    if not known:
        return ""
    least = min(known, key=lambda row: row.overlap)
    if least.overlap == 1:
        return " Whoever is in the usual top set stays in it under all of them."
    return (
        f" Of the usual top set, {percent(least.overlap)} stay in it with {least.name}, the fewest."
    )


def _figure(usual: str, found: Sequence[Ranked]) -> Figure:
    rows = [
        (by.name, one.name, *row.tau[:3], row.overlap)
        for one in found
        for by, row in zip(systems.MEASURES, one.against, strict=True)
        if not np.isnan(row.tau.tau)
    ]
    names = [one.name for one in found]
    least = min(rows, key=lambda row: row[2])
    every = len(rows) == len(found) * len(systems.MEASURES)
    lowest = min([0.0, *(row[3] for row in rows if not np.isnan(row[3]))])
    apart = plots.alt.YOffset("measure:N", sort=list(KINDS))
    ticks: dict[str, Any] = {"values": [-1, -0.5, 0, 0.5, 1]}
    axis: dict[str, Any] = {"domain": (max(lowest, -1), 1), **ticks}
    spans = plots.on("gains").mark_rule(color=plots.INK, opacity=0.5, aria=False, clip=True)
    ends = spans.encode(
        x=plots.x("low", "tau", **axis),
        x2="high:Q",
        y=plots.down("gain", names),
        yOffset=apart,
    )
    dots = plots.shaped(
        "gains", plots.x("tau", "tau", **axis), plots.down("gain", names), "measure", KINDS
    )
    shares = plots.x("overlap", "overlap of top sets", domain=(0, 1), format="%", **ticks)
    bare = plots.alt.Y("gain:N", sort=names, title=None, axis=None)
    members = plots.shaped("sets", shares, bare, "measure", KINDS)
    height = 28 * len(names)
    return Figure(
        "gains",
        f"No definition of gain {'' if every else 'that ranks systems '}changes the order"
        if least[2] >= SAME
        else f"The order changes most by {least[0]} with {least[1]}: tau {number(least[2])}",
        f"Left: tau of the order by “{usual}” with that of another definition, and its 95% "
        "interval. Right: the share of its top set that is in the other. Look for marks far to "
        "the left: there the ranking depends on how gain is defined.",
        plots.alt.hconcat(
            plots.sized(plots.alt.layer(ends, dots.encode(yOffset=apart)), height, PANEL),
            plots.sized(members.encode(yOffset=apart), height, PANEL),
            spacing=24,
        ),
        {
            "gains": [
                {
                    "measure": by,
                    "gain": name,
                    "tau": tau,
                    "low": low,
                    "high": high,
                    "name": f"{name}, {by}: tau {number(tau)}",
                }
                for by, name, tau, low, high, _ in rows
            ],
            "sets": [
                {
                    "measure": by,
                    "gain": name,
                    "overlap": overlap,
                    "name": f"{name}, {by}: {percent(overlap)} of the top set",
                }
                for by, name, *_, overlap in rows
                if not np.isnan(overlap)
            ],
        },
        ("measure", "gain", "tau", "low", "high", "overlap"),
        rows,
        SOURCE,
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
