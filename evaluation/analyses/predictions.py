"""Weights of levels as predicted from pairs of labels, and as seen on documents with many.

Demeester and others (WSDM 2014), sections 3.2, 4.2 and 4.5: Figures 1 and 5, Table 1.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import hypergeom

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import Floats, Ints, StudyData
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, number
from evaluation.gains.disagreement import disagreement
from evaluation.gains.disagreement_bootstrap import bootstrap_disagreement
from evaluation.gains.level_weights import gains_of, level_weights
from evaluation.gains.opinions import Opinions
from evaluation.gains.prediction import (
    LEAST,
    Sampled,
    observed_weights,
    p_by_labels,
    sampled_weights,
)
from trec.words import count

FEWEST = 3  # labels of a document: one of the first user, two of others
DOCUMENTS = (100, 20)  # that must have so many: enough, or at least
REPEATS = 50  # as in the paper
EXPECTED = 3  # users, of whom one is to find a document best
# Of the level below the top: as sampled, and as predicted (Table 1).
PAPER = {(1, 3): (0.49, 0.51), (2, 3): (0.10, 0.09), (2, 4): (0.23, 0.21), (2, 5): (0.35, 0.35)}


class Weights(NamedTuple):
    """P(M/N) of several M and N, (users, levels)."""

    users: list[tuple[int, int]]
    predicted: Floats
    low: Floats
    high: Floats
    seen: Floats
    sampled: Sampled


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Predictions against what is seen, how many labels p needs, and how many are best."""
    every = in_levels.opinions(data)
    if reason := in_levels.why_not(every):
        return Analysed([reason, *in_levels.left_out(data)])
    said = _taken(data, every)
    labels = said.counts.sum(axis=1)
    of = range(LEAST, FEWEST - 1, -1)
    least = next((n for some in DOCUMENTS for n in of if (labels >= n).sum() >= some), None)
    if least is None:
        return Analysed([_too_few(labels)])
    many = said.where((labels >= least)[said.items])
    weights = _weights(many, least, data.seed)
    tell(0.4)
    by_labels = p_by_labels(many, least, REPEATS, seed=data.seed)
    tell(0.8)
    names = in_levels.names(data)
    tops = _tops(many, weights.sampled.documents, data)
    return Analysed(
        [*_says(data, weights, by_labels, least, names), *_expected(tops), *in_levels.told(data)],
        [
            *_users(weights, names),
            _table(weights, names),
            _by_labels(by_labels, names),
            _tops_figure(tops),
        ],
        {
            "documents": weights.sampled.documents,
            "largest_difference": _largest(weights)[0],
            **{
                f"seen_{m}/{n}": float(weights.seen[row, -2])
                for row, (m, n) in enumerate(weights.users)
            },
        },
    )


def _taken(data: StudyData, every: Opinions) -> Opinions:
    """Each label for itself; without the anchors, of which there are hundreds."""
    if not data.study.is_imported:
        every = every.where(~data.is_anchor[every.items])
    return in_levels.for_themselves(every)


def _too_few(labels: Ints) -> str:
    return (
        f"To see what several users say of a document, {DOCUMENTS[-1]} documents must have "
        f"{FEWEST} labels or more; {int((labels >= FEWEST).sum())} have."
    )


def _weights(many: Opinions, least: int, seed: int) -> Weights:
    users = [(1, n) for n in range(2, least + 1)]
    users += [(2, n) for n in range(3, min(least, 5) + 1)]
    m, n = [m for m, _ in users], [n for _, n in users]
    sure = bootstrap_disagreement(many, seed=seed)
    return Weights(
        users,
        level_weights(disagreement(many).p, m, n, keep_lowest=True),
        level_weights(sure.low, m, n, keep_lowest=True),
        level_weights(sure.high, m, n, keep_lowest=True),
        observed_weights(many, m, n, least),
        sampled_weights(many, m, n, least, REPEATS, seed=seed),
    )


def _largest(weights: Weights) -> tuple[float, int, int]:
    """The largest distance between what is predicted and what is seen, where it is."""
    apart = np.abs(weights.predicted - weights.seen)
    row, level = np.unravel_index(int(np.nanargmax(apart)), apart.shape)
    return float(apart[row, level]), int(row), int(level)


def _says(
    data: StudyData, weights: Weights, by_labels: Sampled, least: int, names: Sequence[str]
) -> Iterator[str]:
    apart, row, level = _largest(weights)
    m, n = weights.users[row]
    yield (
        f"On {count(weights.sampled.documents, 'document')} with {least} labels or more, what is "
        f"predicted from p alone is nowhere farther than {number(apart, 2)} from the share of "
        "documents that at least M of N users do call "
        f"{names[-1]}; farthest by P({m}/{n}) after {names[level]}: "
        f"{weights.predicted[row, level]:.3f} predicted, {weights.seen[row, level]:.3f} seen."
    )
    below = len(names) - 2
    if not np.isnan(by_labels.mean[[0, -1], below]).any():
        few, most = by_labels.mean[[0, -1], below]
        yield (
            f"From two labels of each document p after {names[below]} is {few:.3f} in the mean, "
            f"and {most:.3f} from {least}; from one draw to another it strays by "
            f"{by_labels.sd[0, below]:.3f} and {by_labels.sd[-1, below]:.3f} (standard deviation "
            f"of {REPEATS} draws, seed {by_labels.seed})."
        )
    if not data.study.is_imported:
        yield "Anchors, of which there are hundreds of scores, are left out."


