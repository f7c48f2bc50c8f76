"""This study beside others of the same collection: do they rank systems and documents alike?

**Shows** this study beside every other study of the same collection that has results, whatever its
scale, so that two crowds, two scales, or two settings can be compared.

**Computed**: systems are measured by both on the topics that both have: tau with its interval, and
the top sets. Documents that both have judged are compared topic by topic by Kendall's tau-b of
their gains, which depends only on the order, because levels and magnitudes have no common unit. The
analysis becomes outdated when one of the other studies changes.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis, tracked
from evaluation.analyses.systems.shared_with import Shared, compute
from evaluation.presentation import plots, two_orders
from evaluation.presentation.frame import ROWS
from evaluation.presentation.parts import Figure, Result, Table, interval, number, plain_row
from evaluation.study.data import StudyData
from magnitudes.files.words import count
from magnitudes.measures.names import short


@analysis("Do other studies of this collection say the same?", of_others=True, of_systems=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Tau, top sets, and agreement on documents with every other study of the collection."""
    if not data.others:
        return Result(["The collection has no other study with results to compare with."])
    return beside(data, [compute(data, other) for other in tracked(data.others, on_progress)])


class Sides(NamedTuple):
    """What the two that are compared are called: whose study this is, and whose the others are."""

    here: str = "this study"
    there: str = "the other"

    def both(self, shared: Shared) -> str:
        other = shared.other
        details = ", ".join(filter(None, (other.scale, other.mark)))
        there = f"“{other.slug}” ({details})" if self == STUDIES else self.there
        return f"{self.here[0].upper()}{self.here[1:]} and {there}"


STUDIES = Sides()


def beside(data: StudyData, every: Sequence[Shared], sides: Sides = STUDIES) -> Result:
    """What a study says beside others, of what it shares with each."""
    common = [shared for shared in every if len(shared.topics)]
    return Result(
        [*_sentences(every, data.runs, sides)],
        [
            *(_figure(shared, sides) for shared in common if shared.orders),
            *([_orders(common, len(data.runs)), _documents(common)] if common else []),
        ],
        {shared.other.slug: _numbers(shared) for shared in common},
    )


def _numbers(shared: Shared) -> dict[str, Any]:
    numbers = {
        "topics": len(shared.topics),
        "documents": shared.documents,
        "tau_of_documents": float(shared.tau_of_documents.mean),
    }
    return plain_row(numbers | {f"tau_{by.name}": of.tau.tau for by, of in shared.orders.items()})


def _sentences(every: Sequence[Shared], runs: Sequence[str], sides: Sides) -> Iterator[str]:
    for shared in every:
        yield _with_other(shared, sides)
    yield from two_orders.too_few(max(len(shared.topics) for shared in every))
    if not runs:
        yield "The collection has no run: there is no system to rank."


def _with_other(shared: Shared, sides: Sides) -> str:
    both = sides.both(shared)
    if not len(shared.topics):
        return f"{both} have no judged document in common."
    orders = "; ".join(
        f"by {by.short}, {two_orders.with_interval(compared.tau)}"
        f"{two_orders.top_sets(compared, sides.there, sides.here, ', ')}"
        for by, compared in shared.orders.items()
    )
    tau, low, high = map(float, shared.tau_of_documents)
    ends = "" if np.isnan(low) else f" (95% interval {interval(low, high)})"
    return (
        f"{both} share {count(len(shared.topics), 'topic')} and "
        f"{count(shared.documents, 'document')}. {f'Systems: {orders}. ' if orders else ''}"
        "Documents: the mean over topics of tau between their gains is "
        f"{number(tau)}{ends}."
    )


def _figure(shared: Shared, sides: Sides) -> Figure:
    (first, compared), *_ = shared.orders.items()
    across = plots.axis("mean_there", f"mean by {sides.there}", ticks=3)
    dots = plots.points(ROWS, across, plots.axis("mean_here", f"mean by {sides.here}"))
    drawn = shared.means.with_columns(panel=[*map(short, shared.means["measure"].tolist())])
    return shared.means.figure(
        f"systems-{shared.other.slug}",
        two_orders.how_alike(sides.both(shared), compared, first.short),
        "One dot a system, on the topics that both studies have. The closer all are to a rising "
        "line, the more alike both rank systems; look for those far from it.",
        plots.panels(dots, "panel", [by.short for by in shared.orders]),
        data={ROWS: drawn.marks("{system}: {mean_there} there, {mean_here} here")},
    )


def _orders(every: Sequence[Shared], systems: int) -> Table:
    """every: those that share a document."""
    orders = [(of.other.slug, len(of.topics), *each) for of in every for each in of.orders.items()]
    compared = [each for *_, each in orders]
    return two_orders.frame(
        compared,
        "top_set_there",
        "top_set_here",
        study=[slug for slug, *_ in orders],
        measure=[str(by) for _, _, by, _ in orders],
        systems=[systems] * len(orders),
        topics=[topics for _, topics, *_ in orders],
    ).table(
        "order",
        "Order of systems and top set, here and in other studies",
        *two_orders.notes(compared, "the other study's top set"),
    )


def _documents(every: Sequence[Shared]) -> Table:
    return (
        every[0]
        .topics.followed_by(*(shared.topics for shared in every[1:]))
        .table(
            "documents",
            "Documents that both judged, by topic",
            "tau: Kendall's tau-b of the gains; NaN, shown as a dash, where one study gave all of "
            "them the same.",
        )
    )
