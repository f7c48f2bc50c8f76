"""Systems ranked with chances that users find documents best as gains.

Demeester and others (WSDM 2014), section 5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.disagreement import chance_orders
from evaluation.analyses.disagreement.chance_orders import (
    LABELS,
    MAIN_USERS,
    OWN,
    STUDY,
    USERS,
    Ranked,
)
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    correlation,
    drawn,
    number,
    span,
)
from evaluation.study import comparing, levels
from evaluation.study.data import StudyData
from evaluation.study.fits import in_levels
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.files.words import count

KINDS = {STUDY: ("circle", plots.MARK), LABELS: ("diamond", plots.OTHER)}
KEYS = {STUDY: "own", LABELS: "labels"}
SOURCE = levels.source("section 5")


class Tau(NamedTuple):
    """Tau of the order by some gains with that by others, and its 95% interval."""

    by: str
    against: str
    tau: float
    low: float
    high: float


class System(NamedTuple):
    """A system's means by the measure that is shown."""

    name: str
    own: float
    chances: float


@dataclass(frozen=True)
class Found:
    """Rankings by users, measure and what they are held against; unweighted: documents lost."""

    rankings: list[Ranked]
    runs: Sequence[str]
    topics: int
    is_graded: bool
    unweighted: int

    @property
    def main(self) -> list[Ranked]:
        """By the users that are shown, against the study's own gains; one a measure."""
        return self.of(MAIN_USERS, STUDY)

    def of(self, users: str, against: str) -> list[Ranked]:
        return [
            ranked for ranked in self.rankings if (ranked.users, ranked.against) == (users, against)
        ]

    def numbers(self) -> dict[str, float]:
        return {
            f"tau {ranked.name}, {KEYS[ranked.against]}": ranked.tau for ranked in self.rankings
        }


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau and top sets of weights P(1/2), P(1/3), P(1/4) with other gains."""
    opinions = levels.opinions(data)
    if reason := levels.why_no_chances(opinions, levels.names(data)[-1]):
        return Analysed([reason, *levels.left_out(data)])
    if not data.runs:
        return Analysed(["The collection has no run: there is no system to rank."])
    rankings = [*chance_orders.by_own_gains(data)]
    for done, users in enumerate(USERS, 1):
        rankings += chance_orders.by_chances(data, opinions, users)
        tell(done / len(USERS))
    without = np.isnan(chance_orders.chances(opinions, MAIN_USERS))
    unweighted = int((without & (opinions.counts.sum(axis=1) > 0)).sum())
    found = Found(rankings, data.runs, len(data.topics), data.study.is_graded, unweighted)
    return Analysed(
        [*says(found), *levels.told(data, each=False)],
        [*figures(found), *tables(found)],
        found.numbers(),
    )


def says(found: Found) -> Iterator[str]:
    for against in (STUDY, LABELS):
        taus = [order.tau for order in found.of(MAIN_USERS, against) if not np.isnan(order.tau)]
        if taus:
            yield (
                f"Tau of {count(len(found.runs), 'system')} by P({MAIN_USERS}) with the order by "
                f"{against} is {span(min(taus), max(taus))}, by measure."
            )
    yield from _closer_to_labels(found)
    if all(np.isnan(ranked.tau) for ranked in found.rankings):
        yield "No two orders of systems can be compared."
    if not found.of(MAIN_USERS, LABELS):
        yield "No topic has a reference label to compare with."
    yield from comparing.too_few(found.topics)
    if found.unweighted:
        yield (
            f"{count(found.unweighted, 'document')} with a level that nobody gave beside another "
            f"judge {'counts' if found.unweighted == 1 else 'count'} as unjudged."
        )


def _closer_to_labels(found: Found) -> Iterator[str]:
    """Tau with labels of the study's own gains, beside that of chances."""
    own = {ranked.measure: ranked.tau for ranked in found.of(OWN, LABELS)}
    chances = {ranked.measure: ranked.tau for ranked in found.of(MAIN_USERS, LABELS)}
    pairs = [
        chances[measure] - own[measure]
        for measure in own
        if not np.isnan(own[measure] + chances[measure])
    ]
    if pairs:
        nearer = sum(difference > 0 for difference in pairs)
        yield (
            f"By {nearer} of {count(len(pairs), 'measure')} it is nearer to reference labels than "
            "the order by the study's own gains; no test says so."
        )


def figures(found: Found) -> list[Figure]:
    rows = [
        Tau(ranked.name, ranked.against, *map(float, ranked.compared.tau[:3]))
        for short in chance_orders.NAMES.values()
        for ranked in found.rankings
        if ranked.short == short and not np.isnan(ranked.tau)
    ]
    return [*([_taus(rows)] if rows else []), _systems(found)]


