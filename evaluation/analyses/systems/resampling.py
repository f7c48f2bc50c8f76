"""The order of systems with one score a document, drawn at random (section 7.3, Figure 12)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData, TopicData
from evaluation.analyses.systems import subruns
from evaluation.analyses.telling import boxes as boxing
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, number
from evaluation.comparison.correlation import tau_b
from evaluation.comparison.resampling import QUANTILES, quantiles, resample

DRAWS = 1000
REAL, SIMULATED = "runs", "simulated systems"


class Group(NamedTuple):
    """Systems by their lists on some topics, (systems, depth) each."""

    name: str
    topics: list[TopicData]
    lists: list[systems.Codes]


class Drawn(NamedTuple):
    """Tau of each draw with the order by labels (NaN: all systems equal), and tau of all scores."""

    systems: str
    name: str
    taus: Floats
    of_all: float
    reason: str


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """The distribution of tau when every document has one score of those it was given."""
    if reason := systems.why_not(data):
        return Analysed([reason])
    groups = [*_groups(data)]
    found: list[Drawn] = []
    for done, group in enumerate(groups):
        for one in _drawn(group, data.seed):
            found.append(one)
            tell((done + 0.5) / len(groups))
    defined = [one for one in found if not np.isnan(one.taus).all()]
    reasons = sorted({one.reason for one in found} - {""})
    if not defined:
        why = "; ".join(reasons) or "all draws make all systems equal"
        return Analysed([f"No order of systems can be compared: {why}."])
    return Analysed(
        [
            f"One score of each document was drawn {DRAWS:,} times, and systems ranked by these "
            "alone. In the paper, tau with the three best-agreeing units of each document (its "
            "Figures 10 and 11) lies around the middle of such draws.",
            *(_said(one) for one in defined if one.systems == REAL),
        ],
        [
            *(
                _figure([one for one in defined if one.systems == name])
                for name in dict.fromkeys(one.systems for one in defined)
            ),
            _table(found, reasons),
        ],
    )


def _groups(data: StudyData) -> Iterator[Group]:
    topics = systems.labelled(data)
    yield Group(REAL, topics, [topic.lists for topic in topics])
    kept, made = subruns.simulated(data)
    if len(kept) >= subruns.LEAST:
        chosen = zip(kept, made.choices.T, strict=True)
        yield Group(SIMULATED, kept, [topic.lists[choice] for topic, choice in chosen])


def _drawn(group: Group, seed: int) -> Iterator[Drawn]:
    scored = [systems.drawable(*both) for both in zip(group.topics, group.lists, strict=True)]
    for kind in systems.kinds(group.topics):
        of_labels = [systems.labels(topic, systems.KINDS[kind]) for topic in group.topics]
        of_all = [systems.magnitudes(topic) for topic in group.topics]
        for by in systems.MEASURES:
            reference, usual = (
                systems.measure_lists(group.lists, sources, by).values
                for sources in (of_labels, of_all)
            )
            name = f"order by {kind} labels"
            found = resample(scored, by, reference, DRAWS, seed, name=name)
            tau = tau_b(reference.mean(axis=0), usual.mean(axis=0))
            yield Drawn(group.name, f"{by.name}, {kind}", found.taus, tau, found.reason)


def _said(one: Drawn) -> str:
    low, _, median, _, high = quantiles(one.taus)
    return (
        f"{one.name} labels: tau is {number(median)} at the median and {number(low)} to "
        f"{number(high)} in 95% of draws, and {number(one.of_all)} with the medians of all scores."
    )


def _figure(found: Sequence[Drawn]) -> Figure:
    names = [one.name for one in found]
    taus = [one.taus[~np.isnan(one.taus)] for one in found]
    groups = np.repeat(np.arange(len(found)), [len(tau) for tau in taus])
    made = boxing.rows(np.concatenate(taus), groups, [{"by": name, "name": name} for name in names])
    rows = [{key: row[key] for key in row.keys() - {"mean"}} for row in made]
    rows += [
        {
            "by": one.name,
            "mean": one.of_all,
            "name": f"{one.name}: {number(one.of_all)}, all scores",
        }
        for one in found
    ]
    low, *_, high = quantiles(found[0].taus)
    return Figure(
        found[0].systems.replace(" ", "-"),
        f"Tau of {found[0].systems} with one score a document: {number(low)} to {number(high)} in "
        f"95% of draws by {found[0].name} labels; {number(found[0].of_all)} with all scores",
        "Boxes: tau of each draw with the order by labels. Diamonds: tau with the medians of all "
        "scores. Look for high boxes, which say that one person depends much on who it is, and for "
        "diamonds above them: many scores agree with labels better than one.",
        plots.sized(plots.boxes("taus", plots.category("by", names), "Kendall's tau", means=True)),
        {"taus": rows},
        ("labels", "draw", "tau"),
        [(one.name, draw + 1, tau) for one in found for draw, tau in enumerate(one.taus.tolist())],
        "Figure 12",
    )


def _table(found: Sequence[Drawn], reasons: Sequence[str]) -> Table:
    rows: list[Row] = []
    for one in found:
        undefined = int(np.isnan(one.taus).sum())
        rows.append((one.systems, one.name, *quantiles(one.taus), one.of_all, undefined))
    return Table(
        "quantiles",
        f"Kendall's tau with the order by labels, {DRAWS:,} draws",
        (
            *("systems", "measure_and_labels"),
            *(f"{100 * share:g}%" for share in QUANTILES),
            *("all_scores", "undefined"),
        ),
        rows,
        (
            "undefined: draws that make all systems equal.",
            *(f"A dash: {reason}." for reason in reasons),
        ),
    )


ANALYSIS = Analysis("resampling", "How much depends on who judged a document?", analyse)
