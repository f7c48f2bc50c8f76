"""Whether scores and seconds depend on when a document comes: order, scores before, experience.

**Shows** by what factor a score differs from others' scores of the same document: by position in
the unit, by the previous score, by the unit's first document; H_k/N_k by the first document; how
far scores are from the others', by the number of units that the worker had completed before; and
seconds by position and by units completed before. It reports how many of all intervals exclude 1,
and how many would by chance. An effect is shown only if an interval excludes 1 after correction for
their number (Holm, p < .05).

**Computed**: the logarithm of a normalised score minus the mean of other workers' for its pair,
averaged by group; the factor is exp of the mean. Intervals (95%) are clustered two ways, by worker
and by document (by topic for H_k/N_k): a worker with high scores tends to continue with high
scores, and scores of a document above the others' are offset by those below (Cameron, Gelbach and
Miller, Journal of Business & Economic Statistics 29(2), 2011). The normalised logarithms of each
unit have the same sum, so a high score lowers all others of its unit. *By the score before*
therefore compares a score with the unit's remaining documents, which are lowered equally. *By
experience*, scores themselves cannot rise; the analysis shows their distance from the others',
relative to that of the others. Seconds below 0.1 count as 0.1. Bins of the previous score, relative
to its unit's geometric mean: ¼, ½, 2, 4. Groups of fewer than 5 workers have no interval; effects
that cannot be shown are in the table only. Workers with many units are different people from those
with few.

**Source**: section 3.2.4 of the paper shows documents in random order to counter such effects; it
does not measure them.
"""

from collections.abc import Iterable

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.scores.order_effects import READING, Effect, effects, less_others
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Result, Table, listed, number
from evaluation.study.applies_to import magnitude_here
from evaluation.study.data import Mask, StudyData
from magnitudes.comparison.holm import holm
from magnitudes.files.words import count

LEVEL = 0.05  # of p, corrected for the number of intervals
MIN_WORKERS = 5  # of a group; of fewer an interval says more of them than of people
LABEL = "{group}: {factor} ({low} to {high}), n = {n:,}"
COLUMNS = "effect of by group n workers factor low high p excludes_1"
ROUNDING = 1e-12  # of a logarithm: what rounding leaves


