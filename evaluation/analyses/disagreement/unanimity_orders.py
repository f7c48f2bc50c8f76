"""Systems by gains that count unanimity, against the plain sum of ratings.

Sakai (EVIA 2017), Tables 2 and 3. A part of the analysis `unanimity`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.disagreement.ratings import DRAWS, SOURCE, P, Rated
from evaluation.presentation import plots, published
from evaluation.presentation.parts import Figure, Table, Tell, correlation, drawn
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from judging.models import Study
from magnitudes.comparison.compared import with_ends_where_known
from magnitudes.comparison.correlation import Tau, tau_b, tau_interval
from magnitudes.comparison.top_set import LEVEL
from magnitudes.comparison.tukey import TRIALS, Discrepancies, Tukey, discrepancies, tukey_hsd
from magnitudes.files.words import count
from magnitudes.gains.unanimity import P as P_PAPER
from magnitudes.measures.names import Measure, parse

FIRST_RANK = parse("nG@1")
SHAPES = {
    "nG": ("square", plots.INK),
    "P+": ("triangle-up", plots.OTHER),
    "nERR": ("diamond", plots.OTHER),
    "nDCG": ("circle", plots.MARK),
}
UG = f"UG, p = {P_PAPER:g}"
NOBODY = "UG, nobody agrees"


def measures(study: Study) -> list[Measure]:
    """Those of the paper, to the study's cutoff where they are not of the first rank alone."""
    return [FIRST_RANK, *(comparing.to_cutoff(name, study) for name in list(SHAPES)[1:])]


class Order(NamedTuple):
    """Systems by one measure with one gain, against RawG.

    raw_pairs, gain_pairs: pairs that differ by RawG and by this gain; discrepancies: pairs that
    differ by one of the two alone, None if that cannot be said. Of gains that were drawn there are
    none of them, and tau is the median of all draws.
    """

    measure: str
    gain: str
    tau: float
    low: float
    high: float
    raw_pairs: int | None
    gain_pairs: int | None
    discrepancies: int | None


class Discrepancy(NamedTuple):
    """Two systems that differ under one of RawG and UG alone; each side's p, difference, effect."""

    measure: str
    system: str
    other: str
    p_raw: float
    difference_raw: float
    effect_raw: float
    p_ug: float
    difference_ug: float
    effect_ug: float


@dataclass(frozen=True)
class Found:
    """Orders by measure, then by gain; reasons: why numbers are not there."""

    systems: int
    orders: list[Order]
    pairs: list[Discrepancy]
    reasons: list[str]
    relevant_by: str  # what documents have whose drawn ratings are not the lowest
    ratings: int  # that can be drawn
    seed: int

    def of(self, gain: str) -> list[Order]:
        """Those by one gain whose tau is known."""
        return [order for order in self.known if order.gain == gain]

    @property
    def known(self) -> list[Order]:
        return [order for order in self.orders if not np.isnan(order.tau)]

    def numbers(self) -> dict[str, float]:
        """Every tau, and how many pairs differ under one gain alone; empty where none is known."""
        orders = self.orders if self.known else []
        return {
            "pairs": self.systems * (self.systems - 1) // 2,
            **{f"tau_{order.measure}_{order.gain}": order.tau for order in orders},
            **{
                f"discrepancies_{order.measure}_{order.gain}": order.discrepancies
                for order in orders
                if order.discrepancies is not None
            },
        }


def compute(data: StudyData, rated: Rated, tell: Tell) -> Found | None:
    """Tau with RawG, and the pairs that differ under one of two gains alone; None: no systems."""
    if len(data.runs) < 2:
        return None
    orders: list[Order] = []
    pairs: list[Discrepancy] = []
    reasons: list[str] = []
    every = measures(data.study)
    for done, by in enumerate(every, 1):
        raw = _values(data, rated.gains.raw, by)
        reference = tukey_hsd(raw, seed=data.seed)
        for gain, gains in _gains(rated).items():
            values = _values(data, gains, by)
            test = tukey_hsd(values, seed=data.seed)
            tau = tau_interval(raw.mean(axis=0), values.mean(axis=0))
            tau = with_ends_where_known(tau, len(raw))
            differ = discrepancies(reference, test)
            orders.append(_order(by, gain, tau, reference, test, differ))
            reasons += [tau.reason, differ.reason]
            if gain == UG:
                pairs += _pairs(data.runs, by, differ)
        tau = _drawn_tau(data, rated, by)
        orders.append(Order(str(by), NOBODY, *tau[:3], None, None, None))
        reasons.append(tau.reason)
        tell(done / len(every))
    return Found(
        len(data.runs), orders, pairs, reasons, rated.relevant_by, rated.steps + 1, data.seed
    )


