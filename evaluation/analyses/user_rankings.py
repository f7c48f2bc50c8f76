"""Systems ranked with chances that users find documents best as gains.

Demeester and others (WSDM 2014), section 5.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels, plots, systems
from evaluation.analyses.data import Floats, StudyData, TopicData
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, number, percent
from evaluation.comparison.ranks import competition_ranks
from evaluation.gains.disagreement import disagreement
from evaluation.gains.level_weights import gains_of, level_weights
from evaluation.gains.opinions import Opinions
from evaluation.measures.names import Measure, parse
from trec.words import count

USERS = ("1/2", "1/3", "1/4")
SHOWN = "1/3"  # in the plot of systems, and in their table
# GAP counts relevant documents of the list, as in the paper, or of the topic: by the former a list
# with one relevant document, in first place, is perfect.
NAMES = {
    "nDCG@10": "nDCG",
    "nDCG(dcg='zipf')@10": "nDCG zipf",
    "GAP@10": "GAP",
    "GAP(over='topic')@10": "GAP of topic",
}
SHORT = {parse(name): short for name, short in NAMES.items()}
MEASURES = tuple(SHORT)
DEFAULT, LABELS = "the study's own gains", "reference labels"
KEYS = {DEFAULT: "own", LABELS: "labels"}
OWN = "own"  # in the place of users: the study's own gains themselves


class Ranked(NamedTuple):
    """One measure with one N of P(1/N), against other gains; values: (topics, runs)."""

    measure: Measure
    users: str
    against: str
    usual: Floats
    values: Floats
    compared: systems.Compared


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau and top sets of weights P(1/2), P(1/3), P(1/4) with other gains."""
    said = in_levels.opinions(data)
    if reason := in_levels.why_not(said):
        return Analysed([reason, *in_levels.left_out(data)])
    if not data.runs:
        return Analysed(["The collection has no run: there is no system to rank."])
    found = [*_own(data)]
    for done, users in enumerate(USERS, 1):
        found += _ranked(data, said, users)
        tell(done / len(USERS))
    return Analysed(
        [*_says(data, found), *_left_out(data, said), *in_levels.told(data, each=False)],
        [
            *_figure(found),
            _scatter(data, _of(found, MEASURES[0])),
            _table(data, found),
            _systems(data, found),
        ],
        {
            f"tau {SHORT[one.measure]}, {one.users}, {KEYS[one.against]}": one.compared.tau.tau
            for one in found
        },
    )


def _by_labels(topics: Sequence[TopicData], by: Measure) -> Floats:
    sources = [systems.labels(topic, systems.KINDS["graded"]) for topic in topics]
    return systems.measure(topics, sources, by).values


def _by_default(topics: Sequence[TopicData], by: Measure) -> Floats:
    return systems.measure(topics, map(systems.magnitudes, topics), by).values


def _own(data: StudyData) -> Iterator[Ranked]:
    """The study's own gains against labels, to hold the others against."""
    if labelled := systems.labelled(data):
        for by in MEASURES:
            there, here = _by_labels(labelled, by), _by_default(labelled, by)
            yield Ranked(by, OWN, LABELS, there, here, systems.compare(there, here))


def _gains(said: Opinions, users: str) -> Floats:
    """Mean weights of the labels of each item; NaN where one of them has no weight."""
    m, n = map(int, users.split("/"))
    return gains_of(said, level_weights(disagreement(said).p, m, n))


def _ranked(data: StudyData, said: Opinions, users: str) -> Iterator[Ranked]:
    gains = _gains(said, users)
    of_topic = dict(
        zip(
            (topic.query_id for topic in data.topics),
            np.split(gains, data.offsets[1:-1]),
            strict=True,
        )
    )

    def values(topics: Sequence[TopicData], by: Measure) -> Floats:
        sources = [systems.magnitudes(topic, of_topic[topic.query_id]) for topic in topics]
        return systems.measure(topics, sources, by).values

    labelled = systems.labelled(data)
    for by in MEASURES:
        yield _compared(by, users, DEFAULT, _by_default(data.topics, by), values(data.topics, by))
        if labelled:
            yield _compared(by, users, LABELS, _by_labels(labelled, by), values(labelled, by))


