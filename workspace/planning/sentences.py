from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crowd.vectorised import CrowdTraits
from evaluation.presentation.parts import Table, amount, number, percent
from magnitudes.files.words import count
from magnitudes.measures.names import short
from workspace.planning.forecasting import MAX_JUDGES, Row
from workspace.planning.pilots import Posterior

TRAITS = {
    "noise": "how far scores of one document lie apart, times the published crowd's",
    "slope": "spread of the log of how steeply workers' scores rise with relevance",
    "careless": "share of workers whose scores say nothing",
    "spread": "spread of true log gains about those of their labels",
}


@dataclass(frozen=True)
class Context:
    """levels: of the scale, 0 for magnitudes; labelled: documents."""

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


class Trait(NamedTuple):
    """The published value of a trait, and the one fitted to a pilot, with its 95% interval."""

    trait: str
    published: float
    low: float
    fitted: float
    high: float
    what: str


def money(cost: float, context: Context) -> str:
    return f"{cost:,.2f} {context.currency}"


def price(row: Row, context: Context) -> str:
    if context.unit_cost:
        return money(row.cost, context)
    return f"{row.units:,.0f} units"


def row_for(rows: Sequence[Row], topics: int, judges: int) -> Row | None:
    return next((row for row in rows if (row.topics, row.judges) == (topics, judges)), None)


def sentences(rows: Sequence[Row], context: Context) -> Iterator[str]:
    judges, topics = min(context.judges, MAX_JUDGES), context.topics
    planned = row_for(rows, topics, judges)
    if planned is None:
        return
    if np.isnan(planned.tau):
        yield "There are fewer than two runs: no order of systems can be forecast."
    else:
        yield _tau_sentence(planned, context)
        yield from _half_sentences(rows, planned, context)
        yield from _top_set_sentences(planned)
    yield _gains_sentence(planned, context)


def _tau_sentence(row: Row, context: Context) -> str:
    return (
        f"With {count(row.topics, 'topic')} and {_judges(row.judges)} a document, for "
        f"{price(row, context)}, tau with the true order of {context.systems} systems is "
        f"{number(row.tau)} in the mean, and {number(row.tau_low)} to {number(row.tau_high)} in "
        f"95% of {context.replications} simulated studies."
    )


def _half_sentences(rows: Sequence[Row], planned: Row, context: Context) -> Iterator[str]:
    fewer = [
        (row_for(rows, planned.topics, half_of(planned.judges)), "fewer judges"),
        (row_for(rows, _half(rows), planned.judges), "half of the topics, drawn at random,"),
    ]
    for row, what in fewer:
        if row and row.units < planned.units:
            yield (
                f"With {what} ({count(row.topics, 'topic')}, {_judges(row.judges)}) it is "
                f"{number(row.tau)} ({number(row.tau_low)} to {number(row.tau_high)}), for "
                f"{price(row, context)}."
            )


def half_of(judges: int) -> int:
    """About half as many judges, at least one; of odd numbers, the larger half.

    >>> half_of(10), half_of(5), half_of(1)
    (5, 3, 1)
    """
    return (judges + 1) // 2


def _half(rows: Sequence[Row]) -> int:
    numbers = sorted({row.topics for row in rows})
    return min(numbers, key=lambda topics: abs(2 * topics - numbers[-1]))


def _top_set_sentences(row: Row) -> Iterator[str]:
    if not np.isnan(row.top_set_found):
        yield (
            f"Of the systems that do not differ significantly from the truly best one, "
            f"{percent(row.top_set_found)} are in the top set that is found "
            f"({percent(row.top_set_low)} to {percent(row.top_set_high)}); the system that comes "
            f"first is one of them in {percent(row.best_in_true_top_set)} of the studies."
        )


def _gains_sentence(row: Row, context: Context) -> str:
    by = amount(row.gain_off, "level") if context.levels else f"a factor of {number(row.gain_off)}"
    return (
        f"A document's gain differs from the true one by {by} in the mean, with "
        f"{_judges(row.judges)}."
    )


def _judges(judges: int) -> str:
    return count(judges, "judge")


def assumptions(posterior: Posterior | None, context: Context) -> Iterator[str]:
    if posterior is None:
        yield (
            "People judge as the published crowd did that the artificial workers follow "
            "(Maddalena, Mizzaro, Scholer and Turpin, 2017)."
        )
    else:
        yield (
            f"People judge as those of study {context.pilot} did, as far as "
            f"{count(context.pilot_units, 'unit')} tell it; each simulated study has one of the "
            "crowds that they may be. Whatever else the published crowd is like, this one is too."
        )
    yield from _truth_assumptions(context)
    yield (
        "People err independently of each other: what nearly all misunderstand in the same way is "
        "not in it, and no number of judges would mend it."
    )
    yield (
        "Fewer topics are drawn at random. All orders are compared with the true one on all topics "
        "of the study, so what other topics would say is not in it."
    )
    yield (
        f"Systems are ranked by {short(context.measure)}, with the study's own normalisation and "
        "aggregation, on plans that grow: with more judges those before stay."
    )
    if context.unit_cost:
        yield "Money is for completed units, at the payment and fee that the settings have now."


def _truth_assumptions(context: Context) -> Iterator[str]:
    share = f"{context.labelled:,} of {context.documents:,} documents have one"
    if context.labelled:
        yield (
            f"True gains lie about those of the labels “{context.label_set}”: {share}; of the "
            "others 97% are taken for not relevant. The anchors are as far apart as in the "
            "published study."
        )
    else:
        yield (
            "No document has a label, so that nearly all are taken for not relevant. Systems then "
            "differ by chance alone, and tau is lower than it would be: import labels, even a few."
        )


def crowd_table(posterior: Posterior) -> Table:
    published = CrowdTraits()
    rows = [
        Trait(trait, float(getattr(published, trait)), *posterior.interval(trait), what)
        for trait, what in TRAITS.items()
    ]
    return Table("crowd", "What the pilot says of its people", Trait._fields, rows)
