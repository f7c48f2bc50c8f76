"""What `against_labels` gives, as figures of systems and as a table of their orders."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from evaluation.analyses.systems import best_units
from evaluation.analyses.systems.against_labels import Orders, Ranked
from evaluation.analyses.systems.ranked_systems import SIMULATED
from evaluation.presentation import far_out, plots, point_labels, published, two_orders
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Table, correlation, percent
from evaluation.study import scoring
from magnitudes.comparison.compared import FEW_TOPICS
from magnitudes.comparison.ranks import competition_ranks

NEITHER = "in neither"
NO_SETS = "no top sets, as topics are too few"
NO_INTERVAL = (
    "Tau of simulated systems has no interval: it would narrow with the number of systems drawn."
)
PAPERS_UNITS = "the paper's three best"
Mark = dict[str, Any]


def figures(orders: Orders, source: str) -> list[Figure]:
    """One for each measure and kind of labels; source: the paper's figure."""
    of_pairs = groupby(orders.rankings, key=lambda ranked: (ranked.measure, ranked.labels))
    return [_figure(orders, list(rankings), source) for _, rankings in of_pairs]


def _figure(orders: Orders, rankings: Sequence[Ranked], source: str) -> Figure:
    first, scores, is_simulated = rankings[0], orders.scores, orders.systems.kind == SIMULATED
    by_scores = f"mean_by_{scores}"
    rows = [row for ranked in rankings for row in _rows(orders, ranked)]
    systems = Frame.of_rows(f"gains_from system {by_scores} mean_by_labels set", rows)
    panels = (
        " One panel takes gains from all units of a document, the other from the "
        f"{best_units.HOW_MANY} whose order agrees best with the labels, as in the paper."
    )
    across = plots.axis("x_at", f"mean by {scores}", ticks=3)
    up = plots.axis("y_at", f"mean by {first.labels} labels")
    kinds = {name: kind for name, kind in _sets(scores).items() if name in systems["set"]}
    dots = plots.shaped(ROWS, across, up, "set", kinds)
    names = point_labels.layers(ROWS, across, up)
    panel = plots.layer(dots, *names, far_out.arrows(ROWS, across, up))
    # That a system is in no top set need not be said at each of hundreds of dots.
    aside = ["" if of in (NEITHER, NO_SETS) else f"; {of}" for of in systems["set"]]
    label = f"{{system}}: {{{by_scores}}} by {scores}, {{mean_by_labels}} by labels{{aside}}"
    every = systems.with_columns(aside=aside).marks(label)
    marks = far_out.placed(every, by_scores, "mean_by_labels")
    per = len(orders.systems.names)
    named = [
        text
        for place in range(len(rankings))
        for text in _named(orders, rankings[place], marks[place * per : (place + 1) * per])
    ]
    return systems.figure(
        f"{first.measure.name.lower()}-{first.labels}",
        finding(first, scores, orders.systems.kind),
        ("One dot a system." if is_simulated else "One dot a system; some named.")
        + far_out.caption(marks),
        plots.panels(panel, "gains_from", [of.gains_from for of in rankings], height=plots.PANEL),
        data={ROWS: [_labelled(*both) for both in zip(marks, named, strict=True)]},
        source=source,
        reading=(
            f"The closer all are to a rising line, the more {scores} and labels agree; look for "
            f"those far from it. {two_orders.TOP_SET}{panels if len(rankings) > 1 else ''}"
        ),
    )


def _labelled(mark: Mark, beside: dict[str, str]) -> Mark:
    """A mark with its name beside it, which has its arrow, too."""
    if not beside:
        return mark
    arrow = mark.get("arrow", "")
    texts = {side: f"{name} {arrow}".rstrip() for side, name in beside.items()}
    return {**mark, **texts, "arrow": None}


