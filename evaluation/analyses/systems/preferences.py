"""Systems by how well they keep the order of judged documents (De Beer and Moens, SIGIR 2006)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.systems import partitions
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Table,
    Tell,
    correlation,
    drawn,
    number,
    percent,
    span,
)
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import magnitude
from evaluation.study.topics import TopicData
from evaluation.study.whole_lists import Codes
from magnitudes.comparison.compared import Compared, compare
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.ranks import competition_ranks, rounded
from magnitudes.files.words import count
from magnitudes.measures.lists import END, Ints, Lists, numbers_of, places_of
from magnitudes.measures.names import Measure, parse

MEASURES = {
    "rpref": parse("rpref"),
    "relative": parse("rpref(norm='relative')"),
    "bpref_de_beer_moens": parse("bpref_de_beer_moens"),
}
NAMES = {
    "rpref": "rpref",
    "relative": "rpref, relative",
    "bpref_de_beer_moens": "bpref of De Beer and Moens",
}
PANELS = ("rpref", "relative")


class Mean(NamedTuple):
    """A system's mean by a measure of preference, beside that by the study's first measure."""

    measure: str
    system: str
    usual: float
    mean: float


class Order(NamedTuple):
    """The order of systems by a measure of preference against the study's first measure."""

    measure: str
    mean: float
    tau: float
    low: float
    high: float
    top_set: int | None
    top_set_by_it: int | None
    in_both: int | None
    overlap: float


@dataclass(frozen=True)
class Found:
    """Values, (topics, runs), by the study's first measure, and by name by those of preference.

    judged: of the documents in a run's lists the share that is judged, (runs,), NaN without any; at
    cutoff: of those that the measure looks at; of all: in all runs together. one_gain: no topic has
    two gains above 0.
    """

    runs: list[str]
    measure: Measure
    usual: Floats
    values: Mapping[str, Floats]
    compared: Mapping[str, Compared]
    judged: Floats
    judged_at_cutoff: Floats
    judged_of_all: float
    one_gain: bool

    def means(self, name: str) -> Floats:
        return self.values[name].mean(axis=0)


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Every system by rpref and their bpref, beside the study's first measure."""
    if not data.runs or not data.topics:
        missing = "no completed unit" if data.runs else "no run"
        return Analysed([f"There is {missing}: there is no system to rank."])
    lists = [_lists(topic, codes) for topic, codes in zip(data.topics, data.lists, strict=True)]
    if all((of_topic.places == END).all() for of_topic in lists):
        return Analysed(["No system has a list for a topic: there is no order of documents."])
    judged = [_judged_alone(of_topic) for of_topic in lists]
    found = compute(data, lists, judged)
    tell(0.3)
    steps = partitions.compute(
        judged, data.runs, found.means("relative"), lambda share: tell(0.3 + 0.6 * share)
    )
    return Analysed(
        [*says(found), partitions.says(steps), *limits(found)],
        [
            figure(found),
            partitions.figure(steps),
            agreement(found),
            partitions.table(steps),
            systems(found),
        ],
        {f"tau_{name}": compared.tau.tau for name, compared in found.compared.items()},
    )


def _lists(topic: TopicData, codes: Codes) -> Lists:
    """Every run to its end on a topic."""
    judged = ~np.isnan(topic.gains)
    numbers = numbers_of(topic.gains, topic.h_k, topic.n_k)
    return Lists(places_of(codes, topic.codes[judged]), topic.gains[judged], numbers)


def _judged_alone(lists: Lists) -> Lists:
    """Without unjudged documents, which do not count here; a run that has no other keeps one."""
    unjudged = lists.places < 0
    longest = max(1, (~unjudged).sum(axis=1).max(initial=0))
    ranks = np.argsort(unjudged, axis=1, kind="stable")[:, :longest]
    return Lists(np.take_along_axis(lists.places, ranks, axis=1), lists.gains, lists.numbers)


def compute(data: StudyData, lists: Sequence[Lists], judged: Sequence[Lists]) -> Found:
    """lists, judged: whole lists and those of judged documents alone, one entry a topic."""
    measure = comparing.first(data.study)
    usual = comparing.measure(data.topics, map(comparing.magnitudes, data.topics), measure).values
    values = {
        name: np.stack([of_topic.measure(by).values for of_topic in judged])
        for name, by in _measures(data).items()
    }
    every = [of_topic.places for of_topic in lists]
    gains = [np.unique(of_topic.gains[of_topic.gains > 0]) for of_topic in lists]
    return Found(
        data.runs,
        measure,
        usual,
        values,
        {
            name: compare(usual, by_it, (f"ranking by {measure}", f"ranking by {NAMES[name]}"))
            for name, by_it in values.items()
        },
        _share_judged(every),
        _share_judged([places[:, : measure.cutoff] for places in every]),
        float(_share_judged([places.reshape(1, -1) for places in every])[0]),
        all(len(different) < 2 for different in gains),
    )


def _measures(data: StudyData) -> dict[str, Measure]:
    """Of magnitudes bpref needs to know which are relevant, which anchors tell."""
    if not magnitude(data.study):
        return MEASURES
    in_study = {name: by.in_study() for name, by in MEASURES.items()}
    return {
        name: by for name, by in in_study.items() if data.has_anchors or "anchors" not in by.needs
    }


def _share_judged(places: Sequence[Ints]) -> Floats:
    """Of the documents in the lists of all topics the share that is judged, (runs,); or NaN."""
    judged = np.sum([(of_topic >= 0).sum(axis=1) for of_topic in places], axis=0)
    listed = np.sum([(of_topic != END).sum(axis=1) for of_topic in places], axis=0)
    share = np.full(len(listed), np.nan)
    return np.divide(judged, listed, out=share, where=listed > 0)