def _compared(by: Measure, users: str, against: str, usual: Floats, values: Floats) -> Ranked:
    names = f"by {against}", f"by P({users})"
    return Ranked(by, users, against, usual, values, systems.compare(usual, values, names))


def _of(found: Sequence[Ranked], by: Measure) -> Ranked:
    return next(one for one in found if one[:3] == (by, SHOWN, DEFAULT))


def _says(data: StudyData, found: Sequence[Ranked]) -> Iterator[str]:
    topics = len(data.topics)
    yield (
        f"{count(len(data.runs), 'system')} on {count(topics, 'topic')}, by the chance that at "
        "least one of N users finds a document best in the place of the study's own gains"
        f"{'' if data.study.is_graded else ', which are magnitudes'}."
    )
    for against in (DEFAULT, LABELS):
        said = [
            f"by {one.measure}, {systems.with_interval(one.compared.tau)}{_tops(one.compared)}"
            for one in found
            if (one.users, one.against) == (SHOWN, against) and not np.isnan(one.compared.tau.tau)
        ]
        if said:
            yield f"P({SHOWN}) against {against}: {'; '.join(said)}."
    own = {one.measure: one.compared.tau.tau for one in found if one.users == OWN}
    chances = {one.measure: one.compared.tau.tau for one in found if one[1:3] == (SHOWN, LABELS)}
    if closer := [
        f"by {by}, {number(own[by])} and {number(chances[by])}"
        for by in own
        if not np.isnan(own[by] + chances[by])
    ]:
        yield (
            f"Tau with reference labels of the study's own gains, and of P({SHOWN}): "
            f"{'; '.join(closer)}."
        )
    if all(np.isnan(one.compared.tau.tau) for one in found):
        yield "No two orders of systems can be compared."
    if LABELS not in {one.against for one in found}:
        yield "No topic has a reference label to compare with."
    yield from systems.too_few(topics)


def _tops(of: systems.Compared) -> str:
    if np.isnan(of.overlap):
        return ""
    return (
        f", top sets have {int(of.first.sum())} and {int(of.second.sum())} systems, {of.both} of "
        f"them in both ({percent(of.overlap)} of the former)"
    )


def _left_out(data: StudyData, said: Opinions) -> list[str]:
    gains = _gains(said, SHOWN)
    lost = int((np.isnan(gains) & (said.counts.sum(axis=1) > 0)).sum())
    if not lost:
        return []
    return [
        f"{count(lost, 'document')} with a level that nobody gave beside another judge "
        f"{'counts' if lost == 1 else 'count'} as unjudged."
    ]


def _figure(found: Sequence[Ranked]) -> Iterator[Figure]:
    rows: list[Row] = [
        (f"{SHORT[one.measure]}, {one.users}", one.against, *map(float, one.compared.tau[:3]))
        for by in MEASURES
        for one in found
        if one.measure == by and not np.isnan(one.compared.tau.tau)
    ]
    if not rows:
        return
    kinds = {DEFAULT: ("circle", plots.MARK), LABELS: ("diamond", plots.OTHER)}
    kinds = {name: style for name, style in kinds.items() if name in {row[1] for row in rows}}
    order = list(dict.fromkeys(row[0] for row in rows))
    apart = plots.alt.YOffset("against:N", sort=list(kinds))
    title = "Kendall's tau"
    least = min((row for row in rows if row[1] == DEFAULT), key=lambda row: row[2], default=rows[0])
    spans = plots.on("taus").mark_rule(color=plots.INK, opacity=0.5, aria=False)
    yield Figure(
        "tau",
        "Chances as gains leave the order of systems as it is"
        if least[2] >= 1 - 1e-12
        else f"Chances as gains change the order most by {least[0]}: tau {number(least[2])}",
        "Tau of the order of systems by P(1/2), P(1/3) and P(1/4) with that by other gains, with "
        "its 95% interval; own: of the study's own gains with reference labels, to hold the others "
        "against. Look for dots far to the left: there it matters what lower levels are worth.",
        plots.sized(
            plots.alt.layer(
                spans.encode(
                    x=plots.x("low", title),
                    x2="high:Q",
                    y=plots.down("by", order),
                    yOffset=apart,
                ),
                plots.shaped(
                    "taus", plots.x("tau", title), plots.down("by", order), "against", kinds
                ).encode(yOffset=apart),
            ),
            28 * len(order),
            plots.WIDTH - 140,
        ),
        {
            "taus": [
                {
                    "by": by,
                    "against": against,
                    "tau": tau,
                    "low": tau if np.isnan(low) else low,
                    "high": tau if np.isnan(high) else high,
                    "name": f"{by}, against {against}: tau {number(tau)}",
                }
                for by, against, tau, low, high in rows
            ]
        },
        ("by", "against", "tau", "low", "high"),
        rows,
        in_levels.source("section 5"),
    )