def _gains(rated: Rated) -> Mapping[str, Floats]:
    """The gains that are held against RawG, by name, (items,)."""
    aware = {f"UG, p = {p:g}": rated.gains_at(p).aware for p in P}
    return {"WG": rated.gains.weighted, **aware}


def _order(
    by: Measure, gain: str, tau: Tau, reference: Tukey, test: Tukey, differ: Discrepancies
) -> Order:
    discrepant = None if differ.reason else len(differ.pairs)
    return Order(str(by), gain, *tau[:3], _significant(reference), _significant(test), discrepant)


def _significant(test: Tukey) -> int:
    return int(np.count_nonzero(np.triu(test.p < LEVEL, 1)))


def _pairs(runs: Sequence[str], by: Measure, differ: Discrepancies) -> Iterator[Discrepancy]:
    sides = np.stack([differ.p, differ.difference, differ.effect], axis=-1)  # (pairs, sides, 3)
    for (first, second), numbers in zip(differ.pairs.tolist(), sides.tolist(), strict=True):
        yield Discrepancy(str(by), runs[first], runs[second], *numbers[0], *numbers[1])


def _drawn_tau(data: StudyData, rated: Rated, by: Measure) -> Tau:
    """Of ratings that do not agree at all: the median tau of UG with RawG, and 95% of them."""
    taus = np.array([_tau_of_draw(data, rated, draw, by) for draw in range(DRAWS)])
    if np.isnan(taus).all():
        return Tau(np.nan, np.nan, np.nan, "no draw orders systems")
    low, middle, high = np.nanquantile(taus, (0.025, 0.5, 0.975)).tolist()
    return Tau(middle, low, high, "")


def _tau_of_draw(data: StudyData, rated: Rated, draw: int, by: Measure) -> float:
    gains = rated.simulated(draw)
    raw, aware = (_values(data, of, by).mean(axis=0) for of in (gains.raw, gains.aware))
    return tau_b(raw, aware)


def _values(data: StudyData, gains: Floats, by: Measure) -> Floats:
    """Every run by some gains, (topics, runs), of the topics with a rating."""
    by_topic = np.split(gains, data.offsets[1:-1])
    rated = [
        (topic, of_topic)
        for topic, of_topic in zip(data.topics, by_topic, strict=True)
        if not np.isnan(of_topic).all()
    ]
    sources = [comparing.magnitudes(topic, of_topic) for topic, of_topic in rated]
    return comparing.measure([topic for topic, _ in rated], sources, by).values


def says(found: Found | None) -> Iterator[str]:
    if found is None:
        yield "There are no two systems whose order could change."
        return
    if not found.known:
        yield f"No order of systems can be compared: {found.reasons[0]}."
        return
    yield (
        "The gain of a document is the sum of its ratings, RawG. UG adds p N (Dmax - D): to a "
        "document on which all agree, as much as p N more people who give it the highest rating. "
        "WG is (1 - D / Dmax) RawG: nothing is left of a document on which people are wholly "
        "divided."
    )
    aware, weighted, nobody = (found.of(gain) for gain in (UG, "WG", NOBODY))
    if aware:
        yield (
            f"Tau of {count(found.systems, 'system')} by UG, p = {P_PAPER:g}, with RawG: "
            f"{_listed(aware)} "
            + published.quote("(Sakai, with made-up ratings: {tau_least} to 1).")
        )
    if weighted:
        yield f"By WG: {_listed(weighted)}."
    if nobody:
        yield (
            "If ratings did not agree at all, as Sakai's, which nobody gave, tau of UG, p = "
            f"{P_PAPER:g}, with RawG would be {_listed(nobody)} (the median of {DRAWS} draws). He "
            f"expects that people, who agree more, leave more to UG{_outcome(aware, nobody)}."
        )
    if differ := [order for order in aware if order.discrepancies is not None]:
        pairs = found.systems * (found.systems - 1) // 2
        yield (
            f"Of {count(pairs, 'pair')} of systems, so many differ (Tukey HSD, p < {LEVEL}) under "
            f"one of RawG and UG, p = {P_PAPER:g}, but not under both: "
            + ", ".join(f"{order.discrepancies} by {order.measure}" for order in differ)
            + "."
        )