def _named(orders: Orders, ranked: Ranked, marks: Sequence[Mark]) -> list[dict[str, str]]:
    """The best and worst run by either, and those whose places differ most, if there is room.

    marks: those of the panel, one for each system.
    """
    if orders.systems.kind == SIMULATED:
        return [{} for _ in orders.systems.names]
    scores, labels = (values.values.mean(axis=0) for values in (ranked.by_scores, ranked.by_labels))
    away = competition_ranks(scores) - competition_ranks(labels)
    ends = [
        function() for values in (scores, labels) for function in (values.argmax, values.argmin)
    ]
    wanted = [int(place) for place in (*ends, away.argmax(), away.argmin())]
    dots = [point_labels.Dot(mark["system"], mark["x_at"], mark["y_at"]) for mark in marks]
    return point_labels.beside(dots, wanted, (plots.PANEL, plots.PANEL))


def _sets(scores: str) -> dict[str, tuple[str, str]]:
    """How systems in the top sets of labels and of scores are drawn."""
    return {
        "top set of both": ("diamond", plots.OTHER),
        "of labels only": ("triangle-up", plots.INK),
        f"of {scores} only": ("triangle-down", plots.INK),
        NEITHER: ("circle", plots.MARK),
        NO_SETS: ("circle", plots.MARK),
    }


def _rows(orders: Orders, ranked: Ranked) -> Iterator[tuple[object, ...]]:
    """A system's means, and which top set it is in."""
    both, labels_only, scores_only, neither, no_sets = _sets(orders.scores)
    other = no_sets if ranked.compared.why == FEW_TOPICS else neither
    first, second = ranked.compared.first, ranked.compared.second
    sets = np.select([first & second, first, second], [both, labels_only, scores_only], other)
    means = (of.values.mean(axis=0).tolist() for of in (ranked.by_scores, ranked.by_labels))
    for row in zip(orders.systems.names, *means, sets.tolist(), strict=True):
        yield (ranked.gains_from, *row)


def finding(ranked: Ranked, scores: str, kind: str) -> str:
    """How alike both orders are, and the overlap of top sets where it says something.

    Of simulated systems, whose tau says nothing of others, tau alone.
    """
    compared = ranked.compared
    both = f"{scores[0].upper()}{scores[1:]} and {ranked.labels} labels"
    if kind == SIMULATED and not np.isnan(compared.tau.tau):
        tau = correlation(compared.tau.tau)
        alike = f"{both}: tau of simulated systems is {tau} ({ranked.measure.short})"
    else:
        alike = two_orders.how_alike(both, compared, ranked.measure.short)
    if np.isnan(compared.overlap) or compared.says_little:
        return alike
    return f"{alike}; {percent(compared.overlap)} of the labels' top set is in both"


def _of_paper(names: Sequence[str], systems: str, labels: str) -> Frame:
    """The paper's orders, which have neither intervals nor sizes of top sets; names: of columns."""
    n, topics = (int(published.value(f"{of}.{systems}")) for of in ("systems", "topics_ranked"))
    unknown, rows = (np.nan, np.nan, None, None, None), []
    for name in scoring.NAMES:
        tau, overlap = (published.value(f"{of}_{systems}_{name}.all") for of in ("tau", "overlap"))
        rows.append((f"{name}@10", labels, PAPERS_UNITS, n, topics, tau, *unknown, overlap))
    return Frame.of_rows(names, rows)


def table_of_orders(orders: Orders, paper: tuple[str, str], ranked: str = "systems") -> Table:
    """Tau and top sets, and below them the paper's, by its systems and the labels that it used."""
    compared, every = [of.compared for of in orders.rankings], orders.rankings
    rows = two_orders.frame(
        compared,
        "top_set_by_labels",
        f"by_{orders.scores}",
        measure=[str(of.measure) for of in every],
        labels=[of.labels for of in every],
        gains_from=[of.gains_from for of in every],
        systems=[len(orders.systems.names)] * len(every),
        topics=[len(orders.systems.topics)] * len(every),
    )
    no_interval = NO_INTERVAL if orders.systems.kind == SIMULATED else ""
    return rows.followed_by(_of_paper(rows.names, *paper)).table(
        "agreement",
        f"Order of {ranked} and top set, by labels and by {orders.scores}",
        *two_orders.notes(compared, "the labels' top set", no_interval=no_interval),
    )