def _scatter(data: StudyData, one: Ranked) -> Figure:
    usual, chances = one.usual.mean(axis=0).tolist(), one.values.mean(axis=0).tolist()
    rows: list[Row] = list(zip(data.runs, usual, chances, strict=True))
    tau = one.compared.tau.tau
    return Figure(
        "systems-plot",
        f"Systems by P({SHOWN}) and by the study's own gains, {one.measure}"
        + ("" if np.isnan(tau) else f": tau {number(tau)}"),
        "One dot a system. The closer all are to a rising line, the less it matters which gains "
        "are taken; look for those far from it.",
        plots.sized(
            plots.points(
                "systems",
                plots.x("usual", f"mean by {DEFAULT}"),
                plots.y("chances", f"mean by P({SHOWN})"),
            )
        ),
        {
            "systems": [
                {
                    "name": f"{name}: {number(x)} by own gains, {number(y)} by P({SHOWN})",
                    "usual": x,
                    "chances": y,
                }
                for name, x, y in rows
            ]
        },
        ("system", "mean_by_own_gains", f"mean_by_P({SHOWN})"),
        rows,
        in_levels.source("section 5"),
    )


def _table(data: StudyData, found: Sequence[Ranked]) -> Table:
    rows: list[Row] = [
        (
            str(one.measure),
            DEFAULT if one.users == OWN else f"P({one.users})",
            one.against,
            len(one.values),
            *map(float, one.compared.tau[:3]),
            int(one.compared.first.sum()),
            int(one.compared.second.sum()),
            one.compared.both,
            one.compared.overlap,
        )
        for one in found
    ]
    return Table(
        "orders",
        "Order of systems and top set by chances, against other gains",
        (
            *("measure", "gains", "against", "topics", "tau", "low", "high"),
            *("top_set_there", "top_set_by_chances", "in_both", "overlap"),
        ),
        rows,
        (
            "gains: the mean weight of a document's labels, with weights from this study; the "
            "lowest level is worth 0. tau: Kendall's tau-b of system means, with its 95% "
            "interval. Top set: the best system and all that a two-sided Wilcoxon signed-rank test "
            "over topics does not tell from it (p ≥ 0.05). Overlap: the share of the other gains' "
            "top set that is in both. GAP@10 counts the relevant documents of the list, as in the "
            "paper: a list with a single one, in first place, has 1. GAP(over='topic')@10 counts "
            "those of the topic.",
            *systems.too_few(len(data.topics)),
            *(
                f"A dash: {reason}."
                for reason in sorted({one.compared.reason for one in found} - {""})
            ),
        ),
        in_levels.source("section 5"),
    )


def _systems(data: StudyData, found: Sequence[Ranked]) -> Table:
    columns = []
    for by in MEASURES:
        one = _of(found, by)
        for values in (one.usual, one.values):
            mean = values.mean(axis=0)
            columns += [mean, competition_ranks(mean)]
    order = np.argsort(columns[3], kind="stable").tolist()
    return Table(
        "all-systems",
        f"All systems by P({SHOWN}) and by the study's own gains",
        (
            "system",
            *(
                f"{of}_{SHORT[by]}_{gains}".replace(" ", "_")
                for by in MEASURES
                for gains in ("own", f"P({SHOWN})")
                for of in ("mean", "rank")
            ),
        ),
        [(data.runs[run], *(column[run].item() for column in columns)) for run in order],
        source=in_levels.source("section 5"),
    )
