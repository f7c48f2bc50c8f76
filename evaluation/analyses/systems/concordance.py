"""How far magnitudes and labels agree on systems: measured, drawn and tabulated.

For real systems (Figure 10 of the paper) and simulated ones (Figure 11) alike.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, TopicData
from evaluation.analyses.systems import best_units
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Figure, Row, Table, number, percent
from evaluation.measures.names import Measure
from trec.words import count

ALL, OPINIONS = "all units", "all opinions"  # the latter where there are no units
Pick = Callable[[Floats], Floats]
# Of each measure, tau and overlap as the paper prints them.
Printed = Mapping[str, tuple[float, float]]


def _sets(scores: str) -> dict[str, tuple[str, str]]:
    """How systems in the top sets of labels and of scores are drawn."""
    return {
        "top set of both": ("diamond", plots.OTHER),
        "of labels only": ("triangle-up", plots.OTHER),
        f"of {scores} only": ("triangle-right", plots.OTHER),
        "other": ("circle", plots.MARK),
    }


class Ranked(NamedTuple):
    """Systems by one measure: with one kind of labels, and with scores of some of the units.

    scores: what these are called, magnitudes or levels.
    """

    measure: Measure
    kind: str
    units: str
    by_labels: systems.Values
    by_scores: systems.Values
    compared: systems.Compared
    scores: str

    @property
    def of_all(self) -> bool:
        """Whether the scores are of all units, or of all opinions."""
        return self.units != best_units.NAME


def ranked(
    topics: Sequence[TopicData], scores: str, pick: Pick = lambda values: values
) -> list[Ranked]:
    """Every measure with every kind of labels; `pick` makes systems from (topics, runs)."""
    return [
        one
        for kind in systems.kinds(topics)
        for by in systems.MEASURES
        for one in _ranked(topics, scores, kind, by, pick)
    ]


def _ranked(
    topics: Sequence[TopicData], scores: str, kind: str, by: Measure, pick: Pick
) -> Iterator[Ranked]:
    gains_of = systems.KINDS[kind]
    of_labels = systems.measure(topics, [systems.labels(t, gains_of) for t in topics], by)
    everything = [systems.magnitudes(topic) for topic in topics]
    sources = {OPINIONS: everything}
    if not any(topic.said for topic in topics):
        best = [systems.magnitudes(t, best_units.gains(t, gains_of)) for t in topics]
        sources = {ALL: everything, best_units.NAME: best}
    by_labels = systems.Values(*map(pick, of_labels))
    for units, source in sources.items():
        found = systems.Values(*map(pick, systems.measure(topics, source, by)))
        names = ("by labels", f"by {scores}")
        compared = systems.compare(by_labels.values, found.values, names)
        yield Ranked(by, kind, units, by_labels, found, compared, scores)


def said(found: Sequence[Ranked]) -> list[str]:
    """Tau and top sets with scores of all units, and with those of the three best, by labels."""
    of_all = [one for one in found if one.of_all]
    best = [one for one in found if not one.of_all]
    return [
        f"With {kind} labels: "
        + "; ".join(
            f"by {one.measure}, {systems.with_interval(one.compared.tau)}, {_tops(one)}"
            for one in of_all
            if one.kind == kind
        )
        + _of_best([one for one in best if one.kind == kind])
        for kind in dict.fromkeys(one.kind for one in of_all)
    ]


def _of_best(found: Sequence[Ranked]) -> str:
    if not found:
        return "."
    taus = (f"by {one.measure}, {systems.with_interval(one.compared.tau)}" for one in found)
    how = f"With the {best_units.HOW_MANY} best units of each document, as in the paper"
    return f". {how}: {'; '.join(taus)}."


def _tops(one: Ranked) -> str:
    of = one.compared
    if np.isnan(of.overlap):
        return "and top sets cannot be compared"
    first, second = int(of.first.sum()), int(of.second.sum())
    return (
        f"and of the {count(first, 'system')} in the labels' top set {of.both} are among the "
        f"{second} in that of {one.scores} ({percent(of.overlap)})"
    )


def scatters(found: Sequence[Ranked], names: Sequence[str], source: str) -> list[Figure]:
    """A figure for each measure and kind of labels."""
    pairs = dict.fromkeys((one.measure, one.kind) for one in found)
    return [
        _scatter([one for one in found if (one.measure, one.kind) == pair], names, source)
        for pair in pairs
    ]


def _scatter(found: Sequence[Ranked], names: Sequence[str], source: str) -> Figure:
    first = found[0]
    scores = first.scores
    rows = [row for one in found for row in _dots(one, names)]
    panels = (
        " Left, gains come from all units of a document, right from the "
        f"{best_units.HOW_MANY} whose order agrees best with the labels, as in the paper."
    )
    panel = plots.shaped(
        "systems",
        plots.x("scores", f"mean by {scores}", tickCount=3),
        plots.y("labels", f"mean by {first.kind} labels"),
        "set",
        _sets(scores),
        columns=2,
    )
    return Figure(
        f"{first.measure.name.lower()}-{first.kind}",
        f"{first.measure} with {first.kind} labels: {_found(first.compared)}",
        f"One dot a system. The closer all are to a rising line, the more {scores} and labels "
        f"agree; look for those far from it.{panels if len(found) > 1 else ''}",
        plots.panels(panel, "units", [one.units for one in found], columns=2, height=156),
        {
            "systems": [
                {
                    "name": f"{name}: {number(x)} by {scores}, {number(y)} by labels; {of}",
                    "units": units,
                    "scores": x,
                    "labels": y,
                    "set": of,
                }
                for units, name, x, y, of in rows
            ]
        },
        ("gains_from", "system", f"mean_by_{scores}", "mean_by_labels", "set"),
        rows,
        source,
    )


def _found(of: systems.Compared) -> str:
    if np.isnan(of.tau.tau):
        return f"no tau, as {of.reason}"
    overlap = f", {percent(of.overlap)} of the labels' top set is in both"
    return f"tau {number(of.tau.tau)}{'' if np.isnan(of.overlap) else overlap}"


def _dots(one: Ranked, names: Sequence[str]) -> Iterator[Row]:
    sets = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}
    means = one.by_scores.values.mean(axis=0), one.by_labels.values.mean(axis=0)
    members = zip(one.compared.first.tolist(), one.compared.second.tolist(), strict=True)
    for name, x, y, inside in zip(names, *means, members, strict=True):
        yield one.units, name, float(x), float(y), [*_sets(one.scores)][sets[inside]]


def agreement(found: Sequence[Ranked], paper: Row, printed: Printed) -> Table:
    """Tau and top sets, and below them the paper's; `paper`: its labels, systems and topics."""
    rows: list[Row] = []
    for one in found:
        of, (topics, runs) = one.compared, one.by_labels.values.shape
        sizes = (int(of.first.sum()), int(of.second.sum()), of.both)
        where = (str(one.measure), one.kind, one.units, runs, topics)
        rows.append((*where, *of.tau[:3], *sizes, of.overlap))
    for name, (tau, share) in printed.items():
        labels, *numbers = paper
        where = (f"{name}@10", labels, "the paper's three best", *numbers)
        rows.append((*where, tau, *[None] * 5, share))
    reasons = sorted({one.compared.reason for one in found} - {""})
    return Table(
        "agreement",
        f"Order of systems and top set, by labels and by {found[0].scores}",
        (
            *("measure", "labels", "gains_from", "systems", "topics", "tau", "low", "high"),
            *("top_set_by_labels", f"by_{found[0].scores}", "in_both", "overlap"),
        ),
        rows,
        (
            "tau: Kendall's tau-b of system means, with its 95% interval. Top set: the best system "
            "and all that a two-sided Wilcoxon signed-rank test over topics does not tell from it "
            "(p ≥ 0.05). Overlap: the share of the labels' top set that is in both.",
            *systems.too_few(len(found[0].by_labels.values)),
            *(f"A dash: {reason}." for reason in reasons),
        ),
    )
