"""Systems by gains that count unanimity, against the plain sum of ratings (Tables 2 and 3)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses import plots, systems
from evaluation.analyses.data import Floats, StudyData
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, number
from evaluation.analyses.ratings import DRAWS, SOURCE, P, Rated
from evaluation.comparison.correlation import Tau, tau_b, tau_interval
from evaluation.comparison.top_set import LEVEL
from evaluation.comparison.tukey import TRIALS, Discrepancies, Tukey, discrepancies, tukey_hsd
from evaluation.gains.unanimity import P as P_PAPER
from evaluation.measures.names import Measure, parse
from trec.words import count

MEASURES = tuple(parse(name) for name in ("nG@1", "P+@10", "nERR@10", "nDCG@10"))
SHAPES = {
    "nG@1": ("square", plots.INK),
    "P+@10": ("triangle-up", plots.OTHER),
    "nERR@10": ("diamond", plots.OTHER),
    "nDCG@10": ("circle", plots.MARK),
}
UG = f"UG, p = {P_PAPER:g}"
NOBODY = "UG, nobody agrees"


class Order(NamedTuple):
    """Systems by one measure with the gains of one definition, against RawG.

    significant: pairs that differ by RawG and by this gain; of gains that were drawn there are
    none (None), and tau is the median of those of all draws.
    """

    measure: Measure
    gain: str
    tau: Tau
    significant: tuple[int, int] | None
    differ: Discrepancies | None


def analyse(data: StudyData, rated: Rated, tell: Tell) -> Analysed:
    """Tau with RawG, and the pairs of systems that differ under one of two definitions alone."""
    if len(data.runs) < 2:
        return Analysed(["There are no two systems whose order could change."])
    found = []
    for done, by in enumerate(MEASURES):
        found += list(_orders(data, rated, by))
        tell((done + 1) / len(MEASURES))
    if all(np.isnan(one.tau.tau) for one in found):
        return Analysed([f"No order of systems can be compared: {found[0].tau.reason}."])
    rows = [row for one in found if one.gain == UG for row in _discrepant(data, one)]
    return Analysed(
        [*_says(data, found)],
        [_figure(found), _taus(data, rated, found), *([_pairs(data, rows)] if rows else [])],
        {f"tau_{one.measure}_{one.gain}": one.tau.tau for one in found},
    )


def _orders(data: StudyData, rated: Rated, by: Measure) -> Iterator[Order]:
    raw = _values(data, rated.gains.raw, by)
    reference = tukey_hsd(raw, seed=data.seed)
    gains: Mapping[str, Floats] = {
        "WG": rated.gains.weighted,
        **{f"UG, p = {p:g}": rated.gains_at(p).aware for p in P},
    }
    for name, of in gains.items():
        values = _values(data, of, by)
        test = tukey_hsd(values, seed=data.seed)
        tau = tau_interval(raw.mean(axis=0), values.mean(axis=0))
        numbers = _significant(reference), _significant(test)
        yield Order(by, name, tau, numbers, discrepancies(reference, test))
    taus = np.array([_of_draw(data, rated, draw, by) for draw in range(DRAWS)])
    if np.isnan(taus).all():
        tau = Tau(np.nan, np.nan, np.nan, "no draw orders systems")
        yield Order(by, NOBODY, tau, None, None)
    else:
        low, middle, high = np.nanquantile(taus, (0.025, 0.5, 0.975)).tolist()
        yield Order(by, NOBODY, Tau(middle, low, high, ""), None, None)


def _of_draw(data: StudyData, rated: Rated, draw: int, by: Measure) -> float:
    made = rated.simulated(draw)
    raw, aware = (_values(data, of, by).mean(axis=0) for of in (made.raw, made.aware))
    return tau_b(raw, aware)


def _values(data: StudyData, gains: Floats, by: Measure) -> Floats:
    """(topics, runs), of the topics with a rating."""
    parts = np.split(gains, data.offsets[1:-1])
    known = [
        (t, part) for t, part in zip(data.topics, parts, strict=True) if not np.isnan(part).all()
    ]
    sources = [systems.magnitudes(topic, part) for topic, part in known]
    return systems.measure([topic for topic, _ in known], sources, by).values


def _significant(test: Tukey) -> int:
    return int(np.count_nonzero(np.triu(test.p < LEVEL, 1)))


def _of(found: Sequence[Order], gain: str) -> list[Order]:
    return [one for one in found if one.gain == gain and not np.isnan(one.tau.tau)]


def _says(data: StudyData, found: Sequence[Order]) -> Iterator[str]:
    runs = len(data.runs)
    yield (
        "The gain of a document is the sum of its ratings, RawG. UG adds p N (Dmax - D): to a "
        "document on which all agree, as much as p N more people who give it the highest rating. "
        "WG is (1 - D / Dmax) RawG: nothing is left of a document on which people are wholly "
        "divided."
    )
    if aware := _of(found, UG):
        yield (
            f"The order of {count(runs, 'system')} by UG, p = {P_PAPER:g}, has with that by RawG a "
            f"tau of {_listed(aware)} (Sakai, with made-up ratings: .983 to 1)."
        )
    if weighted := _of(found, "WG"):
        yield f"By WG tau is {_listed(weighted)}."
    if drawn := _of(found, NOBODY):
        yield (
            "If ratings did not agree at all, as Sakai's, which nobody gave, tau of UG, p = "
            f"{P_PAPER:g}, with RawG would be {_listed(drawn)} (the median of {DRAWS} draws). He "
            f"expects that people, who agree more, leave more to UG{_outcome(aware, drawn)}."
        )
    differ = [one for one in _of(found, UG) if one.differ and not one.differ.reason]
    if differ:
        yield (
            f"Of {count(runs * (runs - 1) // 2, 'pair')} of systems, those that differ (Tukey HSD, "
            f"p < {LEVEL}) under one of RawG and UG, p = {P_PAPER:g}, but not under both: "
            + ", ".join(f"{len(one.differ.pairs)} by {one.measure}" for one in differ if one.differ)
            + "."
        )


def _outcome(aware: Sequence[Order], drawn: Sequence[Order]) -> str:
    """By how many measures people's ratings change the order more than those of nobody."""
    nobody = {one.measure: one.tau.tau for one in drawn}
    both = [one for one in aware if one.measure in nobody]
    if not both:
        return ""
    more = sum(one.tau.tau < nobody[one.measure] for one in both)
    return f": here the order changes more than that by {more} of {count(len(both), 'measure')}"


