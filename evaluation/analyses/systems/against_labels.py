"""Systems ranked by what the crowd gave, against the same systems ranked by labels.

A part of the analyses `rankings` (paper, Figure 10) and `subruns` (Figure 11).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from evaluation.analyses.systems import best_units
from evaluation.analyses.systems.ranked_systems import SIMULATED, Systems
from evaluation.presentation import names, plots, published
from evaluation.presentation.parts import Figure, Table, correlation, drawn, number, percent
from evaluation.study import comparing
from evaluation.study.comparing import Source, Values
from evaluation.study.topics import TopicData
from magnitudes.comparison.compared import FEW_TOPICS, Compared, compare
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.measures.names import Measure

ALL_UNITS, ALL_OPINIONS = "all units", "all opinions"  # the latter where there are no units
NO_SETS = "no top sets, as topics are too few"
NO_INTERVAL = (
    "Tau of simulated systems has no interval: it would become as narrow as one draws systems."
)
WIDTH, PANEL = 150, 220  # pixels that names have, and the height of a panel
PAPERS_UNITS = "the paper's three best"


class Order(NamedTuple):
    """How far the order of systems by scores agrees with that by labels."""

    measure: str
    labels: str
    gains_from: str
    systems: int
    topics: int
    tau: float
    low: float = np.nan
    high: float = np.nan
    top_set_by_labels: int | None = None
    top_set_by_scores: int | None = None
    in_both: int | None = None
    overlap: float = np.nan


class System(NamedTuple):
    """A system's means, and which top set it is in."""

    gains_from: str
    system: str
    scores: float
    labels: float
    set: str


class Ranked(NamedTuple):
    """Systems by one measure: with labels of a kind, and with the scores of some units."""

    measure: Measure
    labels: str
    gains_from: str
    by_labels: Values
    by_scores: Values
    compared: Compared

    @property
    def of_all(self) -> bool:
        """Whether the scores are of all units, or of all opinions."""
        return self.gains_from != best_units.NAME


@dataclass(frozen=True)
class Found:
    """Every measure with every kind of labels; scores: what the crowd gave, as magnitudes."""

    systems: Systems
    scores: str
    rankings: list[Ranked]

    @property
    def of_all(self) -> list[Ranked]:
        """With the scores of all units."""
        return [ranked for ranked in self.rankings if ranked.of_all]

    @property
    def kinds(self) -> list[str]:
        """The kinds of labels."""
        return list(dict.fromkeys(ranked.labels for ranked in self.rankings))

    @property
    def reasons(self) -> list[str]:
        """Why numbers are not defined."""
        return sorted({ranked.compared.reason for ranked in self.rankings} - {""})


def compute(systems: Systems, scores: str) -> Found:
    kinds = comparing.kinds(systems.topics)
    return Found(
        systems, scores, [ranked for kind in kinds for ranked in _ranked(systems, scores, kind)]
    )


def _ranked(systems: Systems, scores: str, kind: str) -> Iterator[Ranked]:
    """By each measure, with labels of one kind."""
    labels = [comparing.labels(topic, comparing.KINDS[kind]) for topic in systems.topics]
    sources = _sources(systems.topics, kind)
    called = ("ranking by labels", f"ranking by {scores}")
    for measure in systems.measures:
        by_labels = systems.measure(labels, measure)
        for gains_from, source in sources.items():
            by_scores = systems.measure(source, measure)
            compared = compare(by_labels.values, by_scores.values, called)
            if systems.kind == SIMULATED:  # as many as wanted are drawn of the same few lists
                compared = compared.without_interval
            yield Ranked(measure, kind, gains_from, by_labels, by_scores, compared)


def _sources(topics: Sequence[TopicData], kind: str) -> dict[str, list[Source]]:
    """What documents are worth by all scores, and by those of their best units."""
    everything = [comparing.magnitudes(topic) for topic in topics]
    if any(topic.opinions for topic in topics):
        return {ALL_OPINIONS: everything}
    gains_of = comparing.KINDS[kind]
    best = [comparing.magnitudes(topic, best_units.gains(topic, gains_of)) for topic in topics]
    return {ALL_UNITS: everything, best_units.NAME: best}


