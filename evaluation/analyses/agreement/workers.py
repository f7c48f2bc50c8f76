"""Workers one by one: how far each agrees with the others, and how each works.

**Shows** how far each worker agrees with the others, with and without anchors, as a histogram,
against the number of judgments, and in a table of all workers, lowest first: units, judgments,
agreement, distance, different scores, shares of units that keep to ratios of one and of two
figures, median seconds, the share of justifications given before in the same words, failed presses
of Finish.

**Computed**: agreement is Spearman's correlation of a worker's scores with the mean of the others'
for the same documents, all own scores left out, on logarithms minus log γ of the topic. Distance is
the geometric mean of the factor between the two. Check (c) forces the order of the anchors, which
increases agreement. On fewer than 16 documents agreement is mostly chance, and nothing here is a
verdict. Justifications are compared regardless of case. Only completed units count.

**Source**: section 4.1 has the numbers of workers and of their units; the rest is not in the paper.
"""

from typing import Any

import numpy as np

from evaluation.analyses.agreement.worker_table import MIN_DOCUMENTS, agreement, table
from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, correlation, percent, thinned
from evaluation.study.applies_to import in_units
from evaluation.study.data import StudyData
from magnitudes.files.words import count

WIDTH = 0.1  # of a bar
LOWEST = 50  # workers who are drawn whatever is thinned
UNDEFINED = (
    "No worker has judged two documents that others judged too, with different scores: agreement "
    "is not defined."
)


@analysis("How do workers differ?")
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Every worker's agreement with the mean of the others, and how they score."""
    if not data.judgments.scores.size:
        return Result(["No unit is completed yet: nobody has judged."])
    of_all = agreement(data, np.ones(len(data.judgments), dtype=bool))
    others = agreement(data, ~data.documents.is_anchor[data.judgments.items])
    known = np.isfinite(of_all.correlation)
    workers = Frame.of(worker=data.workers, judgments=of_all.pairs, agreement=of_all.correlation)
    workers = workers.where(known).sorted_by("agreement")
    people = {topic.query_id: len(np.unique(topic.workers)) for topic in data.topics}
    numbers = {"fewest_people": min(people.items(), key=lambda pair: pair[1])}
    workers_table = table(data, of_all, others)
    if not len(workers):
        return Result([UNDEFINED, _completed(data)], [workers_table], numbers)
    without = others.correlation[~np.isnan(others.correlation)]
    apart = correlation(float(np.median(without)) if without.size else np.nan, 3)
    enough = workers.where(workers["judgments"] >= MIN_DOCUMENTS)
    of_workers = {
        "median_worker_agreement": float(np.median(workers["agreement"])),
        "workers_with_enough": len(enough),
        "workers_at_or_below_0": int((enough["agreement"] <= 0).sum()),
    }
    sentence = (
        f"{_median(workers)}{f' ({apart} without the anchors)' if data.has_anchors else ''}. "
        f"{_low(workers)}. This is Spearman's, of a worker's scores with the mean of the others' "
        "for the same documents."
    )
    figures = [_histogram(workers, data.study.is_graded), _by_judgments(workers, data.seed)]
    return Result([sentence, _completed(data)], [*figures, workers_table], of_workers | numbers)


def _median(workers: Frame) -> str:
    median = correlation(float(np.median(workers["agreement"])), 3)
    if len(workers) == 1:
        return f"One worker can be compared, and has a correlation of {median} with the others"
    half = f"Half of {len(workers):,} workers have"
    return f"{half} a correlation of {median} or more with the others"


def _low(workers: Frame) -> str:
    """How many of those of whom something can be said do not agree."""
    enough = workers.where(workers["judgments"] >= MIN_DOCUMENTS)
    if not len(enough):
        nobody = f"No worker has {MIN_DOCUMENTS} judgments"
        return f"{nobody}, or agreement is not defined for any who has"
    low = int((enough["agreement"] <= 0).sum())
    some = f"{count(len(enough), 'worker')} with {MIN_DOCUMENTS} judgments or more"
    return f"Of {some}, {count(low, 'is', 'are') if low else 'none is'} at 0 or below"


def _completed(data: StudyData) -> str:
    units = np.bincount(data.units.workers)
    busy = np.sort(units[units > 0])[::-1]
    tenth = busy[: max(len(busy) // 10, 1)].sum() / busy.sum()
    what = "unit" if in_units(data.study) else "judgment"
    paper = " (the paper: around {one_unit} of {workers})" if data.has_anchors else ""
    who = f"{count(len(busy), 'worker')} completed"
    if busy[-1] == busy[0]:
        return f"{who} {count(int(busy[0]), what)}{' each' if len(busy) > 1 else ''}."
    return (
        f"{who} {busy[-1]:,} to {busy[0]:,} {what}s, {percent((busy == 1).mean())} of them "
        f"one{published.quote(paper)}; the busiest tenth did {percent(tenth)} of all {what}s."
    )


def _histogram(workers: Frame, is_graded: bool) -> Figure:
    scores = "normalised scores (logarithms less that of the topic's γ) with the mean of others'"
    scores = "levels with the mean of the others'" if is_graded else scores
    edges = np.round(np.arange(-1, 1 + WIDTH / 2, WIDTH), 10)
    counts, _ = np.histogram(workers["agreement"], bins=edges)
    lowest = int(np.flatnonzero(counts)[0])  # what is below that worker need not be drawn
    bins = Frame.of(**{"from": edges[:-1], "to": edges[1:], "workers": counts})
    return bins.where(np.arange(lowest, len(bins))).figure(
        "agreement",
        _median(workers),
        f"{count(len(workers), 'worker')}, by agreement with the others.",
        plots.bars(ROWS, "agreement with the others", "workers", "workers"),
        label="{from:g} to {to:g}: {workers:,} workers",
        reading=f"Spearman's correlation of a worker's {scores} for the same documents. Look for "
        "workers at 0 and below: they may not have read.",
    )


def _by_judgments(workers: Frame, seed: int) -> Figure:
    low, high = workers["judgments"].min() / 1.3, workers["judgments"].max() * 1.3
    ticks = [n * 10**k for k in range(7) for n in (1, 2, 5) if low <= n * 10**k <= high]
    across = plots.axis("judgments", "judgments", log=True, domain=(low, high), values=ticks)
    up = plots.axis("agreement", "agreement with the others")
    lowest = np.arange(min(LOWEST, len(workers)))
    drawn = workers.where(thinned(len(workers), keep=lowest, seed=seed))
    some = f"; {len(drawn):,} of {len(workers):,} are drawn" if len(drawn) < len(workers) else ""
    return workers.figure(
        "by-judgments",
        _low(workers),
        f"A dot a worker, by the number of judgments{some}.",
        plots.sized(plots.points(ROWS, across, up, opacity=0.5)),
        data={ROWS: drawn.marks(_tooltip)},
        reading="Workers with few judgments scatter widely by chance. Look for low ones to the "
        "right.",
    )


def _tooltip(row: Any) -> str:
    return f"{row.worker}: {correlation(row.agreement, 3)}, {count(row.judgments, 'judgment')}"
