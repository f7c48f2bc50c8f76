"""Systems ranked by what the crowd gave, against the same systems ranked by labels.

A part of the analyses `rankings` (paper, Figure 10) and `subruns` (Figure 11).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from evaluation.analyses.systems import best_units
from evaluation.analyses.systems.ranked_systems import SIMULATED, Systems
from evaluation.presentation import two_orders
from evaluation.presentation.parts import correlation
from evaluation.study import scoring
from evaluation.study.scoring import Source, Values
from evaluation.study.topics import TopicData
from magnitudes.comparison.compared import FEW_TOPICS, Compared, compare
from magnitudes.measures.names import Measure

ALL_UNITS, ALL_OPINIONS = "all units", "all opinions"  # the latter where there are no units


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


class Orders(NamedTuple):
    """Every measure with every kind of labels; scores: what the crowd gave, as magnitudes."""

    systems: Systems
    scores: str
    rankings: list[Ranked]

    @property
    def of_all(self) -> list[Ranked]:
        """With the scores of all units."""
        return [ranked for ranked in self.rankings if ranked.of_all]

    @property
    def reasons(self) -> list[str]:
        """Why numbers are not defined."""
        return sorted({ranked.compared.reason for ranked in self.rankings} - {""})


def compute(systems: Systems, scores: str) -> Orders:
    sources = {kind: _sources(systems.topics, kind) for kind in scoring.kinds(systems.topics)}
    called, rankings = ("ranking by labels", f"ranking by {scores}"), []
    for kind, measure, by_labels in systems.by_labels():
        for gains_from, source in sources[kind].items():
            by_scores = systems.measure(source, measure)
            compared = compare(by_labels.values, by_scores.values, called)
            if systems.kind == SIMULATED:  # as many as wanted are drawn of the same few lists
                compared = compared.without_interval
            ranked = Ranked(measure, kind, gains_from, by_labels, by_scores, compared)
            rankings.append(ranked)
    return Orders(systems, scores, rankings)


def _sources(topics: Sequence[TopicData], kind: str) -> dict[str, list[Source]]:
    """What documents are worth by all scores, and by those of their best units."""
    everything = [scoring.magnitudes(topic) for topic in topics]
    if any(topic.opinions for topic in topics):
        return {ALL_OPINIONS: everything}
    gains_of = scoring.KINDS[kind]
    best = [scoring.magnitudes(topic, best_units.gains(topic, gains_of)) for topic in topics]
    return {ALL_UNITS: everything, best_units.NAME: best}


def sentences(orders: Orders) -> Iterator[str]:
    """Tau and top sets with the scores of all units, and tau with those of the three best."""
    for kind in dict.fromkeys(ranked.labels for ranked in orders.rankings):
        rankings = [ranked for ranked in orders.rankings if ranked.labels == kind]
        taus = [
            f"by {row.measure.short}, {two_orders.with_interval(row.compared.tau)}"
            f"{two_orders.top_sets(row.compared, 'labels', orders.scores)}"
            for row in rankings
            if row.of_all
        ]
        best = [
            f"{correlation(row.compared.tau.tau, 3)} by {row.measure.short}"
            for row in rankings
            if not row.of_all
        ]
        yield f"With {kind} labels: {'; '.join(taus)}.{_of_best(best)}"


def _of_best(taus: Sequence[str]) -> str:
    how = f"With the {best_units.HOW_MANY} best units of each document, as in the paper"
    return f" {how}, tau is {' and '.join(taus)}." if taus else ""


def limits(orders: Orders) -> Iterator[str]:
    """What is not known, and why."""
    yield from two_orders.too_few(len(orders.systems.topics))
    if reasons := [reason for reason in orders.reasons if reason != FEW_TOPICS]:
        yield f"What is not defined: {'; '.join(reasons)}."


def numbers(rankings: Iterable[Ranked]) -> dict[str, float]:
    """Tau by measure and kind of labels, with its interval; of several the last."""
    return {
        f"tau_{ranked.measure.name}_{ranked.labels}{end}": value
        for ranked in rankings
        for end, value in zip(("", "_low", "_high"), ranked.compared.tau[:3], strict=True)
    }


def best_numbers(orders: Orders) -> dict[str, float | None]:
    """With the scores of the best units, as the paper has them: tau, top sets and their rank."""
    best = [ranked for ranked in orders.rankings if not ranked.of_all]
    overlaps = {
        f"best_overlap_{ranked.measure.name}_{ranked.labels}": ranked.compared.overlap
        for ranked in best
    }
    taus = {f"best_{name}": value for name, value in numbers(best).items()}
    return {**taus, **overlaps, "cutoff": orders.systems.measures[0].cutoff} if best else {}