def says(found: Found) -> Iterator[str]:
    """Tau and top sets with the scores of all units, and tau with those of the three best."""
    for kind in found.kinds:
        rankings = [ranked for ranked in found.rankings if ranked.labels == kind]
        taus = [f"{_tau(row)}{_top_sets(found, row)}" for row in rankings if row.of_all]
        best = [
            f"{correlation(row.compared.tau.tau, 3)} by {row.measure}"
            for row in rankings
            if not row.of_all
        ]
        yield f"With {kind} labels: {'; '.join(taus)}.{_of_best(best)}"


def _of_best(taus: Sequence[str]) -> str:
    how = f"With the {best_units.HOW_MANY} best units of each document, as in the paper"
    return f" {how}, tau is {' and '.join(taus)}." if taus else ""


def _tau(ranked: Ranked) -> str:
    return f"by {ranked.measure}, {comparing.with_interval(ranked.compared.tau)}"


def _top_sets(found: Found, ranked: Ranked) -> str:
    """Nothing where too few topics have none, which is said once."""
    if ranked.compared.why == FEW_TOPICS:
        return ""
    return f"; {comparing.top_sets(ranked.compared, 'labels', found.scores)}"


def says_limits(found: Found) -> Iterator[str]:
    """What is not known, and why."""
    yield from comparing.too_few(len(found.systems.topics))
    if reasons := [reason for reason in found.reasons if reason != FEW_TOPICS]:
        yield f"What is not defined: {'; '.join(reasons)}."


def numbers(rankings: Iterable[Ranked]) -> dict[str, float]:
    """Tau by measure and kind of labels, with its interval; of several the last."""
    return {
        f"tau_{ranked.measure.name}_{ranked.labels}{end}": value
        for ranked in rankings
        for end, value in zip(("", "_low", "_high"), ranked.compared.tau[:3], strict=True)
    }


def best_numbers(found: Found) -> dict[str, float | None]:
    """With the scores of the best units, as the paper has them: tau, top sets and their rank."""
    best = [ranked for ranked in found.rankings if not ranked.of_all]
    overlaps = {
        f"best_overlap_{ranked.measure.name}_{ranked.labels}": ranked.compared.overlap
        for ranked in best
    }
    taus = {f"best_{name}": value for name, value in numbers(best).items()}
    return {**taus, **overlaps, "cutoff": found.systems.measures[0].cutoff} if best else {}


def figures(found: Found, source: str) -> list[Figure]:
    """One for each measure and kind of labels; source: the paper's figure."""
    of_pairs = groupby(found.rankings, key=lambda ranked: (ranked.measure, ranked.labels))
    return [_figure(found, list(rankings), source) for _, rankings in of_pairs]


def _figure(found: Found, rankings: Sequence[Ranked], source: str) -> Figure:
    first, scores = rankings[0], found.scores
    rows = [row for ranked in rankings for row in _systems(found, ranked)]
    panels = (
        " One panel takes gains from all units of a document, the other from the "
        f"{best_units.HOW_MANY} whose order agrees best with the labels, as in the paper."
    )
    across = plots.axis("scores", f"mean by {scores}", ticks=3)
    up = plots.axis("labels", f"mean by {first.labels} labels")
    there = {row.set for row in rows}
    kinds = {name: kind for name, kind in _sets(scores).items() if name in there}
    dots = plots.shaped("systems", across, up, "set", kinds)
    panel = plots.layer(dots, *names.layers("systems", across, up))
    panel_names = [ranked.gains_from for ranked in rankings]
    named = [text for ranked in rankings for text in _named(found, ranked)]
    marks = drawn(rows, "scores labels set", _tooltip(scores), units="gains_from")
    return Figure(
        f"{first.measure.name.lower()}-{first.labels}",
        finding(first, scores, found.systems.kind),
        "One dot a system." if found.systems.kind == SIMULATED else "One dot a system; some named.",
        plots.panels(panel, "units", panel_names, height=PANEL),
        {"systems": [mark | text for mark, text in zip(marks, named, strict=True)]},
        ("gains_from", "system", f"mean_by_{scores}", "mean_by_labels", "set"),
        rows,
        source,
        reading=(
            f"The closer all are to a rising line, the more {scores} and labels agree; look for "
            f"those far from it. {comparing.TOP_SET}{panels if len(rankings) > 1 else ''}"
        ),
    )