# --- Figure 5 and Table 1 ---------------------------------------------------------------------
def _users(weights: Weights, names: Sequence[str]) -> Iterator[Figure]:
    rows: list[Row] = [
        (names[level], n, *(float(of[row, level]) for of in _columns(weights)))
        for level in range(len(names) - 1)
        for row, (m, n) in enumerate(weights.users)
        if m == 1 and not np.isnan(weights.seen[row, level])
    ]
    if not rows:  # nobody said less than the best
        return
    data = [
        {
            "level": level,
            "n": n,
            "predicted": predicted,
            "low": low,
            "high": high,
            "seen": seen,
            "below": mean - sd,
            "above": mean + sd,
            "name": f"{level}, 1 of {n}: {predicted:.3f} predicted, {seen:.3f} seen",
        }
        for level, n, predicted, low, high, seen, mean, sd in rows
    ]
    order = [name for name in names if name in {row[0] for row in rows}]
    ends = plots.whole(2, max(row[1] for row in rows))
    across = plots.x("n", "N users", **ends)
    title = "best to one of N"
    up = plots.y("seen", title, domain=(0, 1))
    spans = plots.on("users").mark_rule(color=plots.OTHER, strokeWidth=2, aria=False)
    chart = plots.alt.layer(
        plots.band("users", across, plots.y("low", title, domain=(0, 1)), "high"),
        plots.line("users", across, plots.y("predicted", title, domain=(0, 1))),
        spans.encode(x=across, y=plots.y("below", title, domain=(0, 1)), y2="above:Q"),
        plots.points("users", across, up, shape="diamond", color=plots.OTHER, size=50, opacity=1),
    )
    apart = max(abs(row[2] - row[5]) for row in rows)
    yield Figure(
        "users",
        f"Predicted and seen chances that one of N users finds a document {names[-1]} lie within "
        f"{number(apart, 2)}",
        "Under the name of the level that one user gave. Line: predicted from p, its shade the "
        "95% interval of p over documents. Diamonds: the share of documents in which at least one "
        "of N labels is the top level, with one standard deviation of draws. Look for diamonds "
        "below the line: there users are less independent of each other than the prediction takes "
        "them to be.",
        plots.panels(chart, "level", order, columns=in_levels.columns(order), height=150),
        {"users": data},
        ("level", "N", "predicted", "low", "high", "seen", "sampled", "sd"),
        rows,
        in_levels.source("Figure 5"),
    )


def _columns(weights: Weights) -> tuple[Floats, ...]:
    drawn = weights.sampled
    return weights.predicted, weights.low, weights.high, weights.seen, drawn.mean, drawn.sd


def _table(weights: Weights, names: Sequence[str]) -> Table:
    rows: list[Row] = [
        (
            f"{m}/{n}",
            name,
            *(float(of[row, level]) for of in _columns(weights)),
            *(PAPER.get((m, n), (None, None)) if level == len(names) - 2 else (None, None)),
        )
        for row, (m, n) in enumerate(weights.users)
        for level, name in enumerate(names)
    ]
    return Table(
        "predicted",
        "Chances that at least M of N users find a document best, predicted and seen",
        (
            *("M/N", "level", "predicted", "low", "high", "seen", "sampled", "sd"),
            *("paper's_seen", "paper's_predicted"),
        ),
        rows,
        (
            "predicted: from p by equations (4) and (5), for the lowest level too; low, high: with "
            "the ends of the 95% interval of p over documents. seen: the exact share of "
            f"documents, over all draws of N of their labels; sampled, sd: mean and standard "
            f"deviation of {REPEATS} draws, seed {weights.sampled.seed}. The paper's are of its "
            "level Rel below HRel.",
            "A dash: no document has the level, or the paper does not have the number.",
        ),
        in_levels.source("Table 1"),
    )


