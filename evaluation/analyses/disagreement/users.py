"""Systems ranked with chances that users find documents best as gains.

**Shows** the order of systems if a document is worth the mean weight P(1/N) of its labels, N = 2, 3
and 4: tau and top sets compared with those by the study's own gains and by reference labels, and
beside it tau of the study's own gains with those labels. Measures are nDCG with both discounts of
the paper, and GAP.

**Computed**: weights are estimated from the study itself, as for `udm:1/3` wherever gains are
named; labels of one worker on one document are not compared with each other, and the lowest level
has weight 0. All measures are at 10. GAP is given twice: the paper counts the relevant documents of
the list, so that a list with a single one, in first place, is perfect; for an order of systems
those of the topic should count.

**Beware**: own gains are medians of levels, or magnitudes, and probabilities are means of weights:
part of the difference is that between a median and a mean.

**Source**: section 5; the paper has no systems.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.disagreement import chance_orders
from evaluation.analyses.disagreement.chance_orders import LABELS, MAIN_USERS, OWN, STUDY, Orders
from evaluation.presentation import far_out, plots, two_orders
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Result, correlation, span
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData
from magnitudes.files.words import count

KINDS = {STUDY: ("circle", plots.MARK), LABELS: ("diamond", plots.OTHER)}
KEYS = {STUDY: "own", LABELS: "labels"}


@analysis(
    "Do systems change places if levels are worth these chances?",
    applies_to=in_levels,
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Tau and top sets of weights P(1/2), P(1/3), P(1/4) with other gains."""
    opinions = levels.opinions(data)
    if reason := levels.why_no_chances(opinions, levels.names(data)[-1]):
        return Result([reason, *levels.left_out(data)])
    if not data.runs:
        return Result(["The collection has no run: there is no system to rank."])
    orders = chance_orders.compute(data, opinions, on_progress)
    without = np.isnan(chance_orders.chances(opinions, MAIN_USERS))
    unweighted = int((without & (opinions.counts.sum(axis=1) > 0)).sum())
    return Result(
        [*_sentences(data, orders, unweighted), *levels.sentences(data, each=False)],
        [*_taus(orders.every), _systems(data, orders), *chance_orders.tables(data, orders)],
        {f"tau {order.name}, {KEYS[order.against]}": order.tau for order in orders.every},
    )


def _sentences(data: StudyData, orders: Orders, unweighted: int) -> Iterator[str]:
    for against in (STUDY, LABELS):
        taus = orders.of(MAIN_USERS, against)["tau"]
        if not np.isnan(taus).all():
            yield (
                f"Tau of {count(len(data.runs), 'system')} by P({MAIN_USERS}) with the order by "
                f"{against} is {span(np.nanmin(taus), np.nanmax(taus))}, by measure."
            )
    own, chances = (orders.of(users, LABELS)["tau"] for users in (OWN, MAIN_USERS))
    more = (chances - own)[~np.isnan(chances - own)]
    if more.size:
        yield (
            f"By {(more > 0).sum()} of {count(more.size, 'measure')} it is nearer to reference "
            "labels than the order by the study's own gains; this is not tested."
        )
    if np.isnan(orders.every["tau"]).all():
        yield "No two orders of systems can be compared."
    if not own.size:
        yield "No topic has a reference label to compare with."
    yield from two_orders.too_few(len(data.topics))
    if unweighted:
        yield (
            f"{count(unweighted, 'document')} with a level that nobody gave beside another "
            f"judge {'counts' if unweighted == 1 else 'count'} as unjudged."
        )


def _taus(orders: Frame) -> Iterator[Figure]:
    known = orders.where(~np.isnan(orders["tau"]))
    if not len(known):
        return
    shorts = list(chance_orders.NAMES.values())
    known = known.sorted_by([shorts.index(name.rsplit(", ", 1)[0]) for name in known["name"]])
    columns = known.of_columns("against", "tau", *two_orders.ENDS).columns
    taus = Frame.of(by=Column(known["name"], head="measure, users"), **columns)
    with_study = taus.where(taus["against"] == STUDY)
    [least] = (with_study if len(with_study) else taus.first(1)).sorted_by("tau").first(1)
    measure, users = least.by.rsplit(", ", 1)
    kinds = {name: style for name, style in KINDS.items() if name in taus["against"]}
    order = list(dict.fromkeys(taus["by"]))
    down = plots.names("by", order)
    chart = plots.intervals_of_kinds(ROWS, "tau", "Kendall's tau", down, "against", kinds)
    marks = two_orders.cut(taus).marks("{by}, against {against}: tau {tau:tau}")
    yield taus.figure(
        "tau",
        "Chances as gains leave the order of systems as it is"
        if least.tau >= 1 - 1e-12
        else f"With chances as gains the order of systems changes most by {measure}, P({users}) "
        f"(tau {correlation(least.tau)})",
        "Tau of the order of systems by chances with that by other gains, and its 95% interval.",
        plots.sized(chart, 28 * len(order), plots.WIDTH - 140),
        data={ROWS: marks},
        source=chance_orders.SOURCE,
        reading="P(1/2), P(1/3), P(1/4): the chance that at least one of two, three, four users "
        "finds a document best. Own: the study's own gains against reference labels, to hold the "
        "others against. Dots far to the left: it matters what lower levels are worth.",
    )


def _systems(data: StudyData, orders: Orders) -> Figure:
    (by, (own, chances)), *_ = orders.means.items()
    by_chances, tau = f"mean_by_P({MAIN_USERS})", orders.of(MAIN_USERS, STUDY)["tau"][0]
    systems = Frame.of(system=data.runs, mean_by_own_gains=own, **{by_chances: chances})
    label = f"{{system}}: {{mean_by_own_gains}} by own gains, {{{by_chances}}} by P({MAIN_USERS})"
    marks = far_out.placed(systems.marks(label), "mean_by_own_gains", by_chances)
    beside = "" if np.isnan(tau) else f": tau {correlation(tau)}"
    return systems.figure(
        "systems-plot",
        f"Systems by P({MAIN_USERS}) and by the study's own gains, {by.short}{beside}",
        "A dot a system. The closer all are to a rising line, the less it matters which gains are "
        f"taken.{far_out.caption(marks)}",
        far_out.scatter(f"mean by {STUDY}", f"mean by P({MAIN_USERS})"),
        data={ROWS: marks},
        source=chance_orders.SOURCE,
    )