def _listed(found: Sequence[Order]) -> str:
    return ", ".join(f"{number(one.tau.tau)} by {one.measure}" for one in found)


def _figure(found: Sequence[Order]) -> Figure:
    known = [one for one in found if not np.isnan(one.tau.tau)]
    order = list(dict.fromkeys(one.gain for one in found))
    rows = [(one.gain, str(one.measure), *one.tau[:3]) for one in known]
    least = min(known, key=lambda one: one.tau.tau)
    chart = plots.intervals_of_kinds(
        "orders",
        "tau",
        "Kendall's tau with RawG",
        plots.down("gain", order),
        "measure",
        SHAPES,
        columns=2,
    )
    return Figure(
        "orders",
        "The order of systems stays as it is"
        if least.tau.tau >= 1 - 1e-12
        else f"The order of systems changes most by {least.measure} with {least.gain}: tau "
        f"{number(least.tau.tau)}",
        "Dots: tau of the order by a gain with that by RawG; lines: its 95% interval, below that "
        f"of {DRAWS} draws of ratings that do not agree. Look how far left dots go as p grows, and "
        "whether people's ratings lie left of those of nobody.",
        plots.sized(chart, 56 * len(order), plots.WIDTH - 170),
        {
            "orders": [
                {
                    "gain": gain,
                    "measure": measure,
                    "tau": tau,
                    "low": low,
                    "high": high,
                    "name": f"{gain}, {measure}: tau {number(tau)}",
                }
                for gain, measure, tau, low, high in rows
            ]
        },
        ("gain", "measure", "tau", "low", "high"),
        rows,
        f"Table 2 {SOURCE}",
    )


def _taus(data: StudyData, rated: Rated, found: Sequence[Order]) -> Table:
    rows: list[Row] = [
        (
            str(one.measure),
            one.gain,
            *one.tau[:3],
            *(one.significant or (None, None)),
            None if one.differ is None or one.differ.reason else len(one.differ.pairs),
        )
        for one in found
    ]
    reasons = {one.tau.reason for one in found} | {one.differ.reason for one in found if one.differ}
    return Table(
        "taus",
        "Order of systems by gains that count unanimity, against that by RawG",
        ("measure", "gain", "tau", "low", "high", "raw_pairs", "gain_pairs", "discrepancies"),
        rows,
        (
            "RawG: the sum of the ratings of a document. WG = (1 - D / Dmax) RawG. UG = RawG + p N "
            "(Dmax - D), or 0 where RawG is 0. tau: Kendall's tau-b, with its 95% interval. "
            f"raw_pairs, gain_pairs: pairs of systems with p < {LEVEL} by RawG and by the gain "
            f"(randomised Tukey HSD, {TRIALS:,} trials, seed {data.seed}); discrepancies: pairs "
            "that have it under one of the two alone.",
            f"{NOBODY}: where a document has {rated.relevant_by}, each of its ratings is one "
            f"of {rated.steps + 1} with equal chances, from the lowest to the highest, and "
            f"elsewhere the lowest; drawn {DRAWS} times (seeds from {data.seed} on), p = "
            f"{P_PAPER:g}; median and 95% of their taus, untested.",
            *(f"A dash: {reason}." for reason in sorted(reasons - {""})),
        ),
        f"Table 2 {SOURCE}",
    )


def _discrepant(data: StudyData, one: Order) -> Iterator[Row]:
    if one.differ is None:
        return
    pairs, p, difference, effect, _ = one.differ
    for place, (first, second) in enumerate(pairs.tolist()):
        numbers = (float(of[place, side]) for side in (0, 1) for of in (p, difference, effect))
        yield (str(one.measure), data.runs[first], data.runs[second], *numbers)


def _pairs(data: StudyData, rows: Sequence[Row]) -> Table:
    names = (f"{of}_{by}" for by in ("raw", "ug") for of in ("p", "difference", "effect"))
    return Table(
        "discrepancies",
        f"Pairs of systems that differ under one of RawG and {UG}, but not under both",
        ("measure", "system", "other", *names),
        rows,
        (
            "system: the better one by RawG. difference: of the means, system less other; below 0 "
            "UG swaps them. effect: |difference| in residual standard deviations. "
            f"p below {LEVEL} under one; seed {data.seed}: both have the same random orders.",
        ),
        f"Table 3 {SOURCE}",
    )