# --- Figure 1 ---------------------------------------------------------------------------------
def _by_labels(found: Sampled, names: Sequence[str]) -> Figure:
    rows: list[Row] = [
        (name, others, float(found.mean[others - 1, level]), float(found.sd[others - 1, level]))
        for level, name in enumerate(names)
        for others in range(1, len(found.mean) + 1)
        if not np.isnan(found.sd[others - 1, level])
    ]
    order = [name for name in reversed(names) if name in {row[0] for row in rows}]
    title = "chance of the top level"
    across = plots.x("others", "other labels", **plots.whole(1, len(found.mean)))
    top = max(row[2] + row[3] for row in rows) * 1.05 + 0.01
    spans = plots.on("p").mark_rule(color=plots.MARK, strokeWidth=2, aria=False)
    chart = plots.alt.layer(
        spans.encode(x=across, y=plots.y("low", title, domain=(0, top)), y2="high:Q"),
        plots.points("p", across, plots.y("p", title, domain=(0, top)), size=50, opacity=1),
    )
    apart = max(row[2] for row in rows) - min(row[2] for row in rows)
    return Figure(
        "by-labels",
        "One other label of each document tells p as well as "
        f"{len(found.mean)} do, but less surely",
        f"p of a level, under its name, from 1 to {len(found.mean)} other labels of each document, "
        f"with one standard deviation of {REPEATS} draws. All dots of a level are expected at the "
        "same height: look for how much the bars shrink, and whether levels can be told apart "
        f"(their means are up to {number(apart, 2)} apart).",
        plots.panels(chart, "level", order, columns=in_levels.columns(order), height=150),
        {
            "p": [
                {
                    "level": level,
                    "others": others,
                    "p": p,
                    "low": p - sd,
                    "high": p + sd,
                    "name": f"{level}, {others} other labels: {p:.3f} ± {sd:.3f}",
                }
                for level, others, p, sd in rows
            ]
        },
        ("level", "other_labels", "p", "sd"),
        rows,
        in_levels.source("Figure 1"),
    )


# --- how many results are best (section 4.2) --------------------------------------------------
class Tops(NamedTuple):
    """Of each topic: documents, and how many are best to one user, to one of three, expected."""

    rows: Sequence[Row]
    one: float
    seen: float
    expected: float
    without_lowest: float


def _tops(many: Opinions, documents: int, data: StudyData) -> Tops:
    counts = many.counts
    there = np.flatnonzero(counts.sum(axis=1) > 0)
    size, top = counts[there].sum(axis=1), counts[there, -1]
    p, n = disagreement(many).p, EXPECTED
    columns = [
        np.ones(len(there)),
        top / size,
        1 - hypergeom.pmf(0, size, top, n),
        gains_of(many, np.nan_to_num(level_weights(p, 1, n, True)))[there],
        gains_of(many, np.nan_to_num(level_weights(p, 1, n)))[there],
    ]
    topics = many.topic_of_item[there]
    sums = [np.bincount(topics, column, len(data.topics)) for column in columns]
    rows = [
        (topic.query_id, int(of[0]), *(float(value) for value in of[1:]))
        for topic, of in zip(data.topics, zip(*sums, strict=True), strict=True)
        if of[0]
    ]
    return Tops(rows, *(float(total.sum()) for total in sums[1:]))


def _expected(tops: Tops) -> list[str]:
    return [
        f"One user alone finds {number(tops.one)} of these documents best, and at least one of "
        f"{EXPECTED} finds {number(tops.seen)}; from one user's labels {number(tops.expected)} "
        f"are expected ({number(tops.without_lowest)} if the lowest level weighs 0)."
    ]


def _tops_figure(tops: Tops) -> Figure:
    most = max(max(row[3], row[4]) for row in tops.rows) or 1.0
    ends = (0, 1.05 * most)
    across = plots.x("expected", "expected from one user's labels", domain=ends)
    up = plots.y("seen", f"best to one of {EXPECTED}", domain=ends)
    chart = plots.alt.layer(
        plots.line("even", across, up, color=plots.INK, strokeWidth=1, strokeDash=[3, 3]),
        plots.points("topics", across, up),
    )
    known = np.array([row[3:5] for row in tops.rows])
    above = int((known[:, 0] > known[:, 1]).sum())
    return Figure(
        "tops",
        f"{number(tops.expected)} best documents are expected, and {number(tops.seen)} are found, "
        f"by one of {EXPECTED} users",
        "One dot a topic: how many documents are best to at least one of "
        f"{EXPECTED} users, and how many are expected from the labels of one of them. Dots on the "
        "broken line are as expected; above it judges of the topic disagree more than elsewhere. "
        f"{above:,} of {len(tops.rows):,} topics are above.",
        plots.sized(chart, plots.WIDTH - 100),
        {
            "even": [{"expected": at, "seen": at} for at in ends],
            "topics": [
                {
                    "expected": expected,
                    "seen": seen,
                    "name": f"{topic}: {number(expected)} expected, {number(seen)} found",
                }
                for topic, _, _, seen, expected, _ in tops.rows
            ],
        },
        (
            *("query_id", "documents", "best_to_one_user", f"best_to_one_of_{EXPECTED}"),
            *("expected", "expected_without_lowest_level"),
        ),
        tops.rows,
        in_levels.source("section 4.2"),
    )