def _taus(rows: Sequence[Tau]) -> Figure:
    against = {row.against for row in rows}
    kinds = {name: style for name, style in KINDS.items() if name in against}
    order = list(dict.fromkeys(row.by for row in rows))
    with_study = [row for row in rows if row.against == STUDY]
    least = min(with_study, key=lambda row: row.tau, default=rows[0])
    chart = plots.intervals_of_kinds(
        "taus", "tau", "Kendall's tau", plots.names("by", order), "against", kinds
    )
    return Figure(
        "tau",
        "Chances as gains leave the order of systems as it is"
        if least.tau >= 1 - 1e-12
        else f"With chances as gains the order of systems changes most by {_users(least.by)} (tau "
        f"{correlation(least.tau)})",
        "Tau of the order of systems by chances with that by other gains, and its 95% interval.",
        plots.sized(chart, 28 * len(order), plots.WIDTH - 140),
        {
            "taus": [
                mark | comparing.tau_ends(row.low, row.high)
                for mark, row in zip(drawn(rows, "by against tau", _tooltip), rows, strict=True)
            ]
        },
        Tau,
        rows,
        SOURCE,
        reading="P(1/2), P(1/3), P(1/4): the chance that at least one of two, three, four users "
        "finds a document best. Own: the study's own gains against reference labels, to hold the "
        "others against. Dots far to the left: it matters what lower levels are worth.",
    )


def _users(by: str) -> str:
    """A measure and its users as a sentence has them."""
    measure, users = by.rsplit(", ", 1)
    return f"{measure}, P({users})"


def _tooltip(row: Tau) -> str:
    return f"{row.by}, against {row.against}: tau {correlation(row.tau, 3)}"


def _systems(found: Found) -> Figure:
    ranked = found.main[0]
    means = (values.mean(axis=0).tolist() for values in (ranked.other_values, ranked.values))
    rows = [System(*row) for row in zip(found.runs, *means, strict=True)]
    across = plots.axis("usual", f"mean by {STUDY}")
    dots = plots.points("systems", across, plots.axis("chances", f"mean by P({MAIN_USERS})"))
    tau = "" if np.isnan(ranked.tau) else f": tau {correlation(ranked.tau)}"
    return Figure(
        "systems-plot",
        f"Systems by P({MAIN_USERS}) and by the study's own gains, {ranked.measure.brief}{tau}",
        "A dot a system. The closer all are to a rising line, the less it matters which gains are "
        "taken.",
        plots.sized(dots),
        {"systems": drawn(rows, "chances", _system, usual="own")},
        ("system", "mean_by_own_gains", f"mean_by_P({MAIN_USERS})"),
        rows,
        SOURCE,
    )


def _system(row: System) -> str:
    return f"{row.name}: {number(row.own)} by own gains, {number(row.chances)} by P({MAIN_USERS})"


def tables(found: Found) -> list[Table]:
    return [_orders(found), _all_systems(found)]


def _orders(found: Found) -> Table:
    rows: list[Row] = [
        (
            str(ranked.measure),
            STUDY if ranked.users == OWN else f"P({ranked.users})",
            ranked.against,
            len(ranked.values),
            *map(float, ranked.compared.tau[:3]),
            *ranked.compared.sizes,
            ranked.compared.overlap,
        )
        for ranked in found.rankings
    ]
    reasons = {ranked.compared.reason for ranked in found.rankings} - {""}
    return Table(
        "orders",
        "Order of systems and top set by chances, against other gains",
        (
            *("measure", "gains", "against", "topics", "tau", "low", "high"),
            *("top_set_there", "top_set_by_chances", "in_both", "overlap"),
        ),
        rows,
        (
            "Gains: the mean weight of a document's labels, with weights from this study; the "
            f"lowest level is worth 0. {comparing.OF_TAU}",
            f"{comparing.TOP_SET} Overlap: the share of the other gains' top set that is in both.",
            "GAP counts the relevant documents of the list, as in the paper: a list with a single "
            "one, in first place, has 1. GAP(over='topic') counts those of the topic.",
            *(f"A dash: {reason}." for reason in sorted(reasons)),
        ),
        SOURCE,
        limits=comparing.TAU_ENDS,
    )


def _all_systems(found: Found) -> Table:
    columns = []
    for ranked in found.main:
        for values in (ranked.other_values, ranked.values):
            mean = values.mean(axis=0)
            columns += [mean, competition_ranks(mean)]
    order = np.argsort(columns[3], kind="stable").tolist()  # by rank by chances, first measure
    names = (
        f"{number_of}_{ranked.short}_{gains}".replace(" ", "_")
        for ranked in found.main
        for gains in ("own", f"P({MAIN_USERS})")
        for number_of in ("mean", "rank")
    )
    return Table(
        "all-systems",
        f"All systems by P({MAIN_USERS}) and by the study's own gains",
        ("system", *names),
        [(found.runs[run], *(column[run].item() for column in columns)) for run in order],
        source=SOURCE,
    )


ANALYSIS = Analysis(
    "users",
    "Do systems change places if levels are worth these chances?",
    analyse,
    fits=in_levels,
    titled=True,
    of_systems=True,
    counts_unlabelled=True,
)
