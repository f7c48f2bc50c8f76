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

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.disagreement import chance_orders
from evaluation.analyses.disagreement.chance_orders import (
    LABELS,
    MAIN_USERS,
    OWN,
    STUDY,
    Ranked,
    of,
)
from evaluation.presentation import plots, two_orders
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, OnProgress, Result, correlation, number, span
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData
from magnitudes.files.words import count

KINDS = {STUDY: ("circle", plots.MARK), LABELS: ("diamond", plots.OTHER)}
KEYS = {STUDY: "own", LABELS: "labels"}


def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Tau and top sets of weights P(1/2), P(1/3), P(1/4) with other gains."""
    opinions = levels.opinions(data)
    if reason := levels.why_no_chances(opinions, levels.names(data)[-1]):
        return Result([reason, *levels.left_out(data)])
    if not data.runs:
        return Result(["The collection has no run: there is no system to rank."])
    rankings = chance_orders.rankings(data, opinions, on_progress)
    without = np.isnan(chance_orders.chances(opinions, MAIN_USERS))
    unweighted = int((without & (opinions.counts.sum(axis=1) > 0)).sum())
    return Result(
        [*_sentences(data, rankings, unweighted), *levels.sentences(data, each=False)],
        [*_taus(rankings), _systems(data, rankings), *chance_orders.tables(data, rankings)],
        {f"tau {ranked.name}, {KEYS[ranked.against]}": ranked.tau for ranked in rankings},
    )


def _sentences(data: StudyData, rankings: list[Ranked], unweighted: int) -> Iterator[str]:
    for against in (STUDY, LABELS):
        taus = [each.tau for each in of(rankings, MAIN_USERS, against) if not np.isnan(each.tau)]
        if taus:
            yield (
                f"Tau of {count(len(data.runs), 'system')} by P({MAIN_USERS}) with the order by "
                f"{against} is {span(min(taus), max(taus))}, by measure."
            )
    yield from _closer_to_labels(rankings)
    if all(np.isnan(ranked.tau) for ranked in rankings):
        yield "No two orders of systems can be compared."
    if not of(rankings, MAIN_USERS, LABELS):
        yield "No topic has a reference label to compare with."
    yield from two_orders.too_few(len(data.topics))
    if unweighted:
        yield (
            f"{count(unweighted, 'document')} with a level that nobody gave beside another "
            f"judge {'counts' if unweighted == 1 else 'count'} as unjudged."
        )


def _closer_to_labels(rankings: Sequence[Ranked]) -> Iterator[str]:
    """Tau with labels of the study's own gains, beside that of chances."""
    own, chances = (
        {each.measure: each.tau for each in of(rankings, users, LABELS)}
        for users in (OWN, MAIN_USERS)
    )
    more = np.array([chances[measure] - tau for measure, tau in own.items()])
    more = more[~np.isnan(more)]
    if more.size:
        yield (
            f"By {(more > 0).sum()} of {count(more.size, 'measure')} it is nearer to reference "
            "labels than the order by the study's own gains; no test says so."
        )


def _taus(rankings: Sequence[Ranked]) -> Iterator[Figure]:
    rows = [
        (ranked.name, ranked.against, *map(float, ranked.compared.tau[:3]))
        for short in chance_orders.NAMES.values()
        for ranked in rankings
        if ranked.short == short and not np.isnan(ranked.tau)
    ]
    if not rows:
        return
    taus = Frame.of_rows("by against tau low high", rows).with_heads(by="measure, users")
    with_study = taus.where(taus["against"] == STUDY)
    [least] = (with_study if len(with_study) else taus.first(1)).sorted_by("tau").first(1)
    measure, users = least.by.rsplit(", ", 1)
    kinds = {name: style for name, style in KINDS.items() if name in taus["against"]}
    order = list(dict.fromkeys(taus["by"]))
    down = plots.names("by", order)
    chart = plots.intervals_of_kinds(ROWS, "tau", "Kendall's tau", down, "against", kinds)
    marks = two_orders.cut(taus).marks(
        lambda row: f"{row.by}, against {row.against}: tau {correlation(row.tau, 3)}"
    )
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


def _systems(data: StudyData, rankings: Sequence[Ranked]) -> Figure:
    ranked = of(rankings, MAIN_USERS, STUDY)[0]
    by_chances = f"mean_by_P({MAIN_USERS})"
    own, chances = (values.mean(axis=0) for values in (ranked.other_values, ranked.values))
    systems = Frame.of(system=data.runs, mean_by_own_gains=own, **{by_chances: chances})
    across = plots.axis("mean_by_own_gains", f"mean by {STUDY}")
    tau = "" if np.isnan(ranked.tau) else f": tau {correlation(ranked.tau)}"
    return systems.figure(
        "systems-plot",
        f"Systems by P({MAIN_USERS}) and by the study's own gains, {ranked.measure.brief}{tau}",
        "A dot a system. The closer all are to a rising line, the less it matters which gains are "
        "taken.",
        plots.sized(plots.points(ROWS, across, plots.axis(by_chances, f"mean by P({MAIN_USERS})"))),
        label=lambda of: (
            f"{of.system}: {number(of.mean_by_own_gains)} by own gains, "
            f"{number(getattr(of, by_chances))} by P({MAIN_USERS})"
        ),
        source=chance_orders.SOURCE,
    )


ANALYSIS = Analysis(
    "users",
    "Do systems change places if levels are worth these chances?",
    analyse,
    applies_to=in_levels,
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
