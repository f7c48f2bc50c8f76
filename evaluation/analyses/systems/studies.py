"""This study beside others of the same collection: do they rank systems and documents alike?"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, Ints, StudyData, TopicData
from evaluation.analyses.study.other_studies import OtherStudy
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, number, percent
from evaluation.comparison.correlation import tau_b
from evaluation.measures.names import Measure
from trec.words import count


class Shared(NamedTuple):
    """What two studies have in common on one topic: gains of the same documents, by code."""

    topic: TopicData
    codes: Ints
    here: Floats
    there: Floats


class Beside(NamedTuple):
    """Another study beside this one."""

    other: OtherStudy
    topics: list[Shared]
    values: dict[Measure, tuple[Floats, Floats, systems.Compared]]  # there, here


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau, top sets, and agreement on documents with every other study of the collection."""
    if not data.others:
        return Analysed(["The collection has no other study with results to compare with."])
    found = []
    for done, other in enumerate(data.others, start=1):
        found.append(_beside(data, other))
        tell(done / len(data.others))
    common = [one for one in found if one.topics]
    figures = [_scatter(data, one) for one in common if one.values]
    return Analysed(
        [*_says(data, found)],
        [*figures, *([_systems(common), _documents(common)] if common else [])],
        {
            one.other.slug: {
                "topics": len(one.topics),
                "documents": sum(len(shared.codes) for shared in one.topics),
                "tau_of_documents": _mean(_taus(one)),
                **{f"tau_{by.name}": of.tau.tau for by, (_, _, of) in one.values.items()},
            }
            for one in common
        },
    )


def _beside(data: StudyData, other: OtherStudy) -> Beside:
    topics = [
        shared
        for topic in data.topics
        if topic.query_id in other.gains
        for shared in [_shared(topic, *other.gains[topic.query_id])]
        if shared.codes.size
    ]
    values = {}
    for by in systems.MEASURES if topics and data.runs else ():
        here, there = (
            systems.measure([one.topic for one in topics], sources, by).values
            for sources in (
                [systems.magnitudes(one.topic) for one in topics],
                [systems.Source(*other.gains[one.topic.query_id]) for one in topics],
            )
        )
        values[by] = there, here, systems.compare(there, here, (f"by {other.slug}", "by this one"))
    return Beside(other, topics, values)


def _shared(topic: TopicData, codes: Ints, gains: Floats) -> Shared:
    judged = np.flatnonzero(~np.isnan(topic.gains))
    both, here, there = np.intersect1d(topic.codes[judged], codes, return_indices=True)
    return Shared(topic, both, topic.gains[judged[here]], gains[there])


def _taus(one: Beside) -> Floats:
    """Tau-b of the gains of the documents that both have judged, by topic."""
    return np.array([tau_b(shared.here, shared.there) for shared in one.topics])


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def _named(one: OtherStudy) -> str:
    return f"“{one.slug}” ({', '.join(filter(None, (one.scale, one.mark)))})"


def _says(data: StudyData, found: Sequence[Beside]) -> Iterator[str]:
    for one in found:
        if not one.topics:
            yield f"With the study {_named(one.other)} this one has no judged document in common."
            continue
        documents = sum(len(shared.codes) for shared in one.topics)
        orders = "; ".join(
            f"by {by}, {systems.with_interval(of.tau)}, {_tops(of)}"
            for by, (_, _, of) in one.values.items()
        )
        yield (
            f"With the study {_named(one.other)} this one shares "
            f"{count(len(one.topics), 'topic')} and {count(documents, 'document')}. "
            + (f"Systems: {orders}. " if orders else "")
            + f"Documents: the mean over topics of tau between their gains is "
            f"{number(_mean(_taus(one)))}."
        )
    yield from systems.too_few(max((len(one.topics) for one in found), default=0))
    if not data.runs:
        yield "The collection has no run: there is no system to rank."


def _tops(of: systems.Compared) -> str:
    if np.isnan(of.overlap):
        return "and top sets cannot be compared"
    sizes = f"{int(of.first.sum())} there, {int(of.second.sum())} here, {of.both} in both"
    return f"top sets: {sizes} ({percent(of.overlap)} of those there)"


def _scatter(data: StudyData, one: Beside) -> Figure:
    rows: list[Row] = [
        (str(by), name, x, y)
        for by, (there, here, _) in one.values.items()
        for name, x, y in zip(
            data.runs, there.mean(axis=0).tolist(), here.mean(axis=0).tolist(), strict=True
        )
    ]
    by, (_, _, of) = next(iter(one.values.items()))
    panel = plots.points(
        "systems",
        plots.x("there", "mean in the other", tickCount=3),
        plots.y("here", "mean in this study"),
    )
    return Figure(
        f"systems-{one.other.slug}",
        f"Systems here and in {one.other.slug}: tau {number(of.tau.tau)} by {by}",
        "One dot a system, on the topics that both studies have. The closer all are to a rising "
        "line, the more alike both rank systems; look for those far from it.",
        plots.panels(panel, "measure", [str(by) for by in one.values], columns=2, height=156),
        {
            "systems": [
                {
                    "name": f"{name}: {number(x)} there, {number(y)} here",
                    "measure": measure,
                    "there": x,
                    "here": y,
                }
                for measure, name, x, y in rows
            ]
        },
        ("measure", "system", "mean_there", "mean_here"),
        rows,
    )


def _systems(found: Sequence[Beside]) -> Table:
    rows: list[Row] = []
    for one in found:
        for by, (_, here, of) in one.values.items():
            sizes = int(of.first.sum()), int(of.second.sum()), of.both, of.overlap
            rows.append((one.other.slug, str(by), *here.shape[::-1], *of.tau[:3], *sizes))
    reasons = {of.reason for one in found for _, _, of in one.values.values()} - {""}
    return Table(
        "order",
        "Order of systems and top set, here and in other studies",
        (
            *("study", "measure", "systems", "topics", "tau", "low", "high"),
            *("top_set_there", "top_set_here", "in_both", "overlap"),
        ),
        rows,
        (
            "tau: Kendall's tau-b of system means, with its 95% interval. Top set: the best system "
            "and all that a two-sided Wilcoxon signed-rank test over topics does not tell from it "
            "(p ≥ 0.05). Overlap: the share of the other study's top set that is in both.",
            *(f"A dash: {reason}." for reason in sorted(reasons)),
        ),
    )


def _documents(found: Sequence[Beside]) -> Table:
    return Table(
        "documents",
        "Documents that both judged, by topic",
        ("study", "query_id", "documents", "tau"),
        [
            (one.other.slug, shared.topic.query_id, len(shared.codes), tau)
            for one in found
            for shared, tau in zip(one.topics, _taus(one).tolist(), strict=True)
        ],
        (
            "tau: Kendall's tau-b of the gains; NaN, shown as a dash, where one study gave all of "
            "them the same.",
        ),
    )


ANALYSIS = Analysis(
    "studies", "Do other studies of this collection say the same?", analyse, of_others=True
)