def _tooltip(scores: str) -> Callable[[System], str]:
    """That there are no top sets is said once, not at each of hundreds of dots."""
    return lambda row: (
        f"{row.system}: {number(row.scores)} by {scores}, {number(row.labels)} by labels"
        + ("" if row.set == NO_SETS else f"; {row.set}")
    )


def _named(found: Found, ranked: Ranked) -> list[dict[str, str]]:
    """The best and worst run by either, and those whose places differ most, if there is room."""
    if found.systems.kind == SIMULATED:
        return [{} for _ in found.systems.names]
    scores, labels = (values.values.mean(axis=0) for values in (ranked.by_scores, ranked.by_labels))
    away = competition_ranks(scores) - competition_ranks(labels)
    ends = [
        function() for values in (scores, labels) for function in (values.argmax, values.argmin)
    ]
    wanted = [int(place) for place in (*ends, away.argmax(), away.argmin())]
    dots = zip(found.systems.names, scores.tolist(), labels.tolist(), strict=True)
    return names.beside([names.Dot(*dot) for dot in dots], wanted, (WIDTH, PANEL))


def _sets(scores: str) -> dict[str, tuple[str, str]]:
    """How systems in the top sets of labels and of scores are drawn."""
    return {
        "top set of both": ("diamond", plots.OTHER),
        "of labels only": ("triangle-up", plots.INK),
        f"of {scores} only": ("triangle-down", plots.INK),
        "in neither": ("circle", plots.MARK),
        NO_SETS: ("circle", plots.MARK),
    }


def _systems(found: Found, ranked: Ranked) -> Iterator[System]:
    both, labels_only, scores_only, neither, no_sets = _sets(found.scores)
    other = no_sets if ranked.compared.why == FEW_TOPICS else neither
    first, second = ranked.compared.first, ranked.compared.second
    sets = np.select([first & second, first, second], [both, labels_only, scores_only], other)
    every = ranked.by_scores.values, ranked.by_labels.values
    means = (values.mean(axis=0).tolist() for values in every)
    for row in zip(found.systems.names, *means, sets.tolist(), strict=True):
        yield System(ranked.gains_from, *row)


def finding(ranked: Ranked, scores: str, kind: str) -> str:
    """How alike both orders are, and the overlap of top sets where it says something.

    Of simulated systems, whose tau says nothing of others, tau alone.
    """
    compared = ranked.compared
    both = f"{scores[0].upper()}{scores[1:]} and {ranked.labels} labels"
    if kind == SIMULATED and not np.isnan(compared.tau.tau):
        tau = correlation(compared.tau.tau)
        said = f"{both}: tau of simulated systems is {tau} ({ranked.measure.brief})"
    else:
        said = comparing.how_alike(both, compared, ranked.measure.brief)
    if np.isnan(compared.overlap) or compared.says_little:
        return said
    return f"{said}; {percent(compared.overlap)} of the labels' top set is in both"


def table(found: Found, paper: Iterable[Order], ranked: str = "systems") -> Table:
    """Tau and top sets, and below them the paper's."""
    return Table(
        "agreement",
        f"Order of {ranked} and top set, by labels and by {found.scores}",
        (*Order._fields[:-3], f"by_{found.scores}", "in_both", "overlap"),
        [*map(_order, found.rankings), *paper],
        (
            comparing.OF_TAU,
            *([NO_INTERVAL] if found.systems.kind == SIMULATED else []),
            f"{comparing.TOP_SET} Overlap: the share of the labels' top set that is in both.",
            *(f"A dash: {reason}." for reason in found.reasons),
        ),
        limits=comparing.TAU_ENDS,
    )


def of_paper(systems: str, labels: str) -> Iterator[Order]:
    """The paper's orders, of its `runs` or `simulated` systems."""
    n, topics = (int(published.value(f"{of}.{systems}")) for of in ("systems", "topics_ranked"))
    for name in comparing.NAMES:
        tau, overlap = (
            published.value(f"{value}_{systems}_{name}.all") for value in ("tau", "overlap")
        )
        yield Order(f"{name}@10", labels, PAPERS_UNITS, n, topics, tau, overlap=overlap)


def _order(ranked: Ranked) -> Order:
    compared, (topics, systems) = ranked.compared, ranked.by_labels.values.shape
    return Order(
        str(ranked.measure),
        ranked.labels,
        ranked.gains_from,
        systems,
        topics,
        *compared.tau[:3],
        *compared.sizes,
        compared.overlap,
    )