@analysis(
    "Does the order matter, and do workers drift?",
    applies_to=magnitude_here,
    nothing=lambda numbers: numbers.get("effects_found") == 0,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Scores, distances and seconds against others' on the same document, by what came before."""
    scores = less_others(data, np.log(data.judgments.normalised))
    if np.isnan(scores).all():
        return Result(
            ["No document has the scores of two workers yet: there is nothing to compare with."]
        )
    every = intervals(effects(data, scores))
    on_progress(0.5)
    parts = [*(_figure(name, every) for name in shown(every)), _table(every)]
    return Result(sentences(every), parts, {"effects_found": len(shown(every))})


def intervals(every: Iterable[Effect]) -> Frame:
    """How much more, as a factor, each group has than others, of effects with several groups.

    p is corrected for the number of all intervals; groups of few workers have no interval.
    """
    some = [rows for rows in map(_rows, every) if len(rows) > 1]
    frame = Frame.of_rows(COLUMNS, [row for rows in some for row in rows])
    return frame.with_columns(
        of=Column(frame["of"], "what"),
        by=Column(frame["by"], "by what"),
        n=Column(frame["n"], "judgments or units"),
        p=holm(frame["p"]),
        excludes_1=Column(frame["excludes_1"], "differs from 1"),
    )


def _rows(effect: Effect) -> list[tuple[object, ...]]:
    """One for each group with a value: exp of its mean; rounded, so that no trace is drawn."""
    means = effect.means
    enough = np.where(means.clusters >= MIN_WORKERS, 0.0, np.nan)
    low, high = means.low + enough, means.high + enough
    with np.errstate(over="ignore"):
        ratios = np.exp(np.round(np.stack([means.mean, low, high]), 12))
    excludes = (low > ROUNDING) | (high < -ROUNDING)
    p = np.where(np.abs(means.mean) > ROUNDING, means.p, 1.0) + enough
    columns = effect.groups, means.counts, means.clusters, *ratios, p, excludes
    rows = zip(*columns, means.counts > 0, strict=True)
    return [(effect.name, effect.of, effect.by, *row) for *row, has_values in rows if has_values]


def _is_shown(every: Frame) -> Mask:
    """What differs from 1 by more than the number of intervals lets one expect."""
    return np.asarray(every["p"] < LEVEL)


def _by_distance(every: Frame) -> Frame:
    """The farthest from 1 first, on a logarithmic scale."""
    return every.sorted_by(np.abs(np.log(every["factor"])), descending=True)


def shown(every: Frame) -> list[str]:
    """The effects of which an interval lies apart from 1: they are drawn, the others tabulated."""
    return list(dict.fromkeys(every["effect"][_is_shown(every)].tolist()))


def sentences(every: Frame) -> list[str]:
    known = every.where(~np.isnan(every["low"]))
    if not len(known):
        return [
            f"Every group is of fewer than {MIN_WORKERS} workers: too few to say whether order "
            "or practice matters."
        ]
    n_effects, n_shown = len(set(every["effect"])), len(shown(every))
    out, far = int(known["excludes_1"].sum()), _by_distance(known.where(_is_shown(known)))
    claim = f"No effect of order or practice can be shown ({n_effects} tested)"
    if n_shown:
        claim = f"{n_shown} of {count(n_effects, 'effect')} of order and practice can be shown"
    first = (
        f"{claim}: of {count(len(known), 'interval')}, {out or 'none'} "
        f"{'excludes' if out < 2 else 'exclude'} a factor of 1, and by chance alone about "
        f"{number(LEVEL * len(known), 2)} would; {len(far) or 'none'} of them "
        f"{'does' if len(far) < 2 else 'do'} when corrected for their number (Holm, p < {LEVEL})."
    )
    names = (f"{row.of} by {row.by} {row.group} ({number(row.factor)})" for row in far)
    return [first, f"Farthest from 1: {listed(names, 4)}."] if len(far) else [first]


def _figure(name: str, every: Frame) -> Figure:
    groups = every.where(every["effect"] == name)
    of, by, far = groups["of"][0], groups["by"][0], _by_distance(groups.where(_is_shown(groups)))
    further = count(len(far) - 1, "further group differs", "further groups differ")
    more = f"; {further}" if len(far) > 1 else ""
    farthest = f"{number(far['factor'][0])} times the others' at {far['group'][0]}{more}"
    ends = np.concatenate([groups["low"], groups["factor"], groups["high"]])
    ends = ends[ends > 0]
    ratios = plots.decades(min(ends.min(), 0.8) / 1.1, min(max(ends.max(), 1.25) * 1.1, 1e12))
    across, title = plots.names("group", groups["group"].tolist(), by), f"factor of {of}"
    one = plots.rule_at("one", y=plots.axis("factor", title, **ratios))
    dots = plots.intervals(ROWS, title, {"x": across}, **ratios)
    marks = groups.with_columns(mean=groups["factor"]).marks(LABEL)
    return groups.of_columns(*groups.names[1:]).figure(
        name,
        f"{of[0].upper()}{of[1:]} by {by}: {farthest}",
        "Dots with 95% intervals, on an axis of ratios; dashed: no difference. A dot without a "
        f"line: fewer than {MIN_WORKERS} workers.",
        plots.sized(plots.layer(one, dots), 180),
        data={ROWS: marks, "one": [{"factor": 1}]},
        reading=f"{READING[name]} Intervals allow for workers who go on like themselves, and for "
        "documents that have many of the scores.",
    )


def _table(every: Frame) -> Table:
    return every.of_columns(*every.names[1:]).table(
        "intervals",
        "All effects of order and practice that were tested",
        "Factor: against the others' of the same document; 1 is no difference. Low and "
        "high: its 95% interval, by clusters (workers and documents; of H_k / N_k, workers "
        f"and topics); empty where a group is of fewer than {MIN_WORKERS} workers. p: "
        "of a factor of 1, corrected for the number of intervals (Holm).",
        "Workers with many units are not those with few: what differs by experience may be "
        "who they are.",
    )
