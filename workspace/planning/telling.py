"""A forecast in sentences, as a picture with the money on its axis, and as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crowd.many import Nature
from evaluation.analyses.study.comparing import ENOUGH
from evaluation.analyses.telling.parts import Table, amount, number, percent
from trec.words import count
from workspace.planning.forecasting import MOST_JUDGES, Point
from workspace.planning.pilots import Likely

TRAITS = {
    "noise": "how far scores of one document lie apart, times the published crowd's",
    "slope": "spread of the log of how steeply workers' scores rise with relevance",
    "careless": "share of workers whose scores say nothing",
    "spread": "spread of true log gains about those of their labels",
}


@dataclass(frozen=True)
class Situation:
    """What a forecast is of. levels: of the scale, 0 for magnitudes; labelled: documents."""

    measure: str
    topics: int
    judges: int  # that the plan wants for each document
    unit_cost: float
    currency: str
    levels: int
    label_set: str
    documents: int
    labelled: int
    systems: int
    pilot: str
    pilot_units: int
    replications: int
    seed: int


class Row(NamedTuple):
    """A number of topics and of judges: its cost, and what to expect of it; see `Point`.

    gain_off: the factor, or how many levels, by which gains differ from the true ones in the mean.
    """

    topics: int
    judges: int
    units: float
    cost: float
    tau: float
    tau_low: float
    tau_high: float
    top_set_found: float
    top_set_low: float
    top_set_high: float
    in_top_set: float
    best_in_true_top_set: float
    gain_off: float
    gain_off_low: float
    gain_off_high: float


class Trait(NamedTuple):
    """A trait of the crowd: published, and as fitted to a pilot, with a 95% interval."""

    trait: str
    published: float
    low: float
    fitted: float
    high: float
    what: str


def row_of(point: Point, situation: Situation) -> Row:
    errors = point.error, point.error_low, point.error_high
    off = errors if situation.levels else tuple(np.exp(errors).tolist())
    top_set = point.top_set, point.top_set_low, point.top_set_high, point.in_top_set, point.best
    if point.topics < ENOUGH:
        top_set = (np.nan,) * 5
    return Row(
        *(point.topics, point.judges, point.units, point.units * situation.unit_cost),
        *(point.tau, point.tau_low, point.tau_high, *top_set, *off),
    )


def money(cost: float, situation: Situation) -> str:
    return f"{cost:,.2f} {situation.currency}"


def price(row: Row, situation: Situation) -> str:
    if situation.unit_cost:
        return money(row.cost, situation)
    return f"{row.units:,.0f} units"


def row_for(rows: Sequence[Row], topics: int, judges: int) -> Row | None:
    return next((row for row in rows if (row.topics, row.judges) == (topics, judges)), None)


def says(rows: Sequence[Row], situation: Situation) -> Iterator[str]:
    """The plan first, then what half of it would tell."""
    judges, topics = min(situation.judges, MOST_JUDGES), situation.topics
    planned = row_for(rows, topics, judges)
    if planned is None:
        return
    if np.isnan(planned.tau):
        yield "There are fewer than two runs: no order of systems can be forecast."
    else:
        yield _says_tau(planned, situation)
        yield from _says_half(rows, planned, situation)
        yield from _says_top_set(planned)
    yield _says_gains(planned, situation)


def _says_tau(row: Row, situation: Situation) -> str:
    return (
        f"With {count(row.topics, 'topic')} and {_judges(row.judges)} a document, for "
        f"{price(row, situation)}, tau with the true order of {situation.systems} systems is "
        f"{number(row.tau)} in the mean, and {number(row.tau_low)} to {number(row.tau_high)} in "
        f"95% of {situation.replications} simulated studies."
    )


def _says_half(rows: Sequence[Row], planned: Row, situation: Situation) -> Iterator[str]:
    fewer = [
        (row_for(rows, planned.topics, half_of(planned.judges)), "fewer judges"),
        (row_for(rows, _half(rows), planned.judges), "half of the topics, drawn at random,"),
    ]
    for row, what in fewer:
        if row and row.units < planned.units:
            yield (
                f"With {what} ({count(row.topics, 'topic')}, {_judges(row.judges)}) it is "
                f"{number(row.tau)} ({number(row.tau_low)} to {number(row.tau_high)}), for "
                f"{price(row, situation)}."
            )


def half_of(judges: int) -> int:
    """About half as many judges, at least one; of odd numbers, the larger half.

    >>> half_of(10), half_of(5), half_of(1)
    (5, 3, 1)
    """
    return (judges + 1) // 2


def _half(rows: Sequence[Row]) -> int:
    """The number of topics that is about half of all."""
    numbers = sorted({row.topics for row in rows})
    return min(numbers, key=lambda topics: abs(2 * topics - numbers[-1]))


def _says_top_set(row: Row) -> Iterator[str]:
    if not np.isnan(row.top_set_found):
        yield (
            f"Of the systems that do not differ significantly from the truly best one, "
            f"{percent(row.top_set_found)} are in the top set that is found "
            f"({percent(row.top_set_low)} to {percent(row.top_set_high)}); the system that comes "
            f"first is one of them in {percent(row.best_in_true_top_set)} of the studies."
        )


def _says_gains(row: Row, situation: Situation) -> str:
    by = (
        amount(row.gain_off, "level") if situation.levels else f"a factor of {number(row.gain_off)}"
    )
    return (
        f"A document's gain differs from the true one by {by} in the mean, with "
        f"{_judges(row.judges)}."
    )


def _judges(judges: int) -> str:
    return count(judges, "judge")


def assumes(likely: Likely | None, situation: Situation) -> Iterator[str]:
    """What a forecast takes for granted."""
    if likely is None:
        yield (
            "People judge as the published crowd did that the artificial workers follow "
            "(Maddalena, Mizzaro, Scholer and Turpin, 2017)."
        )
    else:
        yield (
            f"People judge as those of study {situation.pilot} did, as far as "
            f"{count(situation.pilot_units, 'unit')} tell it; each simulated study has one of the "
            "crowds that they may be. Whatever else the published crowd is like, this one is too."
        )
    yield from _truth_assumed(situation)
    yield (
        "People err independently of each other: what nearly all misunderstand in the same way is "
        "not in it, and no number of judges would mend it."
    )
    yield (
        "Fewer topics are drawn at random. All orders are compared with the true one on all topics "
        "of the study, so what other topics would say is not in it."
    )
    yield (
        f"Systems are ranked by {situation.measure}, with the study's own normalisation and "
        "aggregation, on plans that grow: with more judges those before stay."
    )
    if situation.unit_cost:
        yield "Money is for completed units, at the payment and fee that the settings have now."


def _truth_assumed(situation: Situation) -> Iterator[str]:
    share = f"{situation.labelled:,} of {situation.documents:,} documents have one"
    if situation.labelled:
        yield (
            f"True gains lie about those of the labels “{situation.label_set}”: {share}; of the "
            "others 97% are taken for not relevant. H_k and N_k are as far apart as in the "
            "published study."
        )
    else:
        yield (
            "No document has a label, so that nearly all are taken for not relevant. Systems then "
            "differ by chance alone, and tau is lower than it would be: import labels, even a few."
        )


def crowd_table(likely: Likely) -> Table:
    """What the people of the pilot are like, beside the published crowd."""
    published = Nature()
    rows = [
        Trait(trait, float(getattr(published, trait)), *likely.interval(trait), what)
        for trait, what in TRAITS.items()
    ]
    return Table("crowd", "What the pilot says of its people", Trait, rows)