def _outcome(aware: Sequence[Order], nobody: Sequence[Order]) -> str:
    """By how many measures people's ratings change the order more than those of nobody."""
    tau_of_nobody = {order.measure: order.tau for order in nobody}
    both = [order for order in aware if order.measure in tau_of_nobody]
    if not both:
        return ""
    more = sum(order.tau < tau_of_nobody[order.measure] for order in both)
    return f": here the order changes more than that by {more} of {count(len(both), 'measure')}"


def _listed(orders: Sequence[Order]) -> str:
    return ", ".join(f"{correlation(order.tau, 3)} by {order.measure}" for order in orders)


def parts(found: Found | None) -> list[Figure | Table]:
    """All figures and tables."""
    if found is None or not found.known:
        return []
    return [_figure(found), _taus(found), *([_discrepancies(found)] if found.pairs else [])]


def _figure(found: Found) -> Figure:
    rows = found.known
    gains = list(dict.fromkeys(order.gain for order in found.orders))
    least = min(rows, key=lambda order: order.tau)
    chart = plots.intervals_of_kinds(
        "orders",
        "tau",
        "Kendall's tau with RawG",
        plots.names("gain", gains),
        "measure",
        {row.measure: SHAPES[parse(row.measure).name] for row in found.orders},
    )
    return Figure(
        "orders",
        "The order of systems stays as it is"
        if least.tau >= 1 - 1e-12
        else f"The order of systems changes most with {least.gain} ({least.measure}: tau "
        f"{correlation(least.tau)})",
        "Tau of the order by a gain with that by RawG, and its 95% interval.",
        plots.sized(chart, 56 * len(gains), plots.WIDTH - 170),
        {
            "orders": [
                mark | comparing.tau_ends(row.low, row.high)
                for mark, row in zip(drawn(rows, "gain measure tau", _tooltip), rows, strict=True)
            ]
        },
        ("gain", "measure", "tau", "low", "high"),
        [(row.gain, row.measure, row.tau, row.low, row.high) for row in rows],
        f"Table 2 {SOURCE}",
        reading=f"Nobody agrees: {DRAWS} draws of ratings. Look how far left dots go as p grows, "
        "and whether the ratings given lie left of those of nobody.",
    )


def _tooltip(row: Order) -> str:
    return f"{row.gain}, {row.measure}: tau {correlation(row.tau, 3)}"


def _taus(found: Found) -> Table:
    return Table(
        "taus",
        "Order of systems by gains that count unanimity, against that by RawG",
        Order,
        found.orders,
        (
            "RawG: the sum of the ratings of a document. WG = (1 - D / Dmax) RawG. UG = RawG + p N "
            "(Dmax - D), or 0 where RawG is 0. tau: Kendall's tau-b, with its 95% interval. "
            f"Pairs by RawG, by this gain: pairs of systems with p < {LEVEL} by each "
            f"(randomised Tukey HSD, {TRIALS:,} trials, seed {found.seed}); discrepancies: pairs "
            "that have it under one of the two alone.",
            f"{NOBODY}: where a document has {found.relevant_by}, each of its ratings is one "
            f"of {found.ratings} with equal chances, from the lowest to the highest, and "
            f"elsewhere the lowest; drawn {DRAWS} times (seeds from {found.seed} on), p = "
            f"{P_PAPER:g}; median and 95% of their taus, untested.",
            *(f"A dash: {reason}." for reason in sorted({*found.reasons} - {""})),
        ),
        f"Table 2 {SOURCE}",
        limits=comparing.TAU_ENDS,
    )


def _discrepancies(found: Found) -> Table:
    return Table(
        "discrepancies",
        f"Pairs of systems that differ under one of RawG and {UG}, but not under both",
        Discrepancy,
        found.pairs,
        (
            "system: the better one by RawG. difference: of the means, system less other; below 0 "
            "UG swaps them. effect: |difference| in residual standard deviations. "
            f"p below {LEVEL} under one; seed {found.seed}: both have the same random orders.",
        ),
        f"Table 3 {SOURCE}",
    )