def says(found: Found) -> Iterator[str]:
    taus = "; ".join(f"by {NAMES[name]} {_tau(order)}" for name, order in found.compared.items())
    yield (
        f"{count(len(found.runs), 'system')} on {count(len(found.usual), 'topic')}, by how much "
        "better documents stand below worse ones. The order of systems beside that by "
        f"{found.measure}: {taus}."
    )
    known = found.judged_at_cutoff[~np.isnan(found.judged_at_cutoff)]
    yield (
        f"{percent(found.judged_of_all, 1)} of the documents in rankings are judged, of the first "
        f"{found.measure.cutoff} {span(known.min(), known.max(), percent)}, by system. Others are "
        f"as if they were not in the list, where {found.measure} takes them for worthless: who "
        "finds what nobody judged loses by that measure, and not by these."
    )
    yield _beware(found)


def _tau(compared: Compared) -> str:
    if np.isnan(compared.tau.tau):
        return f"no tau, as {compared.reason}"
    return comparing.with_interval(compared.tau)


def _beware(found: Found) -> str:
    """Who retrieves few judged documents has little to lose."""
    means = rounded(found.means("rpref"))
    best = int(means.argmax())
    tau = tau_b(means, rounded(found.judged))
    with_share = f", and tau of rpref with that share is {correlation(tau, 3)} over systems"
    return (
        "Beware: a document that a system does not retrieve loses only to judged ones that it "
        "does, so that who retrieves few of them has little to lose. "
        f"{found.runs[best]}, first by rpref, has {percent(float(found.judged[best]))} of its "
        f"documents judged, systems in the mean {percent(float(np.nanmean(found.judged)))}"
        f"{with_share if np.isfinite(tau) else ''}. The relative form is less open to this: it "
        "divides what a document loses by the number of judged ones above it."
    )


def limits(found: Found) -> Iterator[str]:
    if found.one_gain:
        yield (
            "No topic has documents of different gain above 0: rpref is the same as "
            f"{NAMES['bpref_de_beer_moens']} here."
        )
    yield from comparing.too_few(len(found.usual))


def figure(found: Found) -> Figure:
    usual = found.usual.mean(axis=0).tolist()
    rows = [
        Mean(NAMES[name], *means)
        for name in PANELS
        for means in zip(found.runs, usual, found.means(name).tolist(), strict=True)
    ]
    across = plots.axis("usual", f"mean {found.measure.name}", ticks=3)
    dots = plots.points("systems", across, plots.axis("value", "mean"))
    panels = [NAMES[name] for name in PANELS]
    return Figure(
        "means",
        _title(found),
        "One dot a system. The closer all are to a rising line, the more alike both measures order "
        "systems; look for those far above it: they keep what is judged in order, or retrieve so "
        "little of it that there is little to keep.",
        plots.panels(dots, "measure", panels),
        {"systems": drawn(rows, "measure usual", _tooltip(found.measure), value="mean")},
        ("measure", "system", f"mean_{found.measure.name.lower()}", "mean"),
        rows,
    )


def _title(found: Found) -> str:
    """Tau with the usual order, and with how many of a system's documents are judged.

    All are computed of the same lists and gains, so that no order is a sample of another.
    """
    alike = found.compared[PANELS[0]]
    if np.isnan(alike.tau.tau):
        return f"No tau by rpref and by {found.measure.brief}: {alike.reason}"
    said = f"Tau of systems by rpref is {correlation(alike.tau.tau)} with {found.measure.brief}"
    share = tau_b(rounded(found.means("rpref")), rounded(found.judged))
    if np.isnan(share):
        return said
    return f"{said}, and {correlation(share)} with the share of their documents that is judged"


def _tooltip(usual: Measure) -> Callable[[Mean], str]:
    return lambda row: (
        f"{row.system}: {row.measure} {number(row.mean)}, {usual} {number(row.usual)}"
    )


def agreement(found: Found) -> Table:
    rows = [
        Order(
            NAMES[name],
            float(found.values[name].mean()),
            *compared.tau[:3],
            *compared.sizes,
            compared.overlap,
        )
        for name, compared in found.compared.items()
    ]
    reasons = sorted({compared.reason for compared in found.compared.values()} - {""})
    return Table(
        "agreement",
        f"Order of systems and top set, by {found.measure} and by measures of preference",
        Order,
        rows,
        (
            f"Against the order by {found.measure}. {comparing.OF_TAU}",
            f"{comparing.TOP_SET} Overlap: the share of the top set by {found.measure} that is in "
            "both.",
            *(f"A dash: {reason}." for reason in reasons),
        ),
        limits=comparing.TAU_ENDS,
    )


def systems(found: Found) -> Table:
    means = {found.measure.name.lower(): found.usual.mean(axis=0)}
    means |= {name: found.means(name) for name in found.values}
    ranks = {name: competition_ranks(of_runs) for name, of_runs in means.items()}
    columns = {
        column: values
        for name in means
        for column, values in ((name, means[name]), (f"rank_by_{name}", ranks[name]))
    }
    columns |= {"judged_at_cutoff": found.judged_at_cutoff, "judged": found.judged}
    return Table(
        "systems",
        "All systems by measures of preference",
        ("system", *columns),
        [
            (found.runs[run], *(values[run].item() for values in columns.values()))
            for run in np.argsort(ranks["rpref"], kind="stable").tolist()
        ],
        (
            "relative: rpref, each document's loss over the number of judged documents above it. "
            "judged: share of the documents in the lists that are judged; at the cutoff: of the "
            f"first {found.measure.cutoff}. "
            "A dash: no list.",
        ),
        folded=True,
    )


ANALYSIS = Analysis(
    "preferences",
    "Do systems keep the order of judged documents?",
    analyse,
    titled=True,
    of_systems=True,
)
